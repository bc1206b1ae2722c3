package scan_test

import (
	"testing"

	"boost/internal/cpu"
	"boost/internal/kernel/scan"
	"boost/internal/testenv"
)

// A read past either end of a feature's sums kills the test.
func TestStaysInItsSlices(t *testing.T) {
	testenv.Vectors(t, cpu.AVX2)
	for _, set := range []cpu.Level{cpu.AVX2, cpu.AVX512} {
		if scan.Use(set) {
			staysInItsSlices(t, func() { scan.Use(set) })
		}
	}
}

func staysInItsSlices(t *testing.T, use func()) {
	defer scan.UseGo(false)
	for codes := 2; codes < 70; codes++ {
		for _, side := range []func(int) ([]int64, []uint64){
			func(n int) ([]int64, []uint64) {
				return testenv.FencedFirst[int64](t, n), testenv.FencedFirst[uint64](t, n)
			},
			func(n int) ([]int64, []uint64) {
				return testenv.FencedLast[int64](t, n), testenv.FencedLast[uint64](t, n)
			},
		} {
			f := &scan.Feature[int64, uint64]{Regular: codes}
			f.Grad, f.Hess = side(codes)
			for c := range codes {
				f.Grad[c], f.Hess[c] = int64(c)-7, uint64(c+1)
				f.Total.Grad += f.Grad[c]
				f.Total.Hess += f.Hess[c]
			}
			rule := scan.Rule{MinChild: 1e-3, GradScale: 1, HessScale: 1, MinRows: 1}
			bothForms(t, use, codes, f, &rule)
			f.Regular = codes - 1 // a code for missing values behind
			bothForms(t, use, codes, f, &rule)
			f.Regular = codes + 1 // the last code is a candidate, and the vectors read it
			bothForms(t, use, codes, f, &rule)
		}
	}
}

func TestPackedStaysInItsSlice(t *testing.T) { everySet(t, packedStaysInItsSlice) }

func packedStaysInItsSlice(t *testing.T, set cpu.Level) {
	for codes := 2; codes < 70; codes++ {
		for _, words := range [][]uint64{testenv.FencedFirst[uint64](t, codes), testenv.FencedLast[uint64](t, codes)} {
			f := &scan.Feature[int64, uint64]{Grad: make([]int64, codes), Hess: make([]uint64, codes)}
			for c := range codes {
				f.Grad[c], f.Hess[c] = int64(c)-7, uint64(c+1)
				f.Total.Grad += f.Grad[c]
				f.Total.Hess += f.Hess[c]
			}
			rule := scan.Rule{MinChild: 1e-3, GradScale: 1, HessScale: 1, MinRows: 1}
			for _, f.Regular = range []int{codes, codes - 1} {
				if _, ok := packedAsApart(t, set, codes, f, words, &rule); !ok {
					t.Fatal("not done by vectors")
				}
			}
		}
	}
}
