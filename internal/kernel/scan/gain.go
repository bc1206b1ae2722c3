package scan

import "math"

// Rule says what a split must obey and how its gain is computed.
type Rule struct {
	L1, L2    float64
	MinChild  float64 // sum of hessians on each side, at least
	GradScale float64 // gradient of one code; 1 in f32 mode
	HessScale float64
	// GradOffset is added per row, where rows are counted; else it is 0.
	GradOffset float64
	// MinRows is the number of rows that each side needs, at least 1. It is checked
	// with counts where there are some, else through the hessian: a sum above
	// (MinRows−1)·largest code = ProofHess proves MinRows rows.
	MinRows   uint64
	ProofHess uint64
	// EqualHess reports whether every row has the largest code, so that a sum that proves
	// nothing disproves.
	EqualHess bool
	// LeastSide is a hessian sum that MinRows rows of the node have at least: a side with less has too
	// few. 0 where none is known.
	LeastSide uint64
	Limits    *Limits // of the sides' values; nil for none
}

// Refused is the gain of a candidate that breaks the rule.
const Refused = -1.0

// gain returns the gain of sending the rows of left to the left, the node's own part not yet taken
// off, or Refused where the rule forbids it. l2 is L2, or more for sets of levels. Where values are limited, a gain below
// bar may be given as Refused. unproven reports that MinRows remains to be proven: the gain is an upper bound.
//
// All that a split must obey stands here. The loops that do not ask here compute the same for a
// plain rule.
func gain[G Grad, H Hess](f *Feature[G, H], r *Rule, left Sums[G, H], l2, bar float64) (gain float64, unproven bool) {
	rightHess := f.Total.Hess - left.Hess
	if f.Count != nil {
		if left.Rows < r.MinRows || f.Total.Rows-left.Rows < r.MinRows {
			return Refused, false
		}
	} else if uint64(left.Hess) <= r.ProofHess || uint64(rightHess) <= r.ProofHess {
		if left.Hess < H(r.LeastSide) || rightHess < H(r.LeastSide) {
			return Refused, false
		}
		unproven = true
	}
	hl := float64(float64(left.Hess) * r.HessScale)
	hr := float64(float64(rightHess) * r.HessScale)
	if hl < r.MinChild || hr < r.MinChild {
		return Refused, false
	}
	gl := float64(float64(left.Grad)*r.GradScale) + float64(float64(left.Rows)*r.GradOffset)
	gr := float64(float64(f.Total.Grad-left.Grad)*r.GradScale) + float64(float64(f.Total.Rows-left.Rows)*r.GradOffset)
	if l := r.Limits; l != nil {
		if l.bound(r.Part(gl, hl, l2)+r.Part(gr, hr, l2)) < bar {
			return Refused, false
		}
		inLeft, inRight := Range{l.Low, l.High}, Range{l.Low, l.High}
		if f.Sides != nil {
			inLeft, inRight = f.inLeft, f.inRight
		}
		return l.gain(r, f.Direction, inLeft, inRight, gl, hl, rowsOf(f, l, left.Hess), gr, hr, rowsOf(f, l, rightHess), l2), unproven
	}
	return r.Part(gl, hl, l2) + r.Part(gr, hr, l2), unproven
}

// Plain reports whether the loops that do not ask gain may stand in for it: a gain is the sum of two
// quotients T(g)²/(h + L2), whose denominators are above 0 where a side has MinChild, no value is limited, and no row
// adds an offset. A constraint that gain checks and the loops do not makes a rule not plain.
func (r *Rule) Plain() bool {
	return r.Limits == nil && r.GradOffset == 0 && r.L2 >= 0 && r.MinChild >= 0 && r.L2+r.MinChild > 0
}

// Part is a node's share of a gain: T(g)²/(h + l2), T shrinking |g| by L1
// (Chen and Guestrin 2016, eq. 7, with L1). 0 where the denominator is not positive.
func (r *Rule) Part(g, h, l2 float64) float64 {
	d := h + l2
	if !(d > 0) {
		return 0
	}
	g = r.Shrink(g)
	return g * g / d
}

// Shrink moves g towards 0 by L1.
func (r *Rule) Shrink(g float64) float64 {
	if r.L1 == 0 {
		return g
	}
	switch {
	case g > r.L1:
		return g - r.L1
	case g < -r.L1:
		return g + r.L1
	}
	return 0
}

// Value is the leaf value that minimises the loss: −T(g)/(h + l2), 0 where the
// denominator is not positive.
func (r *Rule) Value(g, h, l2 float64) float64 {
	d := h + l2
	if !(d > 0) {
		return 0
	}
	return (0 - r.Shrink(g)) / d // 0, not −0, without a gradient
}

// Proven reports whether both sides of a split have MinRows rows for certain.
func (r *Rule) Proven(left, total Sums[int64, uint64]) bool {
	return r.EqualHess || left.Hess > r.ProofHess && total.Hess-left.Hess > r.ProofHess
}

// Provable reports whether a split of a node of so much hessian can be proven (see Proven).
func (r *Rule) Provable(total uint64) bool { return r.EqualHess || total/2 > r.ProofHess }

// usual reports whether a scale is far from the limits of float64: no product of sums loses digits.
func usual(scale float64) bool { return scale >= 1e-100 && scale <= 1e100 }

// barOf returns what a gain has to exceed to be no less than the least gain that is looked for, if
// there is one.
func barOf(least float64) float64 {
	if least > 0 {
		return math.Float64frombits(math.Float64bits(least) - 1) // the next number below
	}
	return Refused
}
