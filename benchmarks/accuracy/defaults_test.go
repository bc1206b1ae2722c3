package accuracy

import (
	"math"
	"slices"
	"testing"
)

// Demšar (2006) has, in his first example, ranks of four trainers on 14 sets and a critical difference of 1.25 (5 %).
func TestRanks(t *testing.T) {
	if got := criticalDifference(4, 14); math.Abs(got-1.25) > 0.005 {
		t.Errorf("critical difference %v, want 1.25", got)
	}
	if got := ranksOf([]float64{0.3, 0.1, 0.3, 0.2}); !slices.Equal(got, []float64{3.5, 1, 3.5, 2}) {
		t.Errorf("ranks %v", got)
	}
}
