package earlystop

import (
	"math"
	"testing"
)

// By hand: of 5, 4, 3.95, NaN, 4 the second is the best where better means by more than 0.1, and two rounds later it ends.
func TestRule(t *testing.T) {
	s := Rule{Rounds: 2, MinDelta: 0.1}
	for i, value := range []float64{5, 4, 3.95, math.NaN()} {
		if stop := s.See(i+1, value); stop != (i == 3) {
			t.Errorf("after round %d: stop %v", i+1, stop)
		}
	}
	if s.BestRound != 2 || s.BestValue != 4 {
		t.Errorf("best %v in round %d, want 4 in round 2", s.BestValue, s.BestRound)
	}
	higher := Rule{Rounds: 1, Higher: true, First: 3} // of a run that goes on from three rounds
	if higher.See(4, math.NaN()) != true || higher.BestRound != 0 {
		t.Errorf("an undefined metric is the best of round %d", higher.BestRound)
	}
	if higher.See(5, 0.5); higher.BestRound != 5 || higher.See(6, 0.4) != true {
		t.Errorf("best round %d, want 5", higher.BestRound)
	}
}
