package tune

import (
	"math"
	"slices"
)

// Hyperband of Li and others (2018), in the asynchronous form that Optuna has: a trial belongs to a bracket, and at the rungs of
// that it goes on only if it is among the best third of the trials of the bracket that came so far. The brackets differ in how
// early the first rung comes. Rungs lie at the same sum of learning rates, so that small steps are not taken for bad ones.
const (
	eta      = 3
	brackets = 4
)

// bracketOf returns the bracket of a trial: the number of rungs that it passes unseen.
func (s *searcher) bracketOf(number int) int {
	if number == 0 || s.NoPrune { // the first is what others are measured by
		return 0
	}
	var weights [brackets]float64
	total, size := 0.0, 1.0
	for b := brackets - 1; b >= 0; b-- { // trials that cost alike in all brackets
		weights[b] = math.Ceil(brackets * size / float64(brackets-b))
		total += weights[b]
		size *= eta
	}
	return newDraws(s.Seed, number, len(s.Space)).pick(weights[:], total)
}

// rungs returns the rounds at which a trial is compared, by the bracket's numbers of rungs, 0 for those that it passes unseen.
func (s *searcher) rungs(bracket, rounds int, rate float64) []int {
	if s.NoPrune {
		return nil
	}
	rungs := make([]int, 0, brackets-1)
	for k := range brackets - 1 {
		at := float64(s.base.Rounds)
		for range brackets - 1 - k {
			at /= eta
		}
		if rate > 0 {
			at *= s.base.LearningRate / rate
		}
		round := int(math.Ceil(at))
		if k < bracket || round >= rounds {
			round = 0
		}
		rungs = append(rungs, round)
	}
	return rungs
}

// pruner compares a trial with those before it. It notes the best value at each rung in t.Rungs.
func (s *searcher) pruner(t *Trial, rungs []int) func(round int, best float64) bool {
	if !slices.ContainsFunc(rungs, func(round int) bool { return round > 0 }) {
		return nil
	}
	next := 0
	return func(round int, best float64) bool {
		for ; next < len(rungs) && round >= rungs[next]; next++ {
			if rungs[next] == 0 {
				continue
			}
			at := len(t.Rungs)
			t.Rungs = append(t.Rungs, max(-math.MaxFloat64, min(best, math.MaxFloat64)))
			if t.Number > 0 && !s.promotes(t, at) {
				next++
				return true
			}
		}
		return false
	}
}

// promotes reports whether a trial is among the best of its bracket at a rung.
func (s *searcher) promotes(t *Trial, rung int) bool {
	values := []float64{t.Rungs[rung]}
	for i := range s.trials {
		if other := &s.trials[i]; other.Bracket == t.Bracket && other.State != Failed && len(other.Rungs) > rung {
			values = append(values, other.Rungs[rung])
		}
	}
	slices.SortFunc(values, s.compare)
	return s.compare(t.Rungs[rung], values[max(len(values)/eta, 1)-1]) <= 0
}
