package grow

import (
	"math"
	"slices"

	"boost/internal/kernel/scan"
	"boost/tree"
)

// In LightGBM's advanced method a leaf is bounded by the values of those leaves only that predictions are bound to along a feature
// (tree.Box), and each side of a split on a numeric feature by those of them that meet that side in it.
//
// A node's value lies between those of the leaves that bound it, and of these are all that bound its children. So there are always
// values of the children that are in order, and the leaves of a tree are so after each split.

// neighbour is a leaf whose value bounds that of another.
type neighbour struct {
	box     tree.Box
	feature int        // along which
	leaves  scan.Range // to the other
}

// everything is a range that bounds nothing.
var everything = scan.Range{Low: math.Inf(-1), High: math.Inf(1)}

// neighbour returns a node as one that bounds another, if it does.
func (g *Grower) neighbour(at, other int) (n neighbour, bounds bool) {
	boxes := g.limits.boxes
	feature, above := boxes[at].Bound(boxes[other], g.limits.directions)
	if feature < 0 {
		return n, false
	}
	n = neighbour{boxes[other], int(feature), everything}
	if above {
		n.leaves.Low = g.nodes[other].value
	} else {
		n.leaves.High = g.nodes[other].value
	}
	return n, true
}

// neighbours appends the leaves that bound a node. If its parent is still a leaf, its sibling stands for it.
func (g *Grower) neighbours(dst []neighbour, at int) []neighbour {
	up := g.nodes[at].up
	for _, leaf := range g.leaves {
		other := int(leaf)
		if other == up {
			other = g.nodes[up].left + g.nodes[up].right - at
		}
		if other == at {
			continue
		}
		if n, bounds := g.neighbour(at, other); bounds {
			dst = append(dst, n)
		}
	}
	return dst
}

// rangeOf sets a node's range to what all leaves leave to it, apart from its parent.
func (g *Grower) rangeOf(at int) {
	n, all := &g.nodes[at], everything
	for _, leaf := range g.leaves {
		if other := int(leaf); other != at && other != n.up {
			if its, bounds := g.neighbour(at, other); bounds {
				all = all.And(its.leaves)
			}
		}
	}
	n.low, n.high = all.Low, all.High
}

// stepLeaves bounds the size of the leaves' values, which keeps their order; 0 = no bound.
func (g *Grower) stepLeaves(most float64) {
	for _, leaf := range g.leaves {
		if n := &g.nodes[leaf]; most > 0 {
			n.value = min(max(n.value, -most), most)
		}
	}
}

// boundChildren sets the boxes and values of the children of a node that is split.
func (s *splitter) boundChildren(at int) {
	l, parent := s.limits, &s.nodes[at]
	split := &parent.best
	feature := int32(split.feature)
	for _, child := range [...]int{parent.left, parent.right} {
		n, left := &s.nodes[child], child == parent.left
		if split.categorical {
			l.boxes[child] = l.boxes[at].Choose(l.boxes[child], feature, parent.set, split.missingLeft, left)
		} else {
			l.boxes[child] = l.boxes[at].Cut(l.boxes[child], feature, uint32(split.code), split.missingLeft, left)
		}
		s.rangeOf(child)
		grad, hess := s.value(n.total)
		n.value = l.valueOf(&s.rule, n, parent.value, grad, hess, s.rule.L2+n.extraL2)
	}
	if split.categorical {
		return
	}
	// The search has looked at values in order, but the side of missing rows and smoothed values can differ from these.
	left, right := &s.nodes[parent.left], &s.nodes[parent.right]
	switch direction := l.directions[feature]; {
	case direction > 0 && left.value > right.value:
		left.value, right.value = min(left.value, parent.value), max(right.value, parent.value)
	case direction < 0 && left.value < right.value:
		left.value, right.value = max(left.value, parent.value), min(right.value, parent.value)
	}
}

// searchBound lists the leaves that are to be searched again, because a node that bounds them has become a split of the tree: those whose
// best split has a side that the node has bounded, or that one of its children does. Of others a better split may go unseen that the node
// has bounded: to search all of them takes two to three times as long, for trees that are no better.
func (g *Grower) searchBound(at int) {
	n := &g.nodes[at]
	for _, leaf := range g.leaves {
		other := int(leaf)
		if other == n.left || other == n.right || !g.nodes[other].best.found {
			continue
		}
		before, bounds := g.neighbour(other, at)
		if !bounds {
			continue
		}
		left, right := g.nodes[other].sideValues[0], g.nodes[other].sideValues[1]
		least, most := min(left, right), max(left, right)
		touched := before.leaves.Low == least || before.leaves.High == most
		for _, child := range [...]int{n.left, n.right} {
			if now, bounds := g.neighbour(other, child); bounds && !touched {
				touched = now.leaves.Low > least || now.leaves.High < most
			}
		}
		if touched && !slices.Contains(g.again, other) {
			g.again = append(g.again, other)
		}
	}
}

// keepValues notes the values of the sides of a node's best split.
func (q *search) keepValues() {
	c, in := &q.node.best, [2]scan.Range{{Low: q.node.low, High: q.node.high}, {Low: q.node.low, High: q.node.high}}
	if sides := q.sides(0, c.feature); sides != nil {
		in[0], in[1] = sides.At(c.code, c.missingLeft)
	}
	_, all := q.value(q.node.total)
	for i, side := range [...]sums{c.left, q.node.total.minus(c.left)} {
		grad, hess := q.value(side)
		limits := q.bounds
		limits.Low, limits.High = in[i].Low, in[i].High
		q.node.sideValues[i] = limits.Value(&q.rule, grad, hess, q.sideL2(c), float64(limits.Rows*hess)/all)
	}
}

// sides returns what bounds the sides of the splits of a feature, nil where it is the same for all.
func (q *search) sides(worker, f int) *scan.Sides {
	if len(q.near) == 0 || !q.shapes[f].numeric {
		return nil
	}
	low, high, missing := q.splitter.limits.boxes[q.at].Range(int32(f))
	whole := func(n *neighbour) bool {
		from, to, has := n.box.Range(int32(f))
		return n.feature == f || from <= low && to >= high && (has || !missing)
	}
	if !slices.ContainsFunc(q.near, func(n neighbour) bool { return !whole(&n) }) {
		return nil
	}
	w, codes := &q.workers[worker].sides, int(q.config.Features[f].Regular)
	w.Left, w.Right, w.Missing = slices.Grow(w.Left[:0], codes)[:codes], slices.Grow(w.Right[:0], codes)[:codes], everything
	all, behind := everything, everything // of those that meet both sides of every split; of those behind the last code
	for code := range codes {
		w.Left[code], w.Right[code] = everything, everything
	}
	for i := range q.near {
		n := &q.near[i]
		if whole(n) {
			all = all.And(n.leaves)
			continue
		}
		from, to, has := n.box.Range(int32(f))
		if from, to = max(from, low), min(to, high); from <= to {
			if int(from) < codes {
				w.Left[from] = w.Left[from].And(n.leaves)
			}
			if int(to) < codes {
				w.Right[to] = w.Right[to].And(n.leaves)
			} else {
				behind = behind.And(n.leaves)
			}
		}
		if has && missing {
			w.Missing = w.Missing.And(n.leaves)
		}
	}
	left, right := all, all.And(behind)
	for code := range codes {
		left = left.And(w.Left[code])
		w.Left[code] = left
		last := codes - 1 - code
		own := w.Right[last]
		w.Right[last] = right
		right = right.And(own)
	}
	return w
}
