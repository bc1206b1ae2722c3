package cpu

import (
	"strconv"
	"strings"
	"sync"
)

var memoryLimit = sync.OnceValue(func() int64 {
	return host{files: rootFiles()}.memoryLimit(physicalMemory())
})

// MemoryLimit returns the bytes that the process can count on: the smaller of the
// machine's memory and the limits of its control groups; 0 if unknown.
func MemoryLimit() int64 { return memoryLimit() }

// memoryLimit takes physical as the machine's memory where /proc does not say.
func (h host) memoryLimit(physical int64) int64 {
	for line := range strings.Lines(h.read("/proc/meminfo")) {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			if kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 50); err == nil {
				physical = kib << 10
			}
		}
	}
	if quota := h.memoryQuota(); quota > 0 && (physical == 0 || quota < physical) {
		return quota
	}
	return physical
}
