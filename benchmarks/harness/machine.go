package harness

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"

	"boost/internal/cpu"
)

// Machine is what a record keeps about the place of a measurement.
type Machine struct {
	CPU         string `json:"cpu"`
	Level       string `json:"instruction_set"` // the best that the machine has
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
		CPU: cpu.Model(), Level: cpu.Best().String(), Cores: runtime.NumCPU(),
		OS: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(), Commit: commit(),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GOAMD64" {
				m.GOAMD64 = s.Value
			}
		}
	}
	m.LoadAverage = LoadAverage()
	return m
}

// LoadAverage returns the machine's at the moment, "" where it cannot be told.
func LoadAverage() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	return strings.Join(strings.Fields(string(b))[:3], " ")
}

// String is one phrase for a document.
func (m Machine) String() string {
	s := fmt.Sprintf("%s (%s, %d logical cores), %s, %s", m.CPU, m.Level, m.Cores, m.OS, m.Go)
	if m.GOAMD64 != "" {
		s += ", GOAMD64=" + m.GOAMD64
	}
	return s + ", commit " + m.Commit
}

// commit names the checkout's commit, with a plus where files differ from it.
func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--abbrev=10", "--dirty=+").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}
