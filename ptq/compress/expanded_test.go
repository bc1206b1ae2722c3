package compress

import (
	"math"
	"testing"
)

// The quantiles of Student's t and of a normal variable are those of tables; of the product's share
// Φ(−√(n/(n−1))·t) a table of the normal distribution has the values.
func TestExpanded(t *testing.T) {
	for _, c := range []struct {
		alpha float64
		n     int
		want  float64 // with t from tables: 1.6991, 2.4620, 1.6604, 1.6449, 2.0150, 1.8331
		off   float64
	}{
		{0.05, 30, 0.0420, 0.0001},   // Φ(−1.7281)
		{0.01, 30, 0.00615, 0.00003}, // Φ(−2.5041)
		{0.05, 100, 0.0476, 0.0001},  // Φ(−1.6688)
		{0.05, 1_000_000, 0.05, 1e-6},
		{0.05, 10, 0.0267, 0.0002}, // Φ(−1.9323)
		{0.05, 6, 0.0136, 0.0005},  // Φ(−2.2073)
		{0.05, 4, 0, 0}, {0.01, 1, 0, 0},
	} {
		if got := expanded(c.alpha, c.n); math.Abs(got-c.want) > c.off {
			t.Errorf("S3.60: %v of %d rows becomes %v, want %v", c.alpha, c.n, got, c.want)
		}
	}
	for p, want := range map[float64]float64{0.5: 0, 0.975: 1.959963984540054, 0.995: 2.575829303548901, 0.05: -1.6448536269514729} {
		if got := normalQuantile(p); math.Abs(got-want) > 1e-13 {
			t.Errorf("S3.60: the normal quantile of %v is %v, want %v", p, got, want)
		}
	}
}
