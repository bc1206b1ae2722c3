package detmath_test

import (
	"math"
	"testing"

	"boost/internal/detmath"
)

func TestCosPi(t *testing.T) {
	for x, want := range map[float64]float64{0: 1, 0.5: 0, 1: -1, 1.0 / 3: 0.5} {
		if got := detmath.CosPi(x); math.Abs(got-want) > 1.0/(1<<52) {
			t.Errorf("CosPi(%v) = %v, want %v", x, got, want)
		}
	}
	for i := range 10_001 {
		x := float64(i) / 10_000
		if got, want := detmath.CosPi(x), math.Cos(math.Pi*x); math.Abs(got-want) > 1.0/(1<<51) {
			t.Errorf("CosPi(%v) = %v, want %v", x, got, want)
		}
	}
}
