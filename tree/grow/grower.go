package grow

import (
	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/kernel/hist"
	"boost/internal/kernel/scan"
	"boost/parallel"
	"boost/tree"
)

// Config is what a Grower works on.
type Config struct {
	Matrix   *binning.Matrix
	Mirror   *binning.RowMajor // may be nil
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
	// Verify checks SEEDS S2.26 at every node and fails on the first difference.
	Verify bool
}

// Grower grows the trees of one training run, one at a time, and reuses its memory:
// 8 bytes per row, one histogram per leaf, and per worker 512 KiB.
type Grower struct {
	config  Config
	within  *parallel.Pool // for passes that a step runs by itself
	offsets []uint32
	widest  int // codes of the feature that has the most
	builder *histogram.Builder
	direct  *histogram.Direct // adds up rows without flat histograms; then hists is not used
	hists   *histogram.Pool
	rows    rowSets
	renewal *renewal // nil: leaf values come from codes
	columns columnSampler
	reuse   *reuse // nil: what trees before have used makes no difference

	storage *gradients.Storage
	rule    scan.Rule
	round   int
	output  int
	leaves  []leaf // by leaf number
	active  []int  // features of this tree
	made    tree.Tree
	bag     *gradients.Bag
	nLeaves int
	sizes   sums // of the root's floats, where they are verified

	// The passes over rows and features that the tree is grown by; see passes.go.
	then    step
	growing bool // what a panic leaves behind would be added to the next tree's sums
	err     error

	// The split in turn.
	at, next  int                  // the leaf that is split, and the number of its right child
	streaming bool                 // rows of one side, or of the root, are added up as they are found
	right     bool                 // it is the right side
	last      bool                 // the tree's last split
	built     *histogram.Histogram // of the side that is added up
	tiles     int                  // in which the search completes it

	// The search of one or two sibling leaves; see search.go.
	siblings   [2]int
	nSiblings  int
	chunk      int // features of a task
	larger     int // sibling whose histogram is still its parent's; -1 for the root
	smaller    int
	subtracted bool   // the larger one's histogram is its own already
	sibling    int    // that a direct search is about
	dead       []bool // of its features, those that cannot be split any more
	features   []int  // of a direct search
	candidates [2][]candidate
	has        [2][]bool // the features that have a candidate
	allowed    [2][]int
	sampled    [2][]int // memory of allowed
	codes      int      // of the active features
	workers    []searchScratch
	counts     []uint32
	left       []uint8
}

// leaf is a node that has not been split.
type leaf struct {
	rows  int
	depth int
	total sums
	part  float64 // the leaf's own part of a gain, while it is searched
	hist  *histogram.Histogram
	sums  *histogram.Sums // in a direct search; nil once they are of no more use
	kept  bool            // the sums are kept until the leaf is split
	best  candidate
	set   []uint32 // codes that go left, where best is categorical
	// nothingMissing says that the codes of rows with the best feature's missing code add
	// up to nothing.
	nothingMissing bool
	extraL2        float64 // of the categorical split that made the leaf
	parent         int32   // split node, -1 for the root
	isRight        bool
}

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
	within := c.Pool.Within()
	g := &Grower{
		config:  c,
		within:  within,
		offsets: c.Matrix.Offsets(),
		builder: histogram.New(c.Matrix, c.Mirror, within, c.Strategy),
		leaves:  make([]leaf, c.Params.Leaves),
		workers: make([]searchScratch, c.Pool.Threads()),
	}
	g.hists = histogram.NewPool(g.builder.Slots())
	if c.Direct {
		g.direct = histogram.NewDirect(c.Matrix, within)
	}
	g.rows.init(c.Matrix.NRows(), c.Params.Leaves, c.Pool.Threads())
	if c.Renew {
		g.renewal = newRenewal(&g.rows, c.Params.Leaves, c.Pool.Threads())
	}
	for s := range g.candidates {
		g.candidates[s] = make([]candidate, c.Matrix.NFeatures())
		g.has[s] = make([]bool, c.Matrix.NFeatures())
	}
	for f := range c.Matrix.NFeatures() {
		g.widest = max(g.widest, int(g.offsets[f+1]-g.offsets[f]))
	}
	for w := range g.workers {
		g.workers[w].gains = make([]float64, c.Matrix.NFeatures())
	}
	g.columns.init(c)
	g.reuse = newReuse(&c.Params, c.Features)
	return g
}

