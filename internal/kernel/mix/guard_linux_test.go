package mix_test

import (
	"testing"

	"boost/internal/kernel/mix"
	"boost/internal/testenv"
)

// A read or a write past either end of a slice kills the test.
func TestStaysInItsSlice(t *testing.T) {
	for n := 1; n < 40; n++ {
		mix.Numbers(mix.Key{}, 0, testenv.FencedFirst[float32](t, n))
		mix.Numbers(mix.Key{}, 0, testenv.FencedLast[float32](t, n))
		mix.Numbers(mix.Key{}, 0, testenv.FencedFirst[float64](t, n))
		mix.Numbers(mix.Key{}, 0, testenv.FencedLast[float64](t, n))
		mix.Draws(testenv.FencedFirst[uint64](t, n), 0, 0)
		mix.Draws(testenv.FencedLast[uint64](t, n), 0, 0)
	}
}
