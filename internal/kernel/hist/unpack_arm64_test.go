//go:build !purego

package hist

import (
	"math/rand/v2"
	"testing"
)

// Sums come apart and entries are made and added up the same with the vectors of arm64, and nothing beside them is
// touched.
func TestSumsNEON(t *testing.T) {
	defer func(was bool) { neon = was }(neon)
	neon = true
	r := rand.New(rand.NewPCG(73, 0))
	extremes := []int16{-32768, 32767, -1, 0}
	for n := range 70 {
		checkUnpack(t, r, n)
		checkPacking(t, r, n, extremes)
		checkSubtract(t, r, n)
	}
	checkUnpack(t, r, sumsCall+13)
	checkSubtract(t, r, sumsCall+13)
	checkPacking(t, r, BlockRows-3, extremes)
	checkPacking(t, r, BlockRows, extremes[:1])
	checkPacking(t, r, BlockRows, extremes[1:2])
}

// checkSubtract subtracts n sums, with others around them that must stay.
func checkSubtract(t *testing.T, r *rand.Rand, n int) {
	t.Helper()
	const guard = 9
	from, what := make([]uint64, n+2*guard), make([]uint64, n+2*guard)
	want := make([]uint64, len(from))
	for i := range from {
		from[i], what[i] = r.Uint64(), r.Uint64()
		if want[i] = from[i]; i >= guard && i < n+guard {
			want[i] -= what[i]
		}
	}
	Subtract(from[guard:n+guard], what[guard:n+guard])
	for i := range from {
		if from[i] != want[i] {
			t.Fatalf("%d sums: entry %d is %x, want %x", n, i-guard, from[i], want[i])
		}
	}
}
