package cpu

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/klauspost/cpuid/v2"
)

// defaultL2 is assumed where neither the CPU nor the system says: small, so that a block chosen by it
// fits everywhere.
const defaultL2 = 256 << 10

var l2 = sync.OnceValue(func() int { return host{files: rootFiles()}.l2(cpuid.CPU.Cache.L2) })

// L2 returns the bytes of the second cache.
func L2() int { return l2() }

// l2 takes what the CPU did not say (≤ 0) from the system's files.
func (h host) l2(said int) int {
	if said > 0 {
		return said
	}
	found := 0
	for i := range 8 {
		dir := fmt.Sprintf("/sys/devices/system/cpu/cpu0/cache/index%d/", i)
		if kind := h.read(dir + "type"); h.read(dir+"level") == "2" && (kind == "Data" || kind == "Unified") {
			found = parseSize(h.read(dir + "size"))
		}
	}
	if found > 0 {
		return found
	}
	return defaultL2
}

// Model returns the CPU's name for people, the architecture if it has none.
func Model() string {
	if cpuid.CPU.BrandName != "" {
		return cpuid.CPU.BrandName
	}
	return runtime.GOARCH
}
