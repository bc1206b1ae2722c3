package objectives

import (
	"math"
	"slices"

	"boost/internal/detmath"
)

// PositionBias is what the position at which a row was shown does to its label, learned beside the trees as in LightGBM: the score of
// a row, as its query's pairs see it, is that of the trees plus the bias of its position. Models hold no biases.
type PositionBias struct {
	of     []int32 // by row, the number of its position
	bias   []float64
	counts []float64
	l2     float64
	rate   float64
}

// NewPositionBias returns biases of 0 for rows at these positions, one per row. l2 is their penalty per row, rate the factor on their steps.
func NewPositionBias(positions []float64, l2, rate float64) *PositionBias {
	known := slices.Clone(positions)
	slices.Sort(known)
	known = slices.Compact(known)
	p := &PositionBias{of: make([]int32, len(positions)), bias: make([]float64, len(known)), counts: make([]float64, len(known)), l2: l2, rate: rate}
	for row, position := range positions {
		at, _ := slices.BinarySearch(known, position)
		p.of[row] = int32(at)
		p.counts[at]++
	}
	return p
}

// Biases returns the biases of the positions in ascending order. They may be set, to go on from.
func (p *PositionBias) Biases() []float64 {
	if p == nil {
		return nil
	}
	return p.bias
}

// Update makes a Newton step from a round's derivatives. A nil receiver does nothing.
//
// LightGBM's step has the sum of the second derivatives and 0.001 below it, so that positions of few pairs move little.
func (p *PositionBias) Update(grad, hess []float32) {
	if p == nil {
		return
	}
	first, second := make([]detmath.Sum, len(p.bias)), make([]detmath.Sum, len(p.bias))
	for row, at := range p.of {
		first[at].Add(float64(grad[row]))
		second[at].Add(float64(hess[row]))
	}
	for at, bias := range p.bias {
		penalty := float64(p.l2 * p.counts[at])
		slope := -first[at].Round() - float64(bias*penalty)
		bend := math.Abs(second[at].Round() + penalty)
		p.bias[at] = bias + float64(slope*p.rate)/(bend+0.001)
	}
}

// biased returns the scores of rows lo … hi-1 with the biases of their positions.
func (r *ranker) biased(rows Rows, lo, hi int, scores []float64) []float64 {
	p := rows.Positions
	if p == nil {
		return scores[lo:hi]
	}
	r.scores = r.scores[:0]
	for row, s := range scores[lo:hi] {
		r.scores = append(r.scores, s+p.bias[p.of[lo+row]])
	}
	return r.scores
}
