package grow

import (
	"boost/gradients"
	"boost/histogram"
)

// node is a node of the tree: a leaf, or one that is split or may turn out to be.
type node struct {
	rows  int
	depth int
	total sums
	hist  *histogram.Histogram
	sums  *histogram.NodeSums // in a sparse search; nil once they are of no more use
	kept  bool                // the sums are kept until the node is split
	best  candidate
	set   []uint32 // codes that go left, where best is categorical
	missingRows
	sideValues [2]float64 // of the sides of best, in the advanced method
	extraL2    float64    // of the categorical split that made the node
	inherited

	state       state
	recorded    bool  // it is a split of the tree
	last        bool  // its split is the tree's last: the children are not searched
	isRight     bool  // child of its parent
	up          int   // its parent, noNode for the root
	parent      int32 // number of the parent among the tree's splits, -1 for the root
	left, right int   // children, once a worker has taken it
}

// missingRows is what is known of rows with the missing code of the best feature.
type missingRows struct {
	// missingSumIsZero reports whether the codes of these rows add up to nothing.
	missingSumIsZero bool
	// noMissing reports whether, moreover, there are none: every row of the node has a hessian code above 0.
	noMissing bool
	// someMissing reports whether the split has found some.
	someMissing bool
}

// inherited is what a node has of the way from the root to it, where constraints ask for it.
type inherited struct {
	low, high float64 // limits of the values below
	value     float64 // the node's own, if it were a leaf, before the learning rate
	forced    forcedSplit
	groups    []uint64 // bits of the groups of Params.Interaction that hold all that the way splits on
	path      uint64   // a number for the way, from which columns and splits are drawn
}

// noNode is the number of no node.
const noNode = -1

// state is how far a node is.
type state uint8

const (
	open     state = iota // its best split is known, if it has one
	busy                  // a worker splits it
	expanded              // its children are known; they become the tree's when it is the best leaf
	stale                 // a worker searches it again, because its bounds have changed
)

// sums are totals of gradients and hessians, of codes in the integer modes and of
// values in mode F32.
type sums struct {
	grad  int64
	hess  uint64
	gradF float64
	hessF float64
	rows  int64 // where codes have an offset, else 0
}

func (a sums) minus(b sums) sums {
	return sums{a.grad - b.grad, a.hess - b.hess, a.gradF - b.gradF, a.hessF - b.hessF, a.rows - b.rows}
}

// codes returns the sums of codes, in integer modes.
func (a sums) codes() histogram.Total { return histogram.Total{Grad: a.grad, Hess: a.hess} }

// value returns a sum of gradients and of hessians dequantized.
func (t *growth) value(s sums) (grad, hess float64) {
	if t.storage.Mode() == gradients.F32 {
		return s.gradF, s.hessF
	}
	grad = float64(float64(s.grad)*t.rule.GradScale) + float64(float64(s.rows)*t.rule.GradOffset)
	return grad, float64(float64(s.hess) * t.rule.HessScale)
}

// newNode returns the number of a node that is not used yet, and the node with nothing but the memory of
// its set.
func (t *growth) newNode() (at int, n *node) {
	at = t.nNodes
	t.nNodes++
	n = &t.nodes[at]
	*n = node{set: n.set[:0], inherited: inherited{groups: n.groups[:0]}, up: noNode, parent: -1}
	return at, n
}

// canSplit reports whether a node is worth a search at all.
func (g *Grower) canSplit(n *node) bool {
	p := &g.config.Params
	return (p.MaxDepth <= 0 || n.depth < p.MaxDepth) &&
		g.canSplitRows(n.rows) && len(g.active) > 0
}

// canSplitRows reports whether so many rows are enough for two leaves.
func (g *Grower) canSplitRows(rows int) bool { return rows >= 2*max(g.config.Params.MinDataInLeaf, 1) }
