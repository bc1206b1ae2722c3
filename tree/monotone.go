package tree

import "math"

// KeepOrder changes leaf values so that none on the left of a split is above one on its right where the feature's direction is 1, and
// none below where it is −1. Values that keep to that stay as they are. Where others do not, both sides are cut off halfway between their means, weighted by cover.
// It takes time for the leaves below each split.
func (t *Tree) KeepOrder(values []float64, directions []int8) {
	t.keepOrder(t.root(), values, directions, math.Inf(-1), math.Inf(1))
}

func (t *Tree) keepOrder(at int32, values []float64, directions []int8, low, high float64) {
	if at < 0 {
		leaf := ^at
		values[leaf] = min(max(values[leaf], low), high)
		return
	}
	left, right := t.Left[at], t.Right[at]
	direction := int8(0)
	if !t.Categorical[at] {
		direction = directions[t.Feature[at]]
	}
	switch direction {
	case 0:
		t.keepOrder(left, values, directions, low, high)
		t.keepOrder(right, values, directions, low, high)
	case 1:
		middle := t.between(left, right, values, low, high)
		t.keepOrder(left, values, directions, low, middle)
		t.keepOrder(right, values, directions, middle, high)
	default:
		middle := t.between(right, left, values, low, high)
		t.keepOrder(right, values, directions, low, middle)
		t.keepOrder(left, values, directions, middle, high)
	}
}

// between returns a number that no value below one node and above another has to pass, or that lies halfway between their means, cut off at low and high.
func (t *Tree) between(lower, upper int32, values []float64, low, high float64) float64 {
	below, above := extent{least: math.Inf(1), most: math.Inf(-1)}, extent{least: math.Inf(1), most: math.Inf(-1)}
	t.extend(&below, lower, values, low, high)
	t.extend(&above, upper, values, low, high)
	from, to := below.most, above.least
	if from > to {
		from, to = below.mean(), above.mean()
	}
	return min(max(from+float64((to-from)/2), low), high)
}

// extent is what is known of some leaves.
type extent struct{ least, most, sum, cover, plain, n float64 }

func (e *extent) mean() float64 {
	if e.cover > 0 {
		return e.sum / e.cover
	}
	return e.plain / e.n
}

func (t *Tree) extend(e *extent, at int32, values []float64, low, high float64) {
	if at >= 0 {
		t.extend(e, t.Left[at], values, low, high)
		t.extend(e, t.Right[at], values, low, high)
		return
	}
	v, cover := min(max(values[^at], low), high), 1.0
	if len(t.LeafCover) > 0 {
		cover = t.LeafCover[^at]
	}
	e.least, e.most = min(e.least, v), max(e.most, v)
	e.sum, e.cover = e.sum+float64(v*cover), e.cover+cover
	e.plain, e.n = e.plain+v, e.n+1
}

// OutOfOrder returns a split that KeepOrder would change values for, −1 if there is none.
func (t *Tree) OutOfOrder(directions []int8) int {
	inf := math.Inf(1)
	for at, f := range t.Feature {
		if t.Categorical[at] || directions[f] == 0 {
			continue
		}
		left, right := extent{least: inf, most: -inf}, extent{least: inf, most: -inf}
		t.extend(&left, t.Left[at], t.Leaf, -inf, inf)
		t.extend(&right, t.Right[at], t.Leaf, -inf, inf)
		if directions[f] > 0 && left.most > right.least || directions[f] < 0 && left.least < right.most {
			return at
		}
	}
	return -1
}

// root returns the number of the root as Left and Right write it.
func (t *Tree) root() int32 {
	if len(t.Feature) == 0 {
		return ^int32(0)
	}
	return 0
}
