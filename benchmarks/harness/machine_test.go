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
