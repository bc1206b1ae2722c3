package harness

import (
	"slices"
	"strings"
	"testing"
)

func TestEnvironment(t *testing.T) {
	t.Setenv("OMP_WAIT_POLICY", "ACTIVE")
	for wait, want := range map[string]string{Passive: "PASSIVE", Active: "ACTIVE", "": ""} {
		env := environment(3, wait)
		var got []string
		for _, v := range env {
			if value, is := strings.CutPrefix(v, "OMP_WAIT_POLICY="); is {
				got = append(got, value)
			}
		}
		if strings.Join(got, " ") != want || !slices.Contains(env, "OMP_NUM_THREADS=3") {
			t.Errorf("%q: policy %q, want %q, and 3 threads: %v", wait, got, want, slices.Contains(env, "OMP_NUM_THREADS=3"))
		}
	}
}
