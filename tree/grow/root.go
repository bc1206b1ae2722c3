package grow

import "boost/internal/kernel/hist"

// beginRoot makes the search of the root the split in progress.
func (s *splitter) beginRoot() {
	s.split = split{splitter: s, at: noNode, smaller: 0, larger: noNode}
	s.then = (*split).initRoot
}

// initRoot makes the root the only leaf, and begins to find its rows.
func (s *split) initRoot() pass {
	at, root := s.newNode()
	s.leaves = append(s.leaves, int32(at))
	bag := s.rowsOf.bag
	root.rows = s.config.Matrix.NRows()
	if bag != nil {
		root.rows = bag.Len()
	}
	canSplit := s.canSplit(root)
	most := s.rows.stretch
	if bag != nil {
		most = hist.BlockRows
	}
	s.streams = canSplit && s.canStream(root.rows) && s.even(min(s.rows.rows, most), s.rows.rows)
	if (canSplit || s.config.Ranks.Shared()) && s.sparse == nil {
		root.hist = s.hists.Get()
	}
	n, task := s.rowsOf.start(s.storage, s.stream(root.hist))
	return pass{n: n, task: task, then: (*split).searchRoot}
}

// searchRoot begins to search the root, whose rows are found.
func (s *split) searchRoot() pass {
	root := &s.nodes[0]
	root.total = s.rowsOf.total(s.storage)
	s.rootOfAll(root)
	if s.err = s.config.Ranks.Err(); s.err != nil {
		return pass{}
	}
	root.path = 1
	if s.hessian = 1; s.config.AnyUnit && root.rows > 0 {
		_, hess := s.value(root.total)
		s.hessian = hess / float64(root.rows)
	}
	if len(s.config.Forced) > 0 {
		root.forced = 1
	}
	if s.limits != nil {
		s.limits.root(s.splitter, root)
	}
	if s.together != nil {
		root.groups = s.together.Root(root.groups)
	}
	if s.verifying() {
		if s.err = s.verifyRows(0); s.err != nil {
			return pass{}
		}
	}
	switch {
	case !s.canSplit(root):
		return pass{}
	case s.sparse != nil:
		s.searchNodes(0)
		s.sparse.addUp(0)
		s.err = s.sparse.find(s)
		return pass{}
	}
	s.searchNodes(0)
	return s.buildAndSearch()
}
