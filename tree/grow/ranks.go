package grow

import (
	"boost/histogram"
	"boost/internal/kernel/scan"
)

// Where rows are spread over ranks, each rank grows the same tree: numbers of rows and sums of nodes are those of all ranks, while
// lists of rows are its own. What a rank finds of its rows is added up over the ranks before anything is decided by it:
//
//	root          number of rows, sums         searchRoot
//	split         rows that go left            finishSplit
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

// dividedRows returns how many rows of all ranks have gone left at a split, and whether it has found rows with the missing code.
func (s *split) dividedRows() (leftRows int, missingRows bool) {
	leftRows, missingRows = s.rowsOf.endSplit()
	if s.config.Ranks.Shared() {
		own := [2]uint64{uint64(leftRows)}
		if missingRows {
			own[1] = 1
		}
		s.config.Ranks.Sum(own[:])
		leftRows, missingRows = int(own[0]), own[1] > 0
	}
	return leftRows, missingRows
}

// buildHere begins to add up this rank's rows of the smaller child.
func (s *split) buildHere() pass {
	n, runs := &s.nodes[s.smaller], s.rows.runs(s.smaller)
	own := s.rows.count(s.smaller)
	s.builder.Beside(n.rows - own)
	alone := s.builder.Strategy() == histogram.Sequential || own*len(s.active) < smallTiles
	s.tiles = s.builder.Tiles(n.hist, s.storage, runs, histogram.TotalOf(s.storage, runs), alone)
	if s.tiles == 0 {
		return s.addRanks()
	}
	return pass{n: s.tiles, task: (*hereTask)(s), alone: alone, then: (*split).addRanks}
}

// hereTask makes a tile of a histogram of this rank's rows.
type hereTask split

func (t *hereTask) Run(worker, tile int) { t.builder.Tile(worker, tile) }

// addRanks adds the smaller child's histogram up over the ranks, and begins to search.
func (s *split) addRanks() pass {
	if s.tiles > 0 {
		s.builder.EndTiles()
		s.tiles = 0
	}
	smaller := &s.nodes[s.smaller]
	if s.shares != nil {
		smaller.hist.AddShares(s.config.Ranks, s.storage, s.shares.slots)
	} else {
		smaller.hist.AddRanks(s.config.Ranks, s.storage)
	}
	if s.err = s.config.Ranks.Err(); s.err != nil {
		return pass{}
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
	q.checkCounts(f, q.allCounts[n:])
	return q.allCounts[:n:n]
}

// agree makes the spans of all ranks those of the first, as far as they were found on its rows, and has packed sums searched as such only
// where all can: which features are counted depends on it.
func (g *Grower) agree() {
	g.vectors = scan.Packs()
	ranks := g.config.Ranks
	if !ranks.Shared() {
		return
	}
	common := make([]uint32, len(g.spans)+1)
	if ranks.Rank() == 0 {
		for f := range g.spans {
			common[f] = g.spans[f].Common
		}
	}
	if g.vectors {
		common[len(g.spans)] = 1
	}
	ranks.Sum32(common)
	for f := range g.spans {
		g.spans[f].Common = common[f]
	}
	g.vectors = common[len(g.spans)] == uint32(ranks.Size())
}
