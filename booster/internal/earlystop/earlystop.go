// Package earlystop says when more rounds do not help.
//
// In: a metric round by round. Out: the best round, and whether to stop. It must not know metrics.
package earlystop

import "math"

// Rule decides early stopping by a metric.
type Rule struct {
	Rounds    int     // without a better value that end training
	MinDelta  float64 // by more than which a value is better
	Higher    bool
	BestValue float64
	BestRound int // rounds of the best model; 0 = none yet
	First     int // rounds before the first that is seen
}

// See takes the leading metric after some rounds and reports whether to stop. Only a value that is better by more than
// MinDelta counts, NaN never (docs/architecture.md, Numerics 8).
func (s *Rule) See(rounds int, value float64) (stop bool) {
	better := s.BestRound == 0 || value < s.BestValue-s.MinDelta
	if s.Higher {
		better = s.BestRound == 0 || value > s.BestValue+s.MinDelta
	}
	if !math.IsNaN(value) && better {
		s.BestValue, s.BestRound = value, rounds
	}
	return rounds-max(s.BestRound, s.First) >= s.Rounds
}
