package grow

import (
	"boost/gradients"
	"boost/histogram"
	"boost/internal/kernel/hist"
	"boost/internal/kernel/scan"
	"boost/parallel"
)

// splitter splits nodes, one at a time: it divides their rows, adds up those of one child, takes
// these sums away from the parent's for the other, and searches both. It has all workers of a
// pool for that, or is one of several that have a worker each and those that have nothing to split.
//
// Memory: per worker a histogram builder's scratch; two candidates for each feature.
type splitter struct {
	*Grower
	pool     parallel.Runner // for passes that a step runs by itself
	crew     *parallel.Crew  // of a splitter with a worker of its own
	worker   int             // that, or the first of all
	builder  *histogram.Builder
	direct   *histogram.SparseSums // adds up rows without flat histograms; then there are none
	division division
	sampler  columnSampler // with memory of its own
	then     step
	failed   error

	// The split in turn.
	at        int  // the node
	last      bool // it is the tree's last split
	streaming bool // rows of one side, or of the root, are added up as they are found
	right     bool // it is the right side
	built     *histogram.Histogram
	tiles     int // in which the search completes it

	// The search of one or two siblings; see search.go.
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
	scores     [2][]float64 // of the candidates, by feature; none without one
	isBound    [2][]bool    // the score is a bound, and the candidate still to be made
	rules      [2]scan.Rule // that they are searched by
	packed     [2]scan.Packed
	allowed    [2][]int
	sampled    [2][]int // memory of allowed
	workers    []searchScratch
	counts     []uint32
	left       []uint8
}

// newSplitter returns a splitter with the workers of a pool, or of a crew.
func newSplitter(g *Grower, pool parallel.Runner, strategy histogram.Strategy) *splitter {
	c := &g.config
	n := c.Matrix.NFeatures()
	s := &splitter{
		Grower: g, pool: pool, builder: histogram.New(c.Matrix, c.Mirror, pool, strategy),
		sampler: g.columns, workers: make([]searchScratch, pool.Threads()),
	}
	s.builder.UseLists(c.Lists)
	if c.Direct {
		s.direct = histogram.NewSparseSums(c.Matrix, c.Pool.Nested())
	}
	if s.crew, _ = pool.(*parallel.Crew); s.crew != nil {
		s.worker = s.crew.Worker()
	}
	s.division.init(&g.rows)
	for i := range s.candidates {
		s.candidates[i], s.scores[i] = make([]candidate, n), make([]float64, n)
		s.isBound[i] = make([]bool, n)
	}
	for w := range s.workers {
		s.workers[w].gains, s.workers[w].bounds = make([]float64, n), make([]float32, n)
	}
	return s
}

// begin makes the splitter ready for a tree, whose rows are those of a bag.
func (s *splitter) begin(bag *gradients.Bag) {
	s.builder.SetFeatures(s.active)
	s.division.bag, s.failed, s.then = bag, nil, (*splitter).initRoot
}

// end lets go of what only the tree needed.
func (s *splitter) end() { s.division.bag, s.built = nil, nil }

// splitAlone splits a node in the worker that calls it, with those of its crew.
func (s *splitter) splitAlone(at int, last bool) {
	p := s.split(at, last)
	if s.nodes[at].rows < smallDivide {
		p.run(s.worker)
	} else {
		s.pool.Do(p.n, p.task)
	}
	for p.then != nil {
		if p = p.then(s); !p.alone {
			s.pool.Do(p.n, p.task)
			continue
		}
		p.run(0) // what is made alone is the first worker's
	}
}

// smallDivide is the number of rows below which dividing them is not shared with a worker that spins. It is a
// variable for tests.
var smallDivide = 2048

// initRoot makes the root the only leaf.
func (s *splitter) initRoot() pass {
	at, root := s.newNode()
	s.leaves = append(s.leaves, int32(at))
	root.rows = s.config.Matrix.NRows()
	if s.division.bag != nil {
		root.rows = s.division.bag.Len()
	}
	canSplit := s.canSplit(root)
	s.siblings[0], s.nSiblings, s.smaller, s.larger = at, 1, at, -1
	most := s.rows.stretch
	if s.division.bag != nil {
		most = hist.BlockRows
	}
	s.streaming = canSplit && s.streams(root.rows) && s.even(min(s.rows.rows, most), s.rows.rows)
	if canSplit && s.direct == nil {
		root.hist = s.hists.Get()
	}
	n, task := s.division.start(s.storage, s.stream(root.hist, s.streaming, false))
	return pass{n: n, task: task, then: (*splitter).searchRoot}
}

// searchRoot begins to search the root, whose rows are found.
func (s *splitter) searchRoot() pass {
	root := &s.nodes[0]
	root.total = s.division.total(s.storage)
	if s.verifying() {
		if s.failed = s.verifyRows(0); s.failed != nil {
			return pass{}
		}
	}
	switch {
	case !s.canSplit(root):
		return pass{}
	case s.direct != nil:
		s.addUp(0)
		s.failed = s.searchDirect()
		return s.goOn()
	}
	return s.buildAndSearch(0)
}

// goOn goes on when a node is split, or the root is searched.
func (s *splitter) goOn() pass {
	if s != s.all || s.failed != nil {
		return pass{}
	}
	return s.front.goOn()
}

// streams reports whether a node of about so many rows is added up while its rows are found.
func (s *splitter) streams(rows int) bool {
	return s.direct == nil && s.crew == nil && s.builder.Streams(s.storage, rows)
}

