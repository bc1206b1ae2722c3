package cpu

import (
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/klauspost/cpuid/v2"
)

var threads = sync.OnceValue(func() int {
	return host{files: rootFiles(), cpus: runtime.NumCPU(), cores: cpuid.CPU.PhysicalCores}.threads()
})

// Threads returns how many threads compute at full speed, at least 1: the smallest
// of the control groups' CPU quota, rounded up, and the physical cores among the
// CPUs that the process may run on. Two threads on one core share its caches and
// adders, and threads beyond a quota only wait.
func Threads() int { return threads() }

func (h host) threads() int {
	n := h.physical()
	if quota := h.cpuQuota(); quota > 0 {
		n = min(n, quota)
	}
	return max(n, 1)
}

// physical counts the cores that have at least one CPU in the process's affinity.
func (h host) physical() int {
	allowed := h.allowed()
	if allowed == nil {
		if h.cores > 0 {
			return min(h.cores, h.cpus)
		}
		return h.cpus
	}
	cores := map[string]bool{}
	for _, cpu := range allowed {
		siblings := h.read(fmt.Sprintf("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu))
		if siblings == "" {
			return min(len(allowed), h.cpus)
		}
		cores[siblings] = true
	}
	return min(len(cores), h.cpus)
}

// allowed returns the CPUs of the process's affinity, nil if unknown.
func (h host) allowed() []int {
	for line := range strings.Lines(h.read("/proc/self/status")) {
		if list, ok := strings.CutPrefix(line, "Cpus_allowed_list:"); ok {
			return parseList(strings.TrimSpace(list))
		}
	}
	return nil
}
