package grow

import (
	"math"
	"slices"

	"boost/binning"
	"boost/internal/kernel/scan"
	"boost/internal/rng"
	"boost/tree"
)

// limits are what bounds the values of leaves, and with them the gains of splits.
type limits struct {
	maxStep, smooth float64
	// directions has 1 for features on which leaf values may not fall, −1 for those on which they may not rise. A split on such a
	// feature puts the middle of its sides' values between all that grows below it on either side (LightGBM's basic method).
	directions []int8
	tightens   bool       // instead, a side's values bound the other side (LightGBM's intermediate method): see tighten
	boxes      []tree.Box // of nodes, in the advanced method; else nil
}

// newLimits returns nil where no value is limited.
func newLimits(p *Params, features []binning.Feature, nodes int) *limits {
	l := &limits{maxStep: p.MaxDeltaStep, smooth: p.PathSmooth, directions: directionsOf(p, features), tightens: p.MonotoneMethod == IntermediateBounds}
	if l.maxStep == 0 && l.smooth == 0 && !slices.ContainsFunc(l.directions, func(d int8) bool { return d != 0 }) {
		return nil
	}
	if p.tightens() && p.MonotoneMethod == AdvancedBounds {
		l.boxes = make([]tree.Box, nodes)
	}
	return l
}

// directionsOf returns Params.Monotone by feature.
func directionsOf(p *Params, features []binning.Feature) []int8 {
	directions := make([]int8, len(features))
	for f := range features {
		directions[f] = int8(p.Monotone[features[f].Name])
	}
	return directions
}

// root sets what the leaves of a tree keep to.
func (l *limits) root(s *splitter, n *node) {
	n.low, n.high = math.Inf(-1), math.Inf(1)
	if l.boxes != nil {
		l.boxes[0] = l.boxes[0][:0]
	}
	grad, hess := s.value(n.total)
	own := scan.Limits{Low: n.low, High: n.high, MaxStep: l.maxStep}
	n.value = own.Value(&s.rule, grad, hess, s.rule.L2, float64(n.rows))
}

// children sets what the leaves below the children of a split keep to.
func (l *limits) children(s *splitter, at int) {
	if l.boxes != nil {
		s.boundChildren(at)
		return
	}
	parent := &s.nodes[at]
	left, right := &s.nodes[parent.left], &s.nodes[parent.right]
	for _, child := range []*node{left, right} {
		child.low, child.high = parent.low, parent.high
		grad, hess := s.value(child.total)
		child.value = l.valueOf(&s.rule, child, parent.value, grad, hess, s.rule.L2+child.extraL2)
	}
	middle := left.value + float64((right.value-left.value)/2)
	ofLeft, ofRight := middle, middle // what bounds the left side, and the right one
	if l.tightens {
		ofLeft, ofRight = right.value, left.value
	}
	switch l.directions[parent.best.feature] {
	case 1:
		left.high, right.low = min(left.high, ofLeft), max(right.low, ofRight)
	case -1:
		left.low, right.high = max(left.low, ofLeft), min(right.high, ofRight)
	}
}

// tighten bounds leaves by the values of the children of a node that has become a split of the tree: all that stand on the other
// side of a constrained split above it. Those whose bounds change are to be searched again.
//
// A child's value keeps to the node's bounds, and these to the values of the leaves that they come from. So no leaf's own value
// leaves its bounds when they are tightened, and of the leaves on two sides none is ever out of order.
func (g *Grower) tighten(at int) {
	n := &g.nodes[at]
	a, b := g.nodes[n.left].value, g.nodes[n.right].value
	least, most := min(a, b), max(a, b)
	for child, up := at, n.up; up != noNode; child, up = up, g.nodes[up].up {
		p := &g.nodes[up]
		direction := g.limits.directions[p.best.feature]
		if p.best.categorical || direction == 0 {
			continue
		}
		other, isAbove := p.right, direction > 0
		if child == p.right {
			other, isAbove = p.left, direction < 0
		}
		g.tightenBelow(other, isAbove, least, most)
	}
}

// tightenBelow bounds the leaves below a node, which are above values up to most, or below those from least on.
func (g *Grower) tightenBelow(at int, isAbove bool, least, most float64) {
	n := &g.nodes[at]
	if n.recorded {
		g.tightenBelow(n.left, isAbove, least, most)
		g.tightenBelow(n.right, isAbove, least, most)
		return
	}
	switch {
	case isAbove && n.low < most:
		n.low = most
	case !isAbove && n.high > least:
		n.high = least
	default:
		return
	}
	if n.best.found && !slices.Contains(g.again, at) {
		g.again = append(g.again, at)
	}
}

// valueOf returns the value of a node below one with the value above.
func (l *limits) valueOf(r *scan.Rule, n *node, above, grad, hess, l2 float64) float64 {
	own := scan.Limits{Low: n.low, High: n.high, MaxStep: l.maxStep, Smooth: l.smooth, Parent: above}
	return own.Value(r, grad, hess, l2, float64(n.rows))
}

// of returns the limits of the sides of a split of the node that is searched.
func (l *limits) of(q *search, grad, hess float64) *scan.Limits {
	n := q.node
	if l.boxes != nil {
		q.near = q.neighbours(q.near[:0], q.at)
		all := everything
		for i := range q.near {
			all = all.And(q.near[i].leaves)
		}
		n.low, n.high = all.Low, all.High
	}
	q.bounds = scan.Limits{
		Low: n.low, High: n.high, MaxStep: l.maxStep, Smooth: l.smooth, Parent: n.value, Rows: float64(n.rows),
	}
	q.bounds.Own(&q.rule, grad, hess, q.rule.L2, n.value)
	return &q.bounds
}

// leaf returns the value of a leaf, before the learning rate, from sums that need not be those of its codes.
func (l *limits) leaf(g *Grower, n *node, grad, hess, maxStep float64) float64 {
	above := n.value // of the root
	if n.up != noNode {
		above = g.nodes[n.up].value
	}
	own := scan.Limits{Low: n.low, High: n.high, MaxStep: maxStep, Smooth: l.smooth, Parent: above}
	if n.up == noNode {
		own.Smooth = 0
	}
	rule := scan.Rule{L1: g.config.Params.LambdaL1}
	return own.Value(&rule, grad, hess, g.config.Params.LambdaL2+n.extraL2, float64(n.rows))
}

// childPath numbers the way to a child.
func childPath(path, side uint64) uint64 { return rng.Mix(2*path + side) }

// drawCut draws a number for the split of a feature that is tried, above 0.
func (q *search) drawCut(f int) uint64 {
	key := rng.Key(q.config.Seed, rng.RandomCuts, uint64(q.round), uint64(q.output))
	return rng.Draw(rng.Mix(key^q.node.path), uint64(f))>>1 + 1
}

// restricted reports whether nodes may go without features because of their way or their depth.
func (c *constraints) restricted() bool { return c.together != nil || c.depths != nil }

// restrict keeps those of the features that a node may be split on by its way and its depth.
func (c *constraints) restrict(features []int, n *node) []int {
	if c.together != nil {
		features = c.together.Keep(features, n.groups)
	}
	if c.depths != nil {
		features = c.depths.Keep(features, n.depth)
	}
	return features
}
