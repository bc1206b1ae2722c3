package grow

import (
	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/kernel/scan"
	"boost/parallel"
	"boost/tree"
)

// Config is what a Grower works on.
type Config struct {
	Matrix   *binning.Matrix
	Mirror   *binning.RowMajor // may be nil
	Lists    *histogram.Lists  // of the mirror, may be nil
	Features []binning.Feature // of the matrix, in its order
	Pool     *parallel.Pool
	Strategy histogram.Strategy
	// Direct keeps sums of the features that can be split only: the matrix is in the
	// layout "csr" and gradients are integers. See histogram.DirectPays.
	Direct bool
	Params Params
	// LearningRate scales leaf values, after MaxStep has bounded them; 0 = no bound.
	LearningRate float64
	MaxStep      float64
	Seed         uint64
	// Renew takes leaf values from the gradients themselves instead of their codes.
	Renew bool
	// Verify checks S2.26 at every node and fails on the first difference.
	Verify bool
}

// Grower grows the trees of one training run, one at a time, and reuses its memory:
// 8 bytes per row, one histogram per leaf, per worker 512 KiB, and what its splitters take.
//
// Nodes with many rows are split by all workers together, in passes over rows and features
// (splitter all); those with few side by side, each by one worker that others help (frontier).
type Grower struct {
	config  Config
	nested  *parallel.Pool // for passes that a step runs by itself
	offsets []uint32
	shapes  []shape     // of the features
	spans   []scan.Span // of their sums
	widest  int         // codes of the feature that has the most
	hists   *histogram.Pool
	rows    rowSets
	renewal *renewal // nil: leaf values come from codes
	columns columnSampler
	reuse   *reuse // nil: what trees before have used makes no difference
	all     *splitter
	front   frontier
	scoring scoreTask

	// The tree that is grown.
	storage *gradients.Storage
	rule    scan.Rule
	round   int
	output  int
	nodes   []node // the root is the first
	nNodes  int
	active  []int // its features
	codes   int   // of these
	made    tree.Tree
	leaves  []int32 // nodes by leaf number
	sizes   sums    // of the root's floats, where they are verified
	err     error
	growing bool // what a panic leaves behind would be added to the next tree's sums
}

// node is a node of the tree: a leaf, or one that is split or may turn out to be.
type node struct {
	rows  int
	depth int
	total sums
	part  float64    // the node's own part of a gain, while it is searched
	rule  *scan.Rule // that it is searched by
	hist  *histogram.Histogram
	sums  *histogram.NodeSums // in a direct search; nil once they are of no more use
	kept  bool                // the sums are kept until the node is split
	best  candidate
	set   []uint32 // codes that go left, where best is categorical
	// nothingMissing reports that the codes of rows with the best feature's missing code add
	// up to nothing.
	nothingMissing bool
	extraL2        float64 // of the categorical split that made the node

	state       state
	recorded    bool  // it is a split of the tree
	last        bool  // its split is the tree's last: the children are not searched
	isRight     bool  // child of its parent
	up          int   // its parent, -1 for the root
	parent      int32 // number of the parent among the tree's splits, -1 for the root
	left, right int   // children, once a worker has taken it
}

// state is how far a node is.
type state uint8

const (
	open     state = iota // its best split is known, if it has one
	busy                  // a worker splits it
	expanded              // its children are known; they are the tree's once it is their turn
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

// New returns a Grower.
func New(c Config) *Grower {
	g := &Grower{
		config:  c,
		nested:  c.Pool.Nested(),
		offsets: c.Matrix.Offsets(),
		leaves:  make([]int32, 0, c.Params.Leaves),
	}
	for f := range c.Matrix.NFeatures() {
		g.widest = max(g.widest, int(g.offsets[f+1]-g.offsets[f]))
	}
	g.shapes, g.spans = shapesOf(c.Features, c.Matrix)
	g.hists = histogram.NewPool()
	g.columns.init(c)
	g.reuse = newReuse(&c.Params, c.Features)
	g.nodes = make([]node, c.maxNodes(c.Pool.Threads()))
	g.rows.init(c.Matrix.NRows(), len(g.nodes), c.Pool.Threads())
	g.all = newSplitter(g, g.nested, c.Strategy)
	if c.Renew {
		g.renewal = newRenewal(g, c.Params.Leaves, c.Pool.Threads())
	}
	g.front.init(g)
	return g
}

// Grow returns the tree of one round and output. bag may be nil for all rows. The
// tree's leaf values are scaled by the learning rate.
func (g *Grower) Grow(st *gradients.Storage, bag *gradients.Bag, round, output int) (tree.Tree, error) {
	g.storage, g.round, g.output = st, round, output
	g.rule = g.ruleOf(st)
	g.active = g.columns.tree(round, output)
	g.codes = g.slotsOf(g.active)
	g.made = newTree(g.config.Params.Leaves)
	if g.growing {
		panic("grow: a tree after one that a panic has left half grown")
	}
	g.growing = true
	g.err, g.nNodes, g.leaves = nil, 0, g.leaves[:0]
	g.front.begin()
	g.all.begin(bag)
	g.config.Pool.DoSeries((*passes)(g.all))
	g.growing = false
	g.all.end()
	if g.err == nil {
		g.err = g.all.failed
	}
	if g.err != nil {
		return tree.Tree{}, g.err
	}
	t := g.finish()
	g.storage = nil
	return t, nil
}

// newNode returns the number of a node that is not used yet, and the node with nothing but the memory of
// its set.
func (g *Grower) newNode() (at int, n *node) {
	at = g.nNodes
	g.nNodes++
	n = &g.nodes[at]
	*n = node{set: n.set[:0], up: -1, parent: -1}
	return at, n
}

// ruleOf translates the parameters to the storage's codes.
func (g *Grower) ruleOf(st *gradients.Storage) scan.Rule {
	p, scales := g.config.Params, st.Params()
	r := scan.Rule{
		L1: p.LambdaL1, L2: p.LambdaL2, MinChild: p.MinChildWeight,
		GradScale: scales.GradScale, GradOffset: scales.GradOffset, HessScale: scales.HessScale,
		MinRows: uint64(max(p.MinDataInLeaf, 1)),
	}
	if st.Mode() != gradients.F32 {
		r.ProofHess = (r.MinRows - 1) * st.Mode().MaxHessCode()
		if r.EqualHess = st.EqualHessians(); r.EqualHess {
			r.LeastSide = r.ProofHess + 1
		}
	}
	return r
}

func (a sums) minus(b sums) sums {
	return sums{a.grad - b.grad, a.hess - b.hess, a.gradF - b.gradF, a.hessF - b.hessF, a.rows - b.rows}
}

// codes returns the sums of codes, in integer modes.
func (a sums) codes() histogram.Total { return histogram.Total{Grad: a.grad, Hess: a.hess} }

// value returns a sum of gradients and of hessians dequantized.
func (g *Grower) value(s sums) (grad, hess float64) {
	if g.storage.Mode() == gradients.F32 {
		return s.gradF, s.hessF
	}
	grad = float64(float64(s.grad)*g.rule.GradScale) + float64(float64(s.rows)*g.rule.GradOffset)
	return grad, float64(float64(s.hess) * g.rule.HessScale)
}
