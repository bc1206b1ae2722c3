package grow

import (
	"boost/histogram"
)

// buildAndSearch adds up the rows of the smaller child, unless they have been when they were found, and
// begins to subtract them from its parent's, which its sibling takes over, and to search both.
func (s *split) buildAndSearch() pass {
	if s.config.Ranks.Shared() {
		n := &s.nodes[s.smaller]
		return s.buildHere(n.hist, n.rows)
	}
	smaller, alone := &s.nodes[s.smaller], false
	if s.streams {
		s.tiles = s.builder.EndStream(smaller.rows, smaller.total.codes())
	} else {
		s.tiles, alone = s.build()
	}
	if s.larger != noNode {
		larger := &s.nodes[s.larger]
		larger.hist.Subtracting(smaller.hist, larger.rows)
		if s.tiles == 0 && !s.storage.Counts() && !larger.hist.IsSparse() && s.builder.IsSparseNode(larger.rows) {
			s.builder.SubtractSparse(larger.hist, smaller.hist, s.storage)
			s.subtracted = true
		}
	}
	return s.search(alone)
}

// build begins to add up the rows of the smaller child. It returns how many tiles of its histogram are
// left to the search, 0 for none, and whether they are not worth waking workers.
func (s *split) build() (tiles int, alone bool) {
	n := &s.nodes[s.smaller]
	small := smallTiles
	if s.crew != nil {
		small = smallShare
	}
	alone = s.builder.Strategy() == histogram.Sequential || s.crew != nil && !s.crew.Idle() ||
		n.rows*len(s.active)+updatesPerCode*len(s.searching)*s.codes < small
	return s.builder.Tiles(n.hist, s.storage, s.rows.runs(s.smaller), n.total.codes(), alone), alone
}

// subtract takes the smaller child's sums of the features away from what are still their
// parent's: of features whose slots follow each other in one go.
func (s *split) subtract(features []int) {
	from, what := s.nodes[s.larger].hist, s.nodes[s.smaller].hist
	for i := 0; i < len(features); {
		lo := features[i]
		hi := lo + 1
		for i++; i < len(features) && features[i] == hi; i++ {
			hi++
		}
		from.SubtractRange(what, s.storage, int(s.offsets[lo]), int(s.offsets[hi]))
	}
}

// canStream reports whether a node of about so many rows is added up while its rows are found.
func (s *splitter) canStream(rows int) bool {
	return s.sparse == nil && s == s.all && !s.config.Ranks.Shared() && s.builder.Streams(s.storage, rows)
}

// stream begins the histogram of the rows that are added up as they are found, if they are, and
// returns what these rows are given to.
func (s *split) stream(hist *histogram.Histogram) adder {
	if !s.streams {
		return adder{}
	}
	s.builder.Stream(hist, s.storage)
	return adder{s.builder, s.streamsRight}
}

// streamedSide reports whether the side of the split that seems to have fewer rows, by its part of
// the hessians, is added up while the rows are divided, and whether it is the right one.
func (s *split) streamedSide() (streams, right bool) {
	n := &s.nodes[s.at]
	if p := &s.config.Params; p.MaxDepth > 0 && n.depth+1 >= p.MaxDepth || n.total.hess == 0 {
		return false, false
	}
	left := float64(n.best.left.hess) / float64(n.total.hess)
	right = left > 0.5
	return s.canStream(int(float64(n.rows)*min(left, 1-left))) && s.even(s.rows.most(s.at), n.rows), right
}

// even reports whether a node with so many rows at most in a run has no run whose worker ends long
// after the others. Where the table is in an order that splits follow, or its last block is short,
// rows that are cut into pieces of one size are faster.
func (s *splitter) even(most, rows int) bool { return 2*most*s.pool.Threads() <= 3*rows }