// Grow returns the tree of one round and output. bag may be nil for all rows. The
// tree's leaf values are scaled by the learning rate.
func (g *Grower) Grow(st *gradients.Storage, bag *gradients.Bag, round, output int) (tree.Tree, error) {
	g.storage, g.round, g.output = st, round, output
	g.rule = g.ruleOf(st)
	g.active = g.columns.tree(round, output)
	g.codes = g.slotsOf(g.active)
	g.builder.SetFeatures(g.active)
	g.made = newTree(g.config.Params.Leaves)
	if g.growing {
		panic("grow: a tree after one that a panic has left half grown")
	}
	g.growing = true
	g.bag, g.nLeaves, g.err = bag, 1, nil
	g.then = (*Grower).plantRoot
	g.config.Pool.DoSeries((*passes)(g))
	g.growing, g.bag, g.rows.bag, g.built = false, nil, nil, nil
	if g.err != nil {
		return tree.Tree{}, g.err
	}
	t := g.finish()
	g.storage = nil
	return t, nil
}

// build begins to add up the rows of a leaf. It returns how many tiles of its histogram are
// left to the search, 0 for none, and whether they are not worth waking workers.
func (g *Grower) build(at int) (tiles int, alone bool) {
	l := &g.leaves[at]
	alone = g.builder.Strategy() == histogram.Sequential ||
		l.rows*len(g.active)+updatesPerCode*g.nSiblings*g.codes < smallTiles
	return g.builder.Tiles(l.hist, g.storage, g.rows.runs(at), l.total.codes(), alone), alone
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
		r.EqualHess = st.EqualHessians()
	}
	return r
}

// plantRoot makes the root the only leaf.
func (g *Grower) plantRoot() pass {
	root := &g.leaves[0]
	*root = leaf{rows: g.config.Matrix.NRows(), parent: -1, set: root.set[:0]}
	if g.bag != nil {
		root.rows = g.bag.Len()
	}
	canSplit := g.canSplit(root)
	g.siblings[0], g.nSiblings, g.smaller, g.larger = 0, 1, 0, -1
	g.streaming = canSplit && g.streams(root.rows) && g.even(min(g.rows.rows, hist.BlockRows), g.rows.rows)
	if canSplit && g.direct == nil {
		root.hist = g.hists.Get()
	}
	n, task := g.rows.start(g.storage, g.bag, g.stream(root.hist, g.streaming, false))
	return pass{n: n, task: task, then: (*Grower).searchRoot}
}

// searchRoot begins to search the root, whose rows are found.
func (g *Grower) searchRoot() pass {
	root := &g.leaves[0]
	root.total = g.rows.total(g.storage, g.within)
	if g.verifying() {
		if g.err = g.verifyRows(0); g.err != nil {
			return pass{}
		}
	}
	switch {
	case !g.canSplit(root):
		return pass{}
	case g.direct != nil:
		g.addUp(0)
		g.err = g.searchDirect()
		return g.splitBest()
	}
	return g.buildAndSearch(0)
}

// streams says whether a leaf of about so many rows is added up while its rows are found.
func (g *Grower) streams(rows int) bool {
	return g.direct == nil && g.builder.Streams(g.storage, rows)
}

// stream begins the histogram of such a leaf, and returns what its rows are given to.
func (g *Grower) stream(hist *histogram.Histogram, streams, right bool) adder {
	if !streams {
		return adder{}
	}
	g.builder.Stream(hist, g.storage)
	return adder{g.builder, right}
}

// streamedSide says whether the side of a split that seems to have fewer rows, by its part of
// the hessians, is added up while the rows are divided, and whether it is the right one.
func (g *Grower) streamedSide(at int) (streams, right bool) {
	l := &g.leaves[at]
	if p := &g.config.Params; p.MaxDepth > 0 && l.depth+1 >= p.MaxDepth || l.total.hess == 0 {
		return false, false
	}
	left := float64(l.best.left.hess) / float64(l.total.hess)
	right = left > 0.5
	return g.streams(int(float64(l.rows)*min(left, 1-left))) && g.even(g.rows.most(at), l.rows), right
}

// even says that a leaf with so many rows at most in a block has no block whose worker ends long
// after the others. Where the table is in an order that splits follow, or its last block is short,
// rows that are cut into pieces of one size are faster.
func (g *Grower) even(most, rows int) bool { return 2*most*g.config.Pool.Threads() <= 3*rows }

