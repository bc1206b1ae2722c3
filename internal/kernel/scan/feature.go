package scan

import "math"

// Grad is the type of gradient sums: integer codes, or floats in f32 mode.
type Grad interface{ int64 | float64 }

// Hess is the type of hessian sums.
type Hess interface{ uint64 | float64 }

// Sums are the totals of a set of rows.
type Sums[G Grad, H Hess] struct {
	Grad G
	Hess H
	Rows uint64 // where counts are kept
}

func (a Sums[G, H]) plus(b Sums[G, H]) Sums[G, H] {
	return Sums[G, H]{a.Grad + b.Grad, a.Hess + b.Hess, a.Rows + b.Rows}
}

// Feature is the histogram of one feature in one node.
type Feature[G Grad, H Hess] struct {
	Grad  []G
	Hess  []H
	Count []uint32 // nil: rows are not counted
	// Words are packed sums (package hist) that stand for Grad and Hess, which are nil then.
	Words []uint64
	// Node is what has been prepared for the words of a numeric feature, and is ready.
	Node *Packed
	// Regular is the number of codes of present values; the code Regular, if the
	// slices reach that far, is the missing code.
	Regular int
	// Direction is 1 if the right side's value may be no lower than the left one's, −1 if no higher, 0 if both are right. It counts
	// where the rule has Limits.
	Direction int8
	Sides     *Sides // nil: the rule's limits bound the sides of all splits
	Total     Sums[G, H]
	// Least is a gain that another split has already, or 0: no split that gains less is found.
	Least float64

	inLeft, inRight Range // of Sides, for the split that is looked at
}

// lookAt makes a numeric split the one whose sides are bounded.
func (f *Feature[G, H]) lookAt(code int, missingLeft bool) {
	if f.Sides != nil {
		f.inLeft, f.inRight = f.Sides.At(code, missingLeft)
	}
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

// at returns the sums of one code.
func (f *Feature[G, H]) at(code int) (sums Sums[G, H]) {
	if f.Words != nil {
		w := f.Words[code]
		sums.Grad, sums.Hess = G(int64(w)>>32), H(w&math.MaxUint32)
	} else {
		sums.Grad, sums.Hess = f.Grad[code], f.Hess[code]
	}
	if f.Count != nil {
		sums.Rows = uint64(f.Count[code])
	}
	return sums
}

// hess is at, but for the gradient.
func (f *Feature[G, H]) hess(code int) H {
	if f.Words != nil {
		return H(f.Words[code] & math.MaxUint32)
	}
	return f.Hess[code]
}
