package harness_test

import (
	"runtime"
	"strings"
	"testing"

	"boost/benchmarks/harness"
)

func TestThisNamesTheMachine(t *testing.T) {
	m := harness.ThisMachine()
	if m.CPU == "" || m.Cores != runtime.NumCPU() || m.Commit == "" {
		t.Errorf("machine: %+v", m)
	}
	for _, part := range []string{m.CPU, m.Level, runtime.GOARCH, runtime.Version(), m.Commit} {
		if !strings.Contains(m.String(), part) {
			t.Errorf("%q lacks %q", m, part)
		}
	}
}

func TestSame(t *testing.T) {
	here := harness.Machine{CPU: "a", Cores: 2, Go: "go1", Commit: "abc", LoadAverage: "0 0 0"}
	later, other := here, here
	later.Commit, later.LoadAverage = "abc+", "1 1 1"
	other.Cores = 4
	if !here.Same(later) || here.Same(other) {
		t.Errorf("same after a commit: %v, with other cores: %v", here.Same(later), here.Same(other))
	}
}
