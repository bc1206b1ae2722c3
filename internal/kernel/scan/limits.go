package scan

// Limits bound the values of the two sides of a split. A value that a limit moves is no longer the one that lowers the loss most, and
// the gain counts the loss at the value as it is.
type Limits struct {
	Low, High float64 // of both values; −Inf and +Inf for none
	MaxStep   float64 // largest size of a value; 0 for none
	// A value is taken Smooth/(rows + Smooth) of the way to the node's own, Parent; 0 for none. A side has its share of the node's Rows
	// by its hessian, also where rows are counted: what is counted depends on how histograms are built.
	Smooth, Parent, Rows float64
	// Shift is what the node's own part of a gain is less at its own value than at that which lowers the loss most.
	Shift float64
}

// Range is what values keep to.
type Range struct{ Low, High float64 }

// And returns the values in both ranges.
func (r Range) And(other Range) Range { return Range{max(r.Low, other.Low), min(r.High, other.High)} }

// Sides bound the values of the sides of the splits of a numeric feature, in the place of Limits.Low and High. By the last code on the
// left there is a range for each side.
type Sides struct {
	Left, Right []Range
	Missing     Range // of the side with the missing code
}

// At returns the ranges of the sides of a split.
func (s *Sides) At(code int, missingLeft bool) (left, right Range) {
	left, right = s.Left[code], s.Right[code]
	if missingLeft {
		return left.And(s.Missing), right
	}
	return left, right.And(s.Missing)
}

// Value returns the value of a node or a side of a split with so many rows.
func (l *Limits) Value(r *Rule, grad, hess, l2, rows float64) float64 {
	return l.valueIn(r, Range{l.Low, l.High}, grad, hess, l2, rows)
}

func (l *Limits) valueIn(r *Rule, in Range, grad, hess, l2, rows float64) float64 {
	v := r.Value(grad, hess, l2)
	if l.MaxStep > 0 {
		v = min(max(v, -l.MaxStep), l.MaxStep)
	}
	if l.Smooth > 0 {
		own := rows / (rows + l.Smooth)
		v = float64(own*v) + float64((1-own)*l.Parent)
	}
	return min(max(v, in.Low), in.High)
}

// partAt is Part for a node that has the value v.
func (r *Rule) partAt(g, h, l2, v float64) float64 {
	return -float64(v * (float64(2*r.Shrink(g)) + float64((h+l2)*v)))
}

// Own sets Shift from a node's sums and its own value.
func (l *Limits) Own(r *Rule, grad, hess, l2, value float64) {
	l.Shift = r.Part(grad, hess, l2) - r.partAt(grad, hess, l2, value)
}

// bound returns what the gain of two sides is at most, given that without limits.
func (l *Limits) bound(free float64) float64 { return free + float64(free*slack) + l.Shift }

// slack is a share of a gain that is much more than what roundings make of it.
const slack = 1e-12

// Above returns what limited gains are at most where gains without limits are at most free, both less the same part of the
// node. l may be nil.
func (l *Limits) Above(free, part float64) float64 {
	if l == nil {
		return free
	}
	return free + float64((free+part)*slack) + l.Shift
}

// gain returns the gain of two sides at the values that the limits give them, Refused where these are not in the feature's
// direction.
func (l *Limits) gain(r *Rule, direction int8, inLeft, inRight Range, gl, hl, rowsLeft, gr, hr, rowsRight, l2 float64) float64 {
	left, right := l.valueIn(r, inLeft, gl, hl, l2, rowsLeft), l.valueIn(r, inRight, gr, hr, l2, rowsRight)
	if direction > 0 && left > right || direction < 0 && left < right {
		return Refused
	}
	return float64(r.partAt(gl, hl, l2, left)+r.partAt(gr, hr, l2, right)) + l.Shift
}

// rowsOf returns how many rows a side of so much hessian stands for.
func rowsOf[G Grad, H Hess](f *Feature[G, H], l *Limits, side H) float64 {
	if !(f.Total.Hess > 0) {
		return 0
	}
	return float64(l.Rows*float64(side)) / float64(f.Total.Hess)
}
