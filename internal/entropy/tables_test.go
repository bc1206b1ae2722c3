package entropy

import (
	"math"
	"testing"
)

// The tables are part of the format; these are their values by their definitions.
func TestTables(t *testing.T) {
	for k, got := range knots {
		if want := int32(math.Round(65536 / (1 + math.Exp(-float64(k)/2)))); got != want {
			t.Errorf("the probability of log-odds %g is %d, want %d", float64(k)/2, got, want)
		}
	}
	for n := range memory + 1 {
		if want := int32(math.Floor(65536/(float64(n)+1.8) + 0.5)); gains[n] != want {
			t.Errorf("gain %d is %d, want %d", n, gains[n], want)
		}
	}
	for i := range odds {
		if i > 0 && odds[i] < odds[i-1] || odds[i] < -oddsLimit || odds[i] > oddsLimit {
			t.Errorf("log-odds %d are %d after %d", i, odds[i], odds[i-1])
		}
	}
	for x := range 2049 {
		p, q := chances[2048+x], chances[2048-x]
		if int(p)+int(q) != One || q < 22 || x > 0 && p < chances[2047+x] {
			t.Errorf("log-odds of %d/256 have the probability %d, of -%d/256 %d", x, p, x, q)
		}
		// A line between two points half a unit apart is off the logistic function by at most
		// (1/2)²/8 times the largest second derivative, 0.0963: 0.0031.
		if want := 65536 / (1 + math.Exp(-float64(x)/256)); math.Abs(float64(p)-want) > 0.0031*65536 {
			t.Errorf("the probability of log-odds %g is %d, the logistic function %.0f", float64(x)/256, p, want)
		}
	}
}

// Estimates stay strictly between 0 and 1, whatever they see and from wherever they come.
func TestEstimateStaysInside(t *testing.T) {
	for _, bit := range []uint32{0, 1} {
		var b Bit
		for range 5 {
			for range 100_000 {
				b.learn(bit)
				if p := b.P(); p < 16 || p > One-16 {
					t.Fatalf("the estimate is %d", p)
				}
			}
			bit = 1 - bit
		}
	}
	// By hand: 1/2 and 36,409/65,536 of the way from it to 1 - 1/4,096: 32,768 + ⌊32,752·36,409/65,536⌋.
	var b Bit
	if b.learn(1); b.P() != 50963 {
		t.Errorf("after a one the estimate is %d, want 50963", b.P())
	}
	b = 0
	if b.learn(0); b.P() != 65536-50964 { // rounded down, away from the middle
		t.Errorf("after a zero the estimate is %d, want %d", b.P(), 65536-50964)
	}
}