// buildAndSearch adds up the rows of a leaf, unless they have been when they were found, and
// begins to subtract them from its parent's, which its sibling takes over, and to search both.
func (g *Grower) buildAndSearch(at int) pass {
	tiles, alone := 0, false
	if g.streaming {
		tiles = g.builder.EndStream(g.leaves[at].rows, g.leaves[at].total.codes())
	} else {
		tiles, alone = g.build(at)
	}
	if g.larger >= 0 {
		g.leaves[g.larger].hist.Subtracting(g.leaves[at].hist, g.leaves[g.larger].rows)
	}
	if larger := g.larger; larger >= 0 && tiles == 0 {
		hist := g.leaves[larger].hist
		if !g.storage.Counts() && !hist.Partial() && g.builder.Few(g.leaves[larger].rows) {
			g.builder.Narrow(hist, g.leaves[at].hist, g.storage)
			g.subtracted = true
		}
	}
	return g.search(tiles, alone)
}

// canSplit says whether a leaf is worth a search at all.
func (g *Grower) canSplit(l *leaf) bool {
	p := &g.config.Params
	return (p.MaxDepth <= 0 || l.depth < p.MaxDepth) &&
		l.rows >= 2*max(p.MinDataInLeaf, 1) && len(g.active) > 0
}

// bestLeaf returns the leaf whose split counts for most, the lowest number among equal
// ones; -1 if none can be split.
func (g *Grower) bestLeaf(nLeaves int) int {
	at := -1
	for i := range g.leaves[:nLeaves] {
		if l := &g.leaves[i]; l.best.found && (at < 0 || l.best.score > g.leaves[at].best.score) {
			at = i
		}
	}
	return at
}

// splitBest begins to split the best leaf, if the tree may have another one.
func (g *Grower) splitBest() pass {
	if g.err != nil || g.nLeaves == g.config.Params.Leaves {
		return pass{}
	}
	at := g.bestLeaf(g.nLeaves)
	if at < 0 {
		return pass{}
	}
	parent := &g.leaves[at]
	table := g.table(parent) // settles where missing rows go
	g.at, g.next, g.last = at, g.nLeaves, g.nLeaves+1 == g.config.Params.Leaves
	g.nLeaves++
	g.streaming, g.right, g.built = false, false, nil
	if g.direct == nil && !g.last {
		g.built = g.hists.Get()
		g.streaming, g.right = g.streamedSide(at)
	}
	n, task, alone := g.rows.split(at, g.next, table, g.stream(g.built, g.streaming, g.right))
	return pass{n: n, task: task, alone: alone, then: (*Grower).divided}
}

// divided turns the leaf whose rows are divided into a split node, and begins to search its
// children. The left child keeps the leaf's number, the right child becomes leaf next.
func (g *Grower) divided() pass {
	at, next := g.at, g.next
	parent := &g.leaves[at]
	best := parent.best
	leftRows, missingRows := g.rows.endSplit()
	rightRows := parent.rows - leftRows
	if !missingRows {
		best.missingLeft = leftRows >= rightRows
	}
	node := g.record(parent, at, next, best)
	leftSums := best.left
	rightSums := parent.total.minus(leftSums)
	depth, hist, kept := parent.depth+1, parent.hist, directParent{parent.sums, parent.kept}
	extraL2 := 0.0
	if best.grouped() {
		extraL2 = g.config.Params.CatL2
	}
	l, r := &g.leaves[at], &g.leaves[next]
	*l = leaf{rows: leftRows, depth: depth, total: leftSums, extraL2: extraL2, parent: node, set: l.set[:0]}
	*r = leaf{rows: rightRows, depth: depth, total: rightSums, extraL2: extraL2, parent: node, isRight: true, set: r.set[:0]}

	last := g.last || !g.canSplit(l) && !g.canSplit(r) && !g.streaming
	g.siblings, g.nSiblings = [2]int{at, next}, 2
	g.smaller, g.larger, g.subtracted = at, next, false
	if g.streaming && g.right || !g.streaming && rightRows < leftRows {
		g.smaller, g.larger = next, at
	}
	if g.verifying() {
		if g.err = g.verifySiblings(); g.err != nil {
			return pass{}
		}
	}
	if g.direct != nil {
		g.err = g.divide(kept, last)
		return g.splitBest()
	}
	if last {
		g.hists.Put(hist)
		if g.built != nil {
			g.hists.Put(g.built)
		}
		return g.splitBest()
	}
	g.leaves[g.larger].hist = hist
	g.leaves[g.smaller].hist = g.built
	return g.buildAndSearch(g.smaller)
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
