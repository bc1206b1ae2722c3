// Package scan finds the best split of one feature from its histogram.
//
// In: the sums per code of one feature in one node, the node's totals, the rules
// a split must obey. Out: the best candidate. It knows no trees and no rows.
package scan

import "math"

// Grad and Hess are the types of sums: integer codes, or floats in f32 mode.
type Grad interface{ int64 | float64 }

// Hess is the type of hessian sums.
type Hess interface{ uint64 | float64 }

// Rule says what a split must obey and how its gain is computed.
type Rule struct {
	L1, L2    float64
	MinChild  float64 // sum of hessians on each side, at least
	GradScale float64 // gradient of one code; 1 in f32 mode
	HessScale float64
	// GradOffset is added per row, where rows are counted (S2.5); else it is 0.
	GradOffset float64
	// MinRows is the number of rows that each side needs, at least 1. It is checked
	// with counts where there are some, else through the hessian: a sum above
	// (MinRows−1)·largest code = ProofHess proves MinRows rows.
	MinRows   uint64
	ProofHess uint64
	// EqualHess says that every row has the largest code, so that a sum that proves
	// nothing disproves.
	EqualHess bool
	// LeastSide is a hessian sum that MinRows rows of the node have at least: a side with less has too
	// few. 0 where none is known.
	LeastSide uint64
}

// dividable says that gains are plain quotients: without L1, and where a side that has enough
// hessian has a denominator above 0.
func (r *Rule) dividable() bool {
	return r.L1 == 0 && r.L2 >= 0 && r.MinChild >= 0 && r.L2+r.MinChild > 0
}

// usual reports whether a scale is far from the limits of float64: no product of sums loses digits.
func usual(scale float64) bool { return scale >= 1e-100 && scale <= 1e100 }

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

// Sums are the totals of a set of rows.
type Sums[G Grad, H Hess] struct {
	Grad G
	Hess H
	Rows uint64 // where counts are kept
}

// Feature is the histogram of one feature in one node.
type Feature[G Grad, H Hess] struct {
	Grad  []G
	Hess  []H
	Count []uint32 // nil: rows are not counted
	// Words are packed sums (package hist) that stand for Grad and Hess, which are nil then. Only Categorical and Set
	// take them.
	Words []uint64
	// Regular is the number of codes of present values; the code Regular, if the
	// slices reach that far, is the missing code.
	Regular int
	Total   Sums[G, H]
	// Least is a gain that is had already, or 0: Codes and Categorical find nothing that gains less.
	Least float64
}

// bar returns what a gain has to exceed to be looked at.
func (f *Feature[G, H]) bar() float64 { return barOf(f.Least) }

func barOf(least float64) float64 {
	if least > 0 {
		return math.Float64frombits(math.Float64bits(least) - 1) // the next number below
	}
	return Refused
}

// missing returns the sums of the missing code and whether it holds anything.
func (f *Feature[G, H]) missing() (m Sums[G, H], any bool) {
	if len(f.Grad)+len(f.Words) <= f.Regular {
		return m, false
	}
	m = f.at(f.Regular)
	if f.Count != nil {
		return m, m.Rows != 0
	}
	return m, m.Grad != 0 || m.Hess != 0
}

// Split is a candidate: what goes left, and how good that is.
type Split[G Grad, H Hess] struct {
	Found       bool
	Gain        float64 // Part(left) + Part(right), the node's own part not yet taken off
	Code        int     // numeric: last code on the left
	MissingLeft bool
	Unproven    bool // a side may have fewer than MinRows rows: Gain is an upper bound
	Left        Sums[G, H]
}
