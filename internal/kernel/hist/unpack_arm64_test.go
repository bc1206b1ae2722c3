//go:build !purego

package hist

import (
	"math/rand/v2"
	"testing"
)

// Sums come apart and entries are added up the same with the vectors of arm64, and nothing beside them is
// touched.
func TestSumsNEON(t *testing.T) {
	defer func(was bool) { neon = was }(neon)
	neon = true
	r := rand.New(rand.NewPCG(73, 0))
	extremes := []int16{-32768, 32767, -1, 0}
	for n := range 70 {
		checkUnpack(t, r, n)
		checkPacking(t, r, n, extremes)
	}
	checkUnpack(t, r, sumsCall+13)
	checkPacking(t, r, BlockRows-3, extremes)
	checkPacking(t, r, BlockRows, extremes[:1])
	checkPacking(t, r, BlockRows, extremes[1:2])
}
