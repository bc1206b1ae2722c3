package scan_test

import (
	"testing"

	"boost/internal/cpu"
	"boost/internal/fence"
	"boost/internal/kernel/scan"
	"boost/internal/need"
)

// A read past the end of a feature's sums kills the test.
func TestStaysInItsSlices(t *testing.T) {
	need.Vectors(t, cpu.AVX2)
	defer scan.UseGo(false)
	for codes := 2; codes < 70; codes++ {
		f := &scan.Feature[int64, uint64]{Grad: fence.Last[int64](t, codes), Hess: fence.Last[uint64](t, codes), Regular: codes}
		for c := range codes {
			f.Grad[c], f.Hess[c] = int64(c)-7, uint64(c+1)
			f.Total.Grad += f.Grad[c]
			f.Total.Hess += f.Hess[c]
		}
		rule := scan.Rule{MinChild: 1e-3, GradScale: 1, HessScale: 1, MinRows: 1}
		for _, set := range []cpu.Level{cpu.AVX2, cpu.AVX512} {
			if scan.Use(set) {
				bothForms(t, set, codes, f, &rule)
			}
		}
	}
}
