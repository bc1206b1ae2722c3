package grow

import (
	"boost/histogram"
	"boost/internal/comm"
	"boost/internal/kernel/scan"
)

// Where rows are spread over ranks, each rank grows the same tree: numbers of rows and sums of nodes are those of all ranks, while
// lists of rows are its own. What a rank finds of its rows is added up over the ranks before anything is decided by it:
//
//	root          number of rows, sums         searchRoot
//	split         rows that go left            shareSplit
//	histogram     the smaller child's sums     buildHere; where there are many, each rank has those of its features (shares)
//	count         rows by code of a feature    countAll
//
// All ranks make these calls in the same order, because the decisions between them follow from sums of all.

// rootOfAll adds the root's rows and sums up over the ranks.
func (s *split) rootOfAll(root *node) {
	t := &root.total
	own := [4]uint64{uint64(root.rows), uint64(t.grad), t.hess, uint64(t.rows)}
	s.config.Ranks.Sum(own[:])
	root.rows, t.grad, t.hess, t.rows = int(own[0]), int64(own[1]), own[2], int64(own[3])
}

// buildsAhead reports whether the histogram of a child is built before it is known how many rows of all ranks it has: both are added up in one
// call.
func (s *split) buildsAhead() bool { return s.shares != nil && s.config.Ranks.Shared() && !s.last }

// shareSplit goes on with a split, of which so many of this rank's rows have gone left and some have the missing code.
func (s *split) shareSplit(leftRows int, missingRows bool) pass {
	s.divided = [...]uint64{uint64(leftRows), uint64(s.at) << 32}
	if missingRows {
		s.divided[1]++
	}
	if s.buildsAhead() { // of the child that seems to have fewer rows, by its part of the hessians
		parent := &s.nodes[s.at]
		s.smaller, s.larger = parent.left, parent.right
		if left := parent.best.left.hess; left > parent.total.hess-left {
			s.smaller, s.larger = s.larger, s.smaller
		}
		return s.buildHere(s.built, parent.rows)
	}
	s.config.Ranks.Sum(s.divided[:])
	if s.err = s.config.Ranks.Err(); s.err != nil {
		return pass{}
	}
	return s.makeChildren(int(s.divided[0]), uint32(s.divided[1]) > 0)
}

// buildHere begins to add up this rank's rows of the smaller child, which has at most so many of all ranks.
func (s *split) buildHere(hist *histogram.Histogram, most int) pass {
	runs, own := s.rows.runs(s.smaller), s.rows.count(s.smaller)
	s.builder.Beside(most - own)
	alone := s.builder.Strategy() == histogram.Sequential || own*len(s.active) < smallTiles
	s.tiles = s.builder.Tiles(hist, s.storage, runs, histogram.TotalOf(s.storage, runs), alone)
	if s.shares != nil && !s.storage.Counts() && s.shares.ahead.Worth(most, len(s.active)) {
		s.shares.ahead.Begin(s.tiles, s.builder.Touches, func(parts []comm.Part, wait func(int)) {
			s.divided = hist.AddShares(s.config.Ranks, s.storage, parts, wait, s.divided)
		})
	}
	if s.tiles == 0 {
		return s.addRanks()
	}
	return pass{n: s.tiles, task: (*hereTask)(s), alone: alone, then: (*split).addRanks}
}

// hereTask makes a tile of a histogram of this rank's rows.
type hereTask split

func (t *hereTask) Run(worker, i int) {
	if t.shares != nil && t.shares.ahead.Going() {
		t.shares.ahead.Tile(i, func(tile int) { t.builder.Tile(worker, tile) })
		return
	}
	t.builder.Tile(worker, i)
}

// addRanks adds the smaller child's histogram up over the ranks, and begins to search.
func (s *split) addRanks() pass {
	if s.tiles > 0 {
		s.builder.EndTiles()
		s.tiles = 0
	}
	if s.shares != nil {
		return pass{exchange: exchangeSums, then: (*split).addedRanks}
	}
	s.nodes[s.smaller].hist.AddRanks(s.config.Ranks, s.storage)
	s.err = s.config.Ranks.Err()
	return s.addedRanks()
}

// addedRanks goes on when the sums of the smaller child are those of all ranks.
func (s *split) addedRanks() pass {
	switch {
	case s.err != nil:
		return pass{}
	case s.at != noNode && s.shares != nil:
		return s.makeChildren(int(s.divided[0]), uint32(s.divided[1]) > 0)
	}
	return s.searchShared()
}

// searchShared begins to search children whose smaller one has the sums of all ranks.
func (s *split) searchShared() pass {
	smaller := &s.nodes[s.smaller]
	if s.shares != nil {
		own := s.shares.parts[s.config.Ranks.Rank()]
		smaller.hist.Pack(s.storage, smaller.rows, own.From, own.To)
	}
	if s.larger != noNode {
		larger := &s.nodes[s.larger]
		larger.hist.Subtracting(smaller.hist, larger.rows)
	}
	return s.search(false)
}

// countAll adds up over the ranks how many rows of a node have each code of a feature.
func (q *search) countAll(f int, own []uint32) []uint32 {
	ranks := q.config.Ranks
	if !ranks.Shared() {
		return own
	}
	n := len(own)
	q.allCounts = append(append(q.allCounts[:0], own...), uint32(f), uint32(q.at))
	ranks.Sum32(q.allCounts)
	ranks.Fail(q.checkCounts(f, q.allCounts[n:]))
	return q.allCounts[:n:n]
}

// agree makes the spans of all ranks those of the first, as far as they were found on its rows, and has packed sums searched as such only
// where all do it in the same form: which features are counted depends on it.
func (g *Grower) agree() {
	g.vectors = scan.Packs()
	ranks := g.config.Ranks
	if !ranks.Shared() {
		return
	}
	forms := len(g.spans) - 1 // by form, from 1 on, how many ranks have it
	common := make([]uint32, len(g.spans)+scan.PackedForms)
	if ranks.Rank() == 0 {
		for f := range g.spans {
			common[f] = g.spans[f].Common
		}
	}
	if g.vectors {
		common[forms+scan.PackedForm()] = 1
	}
	ranks.Sum32(common)
	for f := range g.spans {
		g.spans[f].Common = common[f]
	}
	g.vectors = g.vectors && common[forms+scan.PackedForm()] == uint32(ranks.Size())
}