// stream begins the histogram of such a node, and returns what its rows are given to.
func (s *splitter) stream(hist *histogram.Histogram, streams, right bool) adder {
	if !streams {
		return adder{}
	}
	s.builder.Stream(hist, s.storage)
	return adder{s.builder, right}
}

// streamedSide reports whether the side of a split that seems to have fewer rows, by its part of
// the hessians, is added up while the rows are divided, and whether it is the right one.
func (s *splitter) streamedSide(at int) (streams, right bool) {
	l := &s.nodes[at]
	if p := &s.config.Params; p.MaxDepth > 0 && l.depth+1 >= p.MaxDepth || l.total.hess == 0 {
		return false, false
	}
	left := float64(l.best.left.hess) / float64(l.total.hess)
	right = left > 0.5
	return s.streams(int(float64(l.rows)*min(left, 1-left))) && s.even(s.rows.most(at), l.rows), right
}

// even reports that a node with so many rows at most in a run has no run whose worker ends long
// after the others. Where the table is in an order that splits follow, or its last block is short,
// rows that are cut into pieces of one size are faster.
func (s *splitter) even(most, rows int) bool { return 2*most*s.pool.Threads() <= 3*rows }

// split begins to split a node, which has numbers for its children.
func (s *splitter) split(at int, last bool) pass {
	s.at, s.last = at, last
	parent := &s.nodes[at]
	table := s.table(parent) // settles where missing rows go
	s.streaming, s.right, s.built = false, false, nil
	if s.direct == nil && !last {
		s.built = s.hists.Get()
		s.streaming, s.right = s.streamedSide(at)
	}
	n, task, alone := s.division.split(at, parent.left, parent.right, table, s.stream(s.built, s.streaming, s.right))
	return pass{n: n, task: task, alone: alone, then: (*splitter).finishSplit}
}

// finishSplit makes the children of the node whose rows are divided, and begins to search them.
func (s *splitter) finishSplit() pass {
	parent := &s.nodes[s.at]
	leftRows, missingRows := s.division.endSplit()
	rightRows := parent.rows - leftRows
	if !missingRows {
		parent.best.missingLeft = leftRows >= rightRows
	}
	hist, kept := parent.hist, directParent{parent.sums, parent.kept}
	parent.hist, parent.sums = nil, nil
	extraL2 := 0.0
	if parent.best.grouped() {
		extraL2 = s.config.Params.CatL2
	}
	l, r := &s.nodes[parent.left], &s.nodes[parent.right]
	l.rows, l.total = leftRows, parent.best.left
	r.rows, r.total = rightRows, parent.total.minus(l.total)
	for _, child := range []*node{l, r} {
		child.depth, child.extraL2 = parent.depth+1, extraL2
	}
	last := s.last || !s.canSplit(l) && !s.canSplit(r) && !s.streaming
	s.siblings, s.nSiblings = [2]int{parent.left, parent.right}, 2
	s.smaller, s.larger, s.subtracted = parent.left, parent.right, false
	if s.streaming && s.right || !s.streaming && rightRows < leftRows {
		s.smaller, s.larger = s.larger, s.smaller
	}
	if s.verifying() {
		if s.failed = s.verifySiblings(); s.failed != nil {
			return pass{}
		}
	}
	switch {
	case s.direct != nil:
		s.failed = s.divide(kept, last)
		return s.goOn()
	case last:
		s.hists.Put(hist)
		if s.built != nil {
			s.hists.Put(s.built)
		}
		return s.goOn()
	}
	s.nodes[s.larger].hist, s.nodes[s.smaller].hist = hist, s.built
	return s.buildAndSearch(s.smaller)
}

// buildAndSearch adds up the rows of a node, unless they have been when they were found, and
// begins to subtract them from its parent's, which its sibling takes over, and to search both.
func (s *splitter) buildAndSearch(at int) pass {
	tiles, alone := 0, false
	if s.streaming {
		tiles = s.builder.EndStream(s.nodes[at].rows, s.nodes[at].total.codes())
	} else {
		tiles, alone = s.build(at)
	}
	if s.larger >= 0 {
		larger, smaller := &s.nodes[s.larger], &s.nodes[at]
		larger.hist.Subtracting(smaller.hist, larger.rows)
		if tiles == 0 && !s.storage.Counts() && !larger.hist.IsSparse() && s.builder.IsSparseNode(larger.rows) {
			s.builder.SubtractSparse(larger.hist, smaller.hist, s.storage)
			s.subtracted = true
		}
	}
	return s.search(tiles, alone)
}

// build begins to add up the rows of a node. It returns how many tiles of its histogram are
// left to the search, 0 for none, and whether they are not worth waking workers.
func (s *splitter) build(at int) (tiles int, alone bool) {
	l := &s.nodes[at]
	small := smallTiles
	if s.crew != nil {
		small = smallShare
	}
	alone = s.builder.Strategy() == histogram.Sequential || s.crew != nil && !s.crew.Idle() ||
		l.rows*len(s.active)+updatesPerCode*s.nSiblings*s.codes < small
	return s.builder.Tiles(l.hist, s.storage, s.rows.runs(at), l.total.codes(), alone), alone
}

// canSplit reports whether a node is worth a search at all.
func (g *Grower) canSplit(l *node) bool {
	p := &g.config.Params
	return (p.MaxDepth <= 0 || l.depth < p.MaxDepth) &&
		l.rows >= 2*max(p.MinDataInLeaf, 1) && len(g.active) > 0
}
