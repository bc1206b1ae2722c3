package sample_test

import (
	"testing"

	"boost/internal/kernel/sample"
	"boost/internal/testenv"
)

// A read or a write past either end of a slice kills the test.
func TestStaysInItsSlice(t *testing.T) {
	for n := 1; n < 40; n++ {
		inSlices(testenv.FencedFirst[float32](t, n), testenv.FencedFirst[float32](t, n), testenv.FencedFirst[float64](t, n),
			testenv.FencedFirst[uint64](t, n), testenv.FencedFirst[uint16](t, n))
		inSlices(testenv.FencedLast[float32](t, n), testenv.FencedLast[float32](t, n), testenv.FencedLast[float64](t, n),
			testenv.FencedLast[uint64](t, n), testenv.FencedLast[uint16](t, n))
	}
}

func inSlices(a, b []float32, squares []float64, draws []uint64, kept []uint16) {
	sample.SumMagnitudes(a, 1)
	sample.SumBelow(a, 1<<30, 1)
	sample.AddSquares(squares, a, b, 1)
	sample.Roots(a, squares)
	sample.Keep(kept, b, draws, a, 0, 1) // all sizes are 0: none is kept
	sample.Keep(kept, b, draws, a, 0, 0) // all are
	sample.Scale(a, b)
}
