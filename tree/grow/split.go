package grow

import (
	"slices"

	"boost/histogram"
)

// split is the state of one split: the rows of a node are divided between two children, those of one
// child are added up, its sums are taken away from the parent's for the other, and both are searched.
// The search of the root is one without a parent.
type split struct {
	*splitter
	at   int  // the node; noNode: the root is searched
	last bool // it is the tree's last split: the children are not searched

	// Of the smaller child, or the root, rows are added up; the sums of its sibling, if it has one,
	// are the parent's less these.
	smaller, larger int
	built           *histogram.Histogram     // where the smaller child's sums go
	streams         bool                     // its rows are added up as they are found
	streamsRight    bool                     // it is the right side
	subtracted      bool                     // the larger one's histogram is its own already
	tiles           int                      // of the smaller one's histogram, which the search completes
	divided         [histogram.Beside]uint64 // rows that have gone left; how many ranks have some with the missing code, and the node

	again     bool     // a leaf is searched once more
	searching []search // of the children, left first, or of the root
	chunk     int      // features of a task
	err       error    // of a check
}

// beginSplit makes the split of a node, which has numbers for its children, the one in progress.
func (s *splitter) beginSplit(at int) {
	s.split = split{splitter: s, at: at, last: s.nodes[at].last}
	s.then = (*split).divide
}

// beginAgain makes another search of a leaf, whose bounds have changed, the split in progress.
func (s *splitter) beginAgain(at int) {
	s.split = split{splitter: s, at: noNode, smaller: at, larger: noNode, again: true}
	s.then = (*split).searchAgain
}

func (s *split) searchAgain() pass {
	s.searchNodes(s.smaller)
	return s.search(false)
}

// divide begins to divide the rows of the node.
func (s *split) divide() pass {
	parent := &s.nodes[s.at]
	table := s.table(parent) // decides where missing rows go
	if s.sparse == nil && !s.last {
		s.built = s.hists.Get()
		s.streams, s.streamsRight = s.streamedSide()
	}
	n, task, alone := s.rowsOf.split(s.at, parent.left, parent.right, table, s.stream(s.built))
	return pass{n: n, task: task, alone: alone, then: (*split).finishSplit}
}

// finishSplit goes on once the rows of the node are divided.
func (s *split) finishSplit() pass {
	leftRows, missingRows := s.rowsOf.endSplit()
	if s.config.Ranks.Shared() {
		return s.shareSplit(leftRows, missingRows)
	}
	return s.makeChildren(leftRows, missingRows)
}

// makeChildren makes the children of the node whose rows are divided, and begins to search them.
func (s *split) makeChildren(leftRows int, missingRows bool) pass {
	parent, ahead := &s.nodes[s.at], s.buildsAhead()
	rightRows := parent.rows - leftRows
	if parent.someMissing = missingRows; !missingRows && s.levels == nil {
		parent.best.missingLeft = leftRows >= rightRows
	}
	hist, kept := parent.hist, sparseParent{parent.sums, parent.kept}
	parent.hist, parent.sums = nil, nil
	extraL2 := 0.0
	if parent.best.grouped() {
		extraL2 = s.catL2()
	}
	l, r := &s.nodes[parent.left], &s.nodes[parent.right]
	l.rows, l.total = leftRows, parent.best.left
	r.rows, r.total = rightRows, parent.total.minus(l.total)
	for _, child := range []*node{l, r} {
		child.depth, child.extraL2 = parent.depth+1, extraL2
	}
	l.path, r.path = childPath(parent.path, 0), childPath(parent.path, 1)
	if parent.best.forced {
		l.forced, r.forced = parent.forced.below(s.config.Forced)
	}
	if s.limits != nil {
		s.limits.children(s.splitter, s.at)
	}
	if s.together != nil {
		l.groups = s.together.Below(l.groups, parent.groups, parent.best.feature)
		r.groups = s.together.Below(r.groups, parent.groups, parent.best.feature)
	}
	last := s.last || !s.canSplit(l) && !s.canSplit(r) && !s.streams
	if !ahead {
		s.smaller, s.larger = parent.left, parent.right
		if s.streams && s.streamsRight || !s.streams && rightRows < leftRows {
			s.smaller, s.larger = s.larger, s.smaller
		}
	}
	s.searchNodes(parent.left, parent.right)
	for i := range s.searching {
		if s.verifying() && s.err == nil {
			s.err = s.verifyRows(s.searching[i].at)
		}
	}
	if s.err != nil {
		return pass{}
	}
	switch {
	case s.sparse != nil:
		s.err = s.sparse.divide(s, kept, last)
		return pass{}
	case last:
		s.hists.Put(hist)
		if s.built != nil {
			s.hists.Put(s.built)
		}
		return pass{}
	}
	s.nodes[s.larger].hist, s.nodes[s.smaller].hist = hist, s.built
	if ahead {
		return s.searchShared()
	}
	return s.buildAndSearch()
}

// searchNodes names the nodes that are searched.
func (s *split) searchNodes(nodes ...int) {
	s.searching = s.searches[:len(nodes)]
	for i, at := range nodes {
		s.searching[i].at, s.searching[i].node = at, &s.nodes[at]
	}
}

// table returns where the codes of a node's best split go.
func (s *split) table(n *node) splitTable {
	best, feature := &n.best, &s.config.Features[n.best.feature]
	if best.categorical && s.sparse == nil && s.levels == nil && s.shares == nil && !best.forced {
		n.set = append(n.set[:0], s.categories(n, best)...)
	}
	t := splitTable{matrix: s.config.Matrix, feature: best.feature, missing: feature.MissingCode(), inEntries: s.storage.OneWord()}
	_, all := s.value(n.total)
	_, some := s.value(best.left)
	t.rightStays = some < all-some
	t.stays = s.codesThatStay(n.set, best, t.rightStays)
	if feature.HasMissing && !n.noMissing {
		t.missingState = someMissing
		if n.missingSumIsZero {
			// Rows whose codes add up to nothing gain the same on both sides: left first,
			// unless a search that counted them has chosen for a side that needs them.
			t.missingState = missingSumIsZero
			best.missingLeft = best.missingLeft || !best.counted
		}
		t.stays[t.missing] = 0
		if best.missingLeft != t.rightStays {
			t.stays[t.missing] = 1
		}
	}
	return t
}

// codesThatStay returns 1 for each code of a present value that a candidate sends left, 0 for others, or the other way
// round with right: set is the candidate's, where it is categorical. There are at least 256 entries. The slice is valid until
// the next call.
func (s *splitter) codesThatStay(set []uint32, c *candidate, right bool) []uint8 {
	size := max(int(s.offsets[c.feature+1]-s.offsets[c.feature]), 256)
	if len(s.stays) < size {
		s.stays, s.ones = make([]uint8, size), slices.Repeat([]uint8{1}, size)
	}
	stays, left := s.stays[:size], uint8(1)
	if clear(stays); right {
		copy(stays, s.ones)
		left = 0
	}
	if c.categorical {
		for _, code := range set {
			stays[code] = left
		}
		return stays
	}
	for code := range c.code + 1 {
		stays[code] = left
	}
	return stays
}
