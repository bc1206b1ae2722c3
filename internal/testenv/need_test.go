package testenv_test

import (
	"runtime"
	"testing"

	"boost/internal/cpu"
	"boost/internal/testenv"
)

// recorder is a test that only notes how it was ended.
type recorder struct {
	testing.TB
	skipped, failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Skipf(string, ...any)  { r.skipped = true }
func (r *recorder) Fatalf(string, ...any) { r.failed = true }

// No machine has more than the highest level, and each has plain Go.
func TestVectors(t *testing.T) {
	const beyond = cpu.AVX512 + 1
	t.Setenv("CI", "true")
	lacking := &recorder{TB: t}
	if testenv.Vectors(lacking, cpu.AVX512); lacking.failed || lacking.skipped != (cpu.Used() < cpu.AVX512) {
		t.Errorf("AVX-512: failed %v, skipped %v, used is %v", lacking.failed, lacking.skipped, cpu.Used())
	}
	for _, ci := range []string{"", "true"} {
		t.Setenv("CI", ci)
		r := &recorder{TB: t}
		if testenv.Vectors(r, cpu.Generic); r.skipped || r.failed {
			t.Errorf("CI=%q: plain Go was not there", ci)
		}
		r = &recorder{TB: t}
		testenv.Vectors(r, beyond)
		forced := cpu.Used() < cpu.Best()
		plain := cpu.Best() == cpu.Generic // purego, or another processor
		if fails := ci == "true" && !forced && !plain; runtime.GOARCH == "amd64" && !plain && (r.failed != fails || r.skipped == fails) {
			t.Errorf("CI=%q: failed %v, skipped %v", ci, r.failed, r.skipped)
		}
	}
}

func TestMachine(t *testing.T) {
	for _, ci := range []string{"", "true"} {
		for _, has := range []bool{true, false} {
			t.Setenv("CI", ci)
			r := &recorder{TB: t}
			testenv.Machine(r, has, "thing")
			if r.failed != (!has && ci == "true") || r.skipped != (!has && ci == "") {
				t.Errorf("CI=%q, there %v: failed %v, skipped %v", ci, has, r.failed, r.skipped)
			}
		}
	}
}
