package peers

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// Machine says where and with what a figure was measured.
type Machine struct {
	CPU         string `json:"cpu"`
	Level       string `json:"instruction_set"`
	Cores       int    `json:"logical_cores"`
	OS          string `json:"os"`
	Go          string `json:"go"`
	GOAMD64     string `json:"goamd64,omitempty"`
	Commit      string `json:"commit"`
	LoadAverage string `json:"load_average,omitempty"` // before the first run
}

// ThisMachine describes the machine and the build at hand.
func ThisMachine() Machine {
	m := Machine{
		CPU: cpuid.CPU.BrandName, Level: level(), Cores: runtime.NumCPU(),
		OS: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(), Commit: commit(),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GOAMD64" {
				m.GOAMD64 = s.Value
			}
		}
	}
	if b, err := os.ReadFile("/proc/loadavg"); err == nil {
		m.LoadAverage = strings.Join(strings.Fields(string(b))[:3], " ")
	}
	return m
}

func level() string {
	switch {
	case cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL):
		return "avx512"
	case cpuid.CPU.Supports(cpuid.AVX2, cpuid.BMI2):
		return "avx2"
	}
	return "generic"
}

// commit names the checkout's commit, with a plus where files differ from it.
func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--abbrev=10", "--dirty=+").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}
