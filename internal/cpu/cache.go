package cpu

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/klauspost/cpuid/v2"
)

// What is assumed where neither the CPU nor the system says: small, so that a
// block chosen by it fits everywhere.
const (
	defaultL1D = 32 << 10
	defaultL2  = 256 << 10
	defaultL3  = 4 << 20
)

type caches struct{ l1d, l2, l3 int }

var cacheSizes = sync.OnceValue(func() caches {
	c := cpuid.CPU.Cache
	return host{files: rootFiles()}.caches(caches{c.L1D, c.L2, c.L3})
})

// L1D returns the bytes of a core's first data cache.
func L1D() int { return cacheSizes().l1d }

// L2 returns the bytes of the second cache.
func L2() int { return cacheSizes().l2 }

// L3 returns the bytes of the third cache, which cores usually share.
func L3() int { return cacheSizes().l3 }

// caches fills in what the CPU did not say (≤ 0) from the system's files.
func (h host) caches(said caches) caches {
	found := map[string]int{}
	for i := range 8 {
		dir := fmt.Sprintf("/sys/devices/system/cpu/cpu0/cache/index%d/", i)
		if level, kind := h.read(dir+"level"), h.read(dir+"type"); kind == "Data" || kind == "Unified" {
			found[level] = parseSize(h.read(dir + "size"))
		}
	}
	choose := func(said, found, otherwise int) int {
		switch {
		case said > 0:
			return said
		case found > 0:
			return found
		}
		return otherwise
	}
	return caches{
		l1d: choose(said.l1d, found["1"], defaultL1D),
		l2:  choose(said.l2, found["2"], defaultL2),
		l3:  choose(said.l3, found["3"], defaultL3),
	}
}

// Model returns the CPU's name for people, the architecture if it has none.
func Model() string {
	if cpuid.CPU.BrandName != "" {
		return cpuid.CPU.BrandName
	}
	return runtime.GOARCH
}
