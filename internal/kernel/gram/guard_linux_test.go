package gram_test

import (
	"testing"

	"boost/internal/kernel/gram"
	"boost/internal/testenv"
)

// A read or a write past either end of a slice kills the test.
func TestStaysInItsSlices(t *testing.T) {
	for _, count := range []int{1, 4, 6} {
		for _, n := range []int{8, 24, gram.Rows} {
			all := (count-1)*gram.Rows + n
			for _, f := range []func(testing.TB, int) []float64{testenv.FencedFirst[float64], testenv.FencedLast[float64]} {
				gram.Products(f(t, count), f(t, n), f(t, n), f(t, n), f(t, all))
			}
		}
	}
}
