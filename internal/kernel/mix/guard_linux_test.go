package mix_test

import (
	"testing"

	"boost/internal/fence"
	"boost/internal/kernel/mix"
)

// A read past either end of a column kills the test.
func TestStaysInItsSlice(t *testing.T) {
	for n := 1; n < 40; n++ {
		mix.Numbers(mix.Key{}, 0, fence.First[float32](t, n))
		mix.Numbers(mix.Key{}, 0, fence.Last[float32](t, n))
		mix.Numbers(mix.Key{}, 0, fence.First[float64](t, n))
		mix.Numbers(mix.Key{}, 0, fence.Last[float64](t, n))
	}
}
