package pack

import "boost/tree"

// reach is which codes of a feature reach the next node, by the splits on the path to it.
type reach struct {
	low, high uint32   // if numeric: the first and the last
	barred    []uint32 // if categorical, of few levels: how many splits keep each away
	sizes     int      // if categorical: which of the walker's setSizes it has
}

// enter narrows what reaches the child of a node that the walk has entered last.
func (w *walker) enter(t *tree.Tree, at *step) {
	if !w.strict {
		return
	}
	r := &w.reach[at.symbol]
	code := t.Code[at.node]
	switch {
	case t.Categorical[at.node]:
		r.bar(t.Set(int(at.node)), at.children == 1, 1)
	case at.children == 1:
		r.high = code
	default:
		r.low = min(code+1, at.high)
	}
}

// leave takes back what enter did.
func (w *walker) leave(t *tree.Tree, at *step) {
	if !w.strict {
		return
	}
	r := &w.reach[at.symbol]
	if t.Categorical[at.node] {
		r.bar(t.Set(int(at.node)), at.children == 1, ^uint32(0))
		return
	}
	r.low, r.high = at.low, at.high
}

// bar adds by, which is 1 or -1, to the splits that keep levels from a side of a set.
func (r *reach) bar(set []uint32, left bool, by uint32) {
	if len(r.barred) == 0 {
		return
	}
	if !left {
		for _, level := range set {
			r.barred[level] += by
		}
		return
	}
	for level := range r.barred {
		if len(set) > 0 && set[0] == uint32(level) {
			set = set[1:]
			continue
		}
		r.barred[level] += by
	}
}

// allStrict reports whether in canonical trees every code lies among those that reach its node,
// and every level of a set is one of them. So it is in trees that were grown. All codes must
// reach the root, as they do after it.
func (w *walker) allStrict(trees []tree.Tree) bool {
	for i := range trees {
		if !w.treeStrict(&trees[i]) {
			w.path = w.path[:0]
			w.unbar()
			return false
		}
	}
	return true
}

func (w *walker) treeStrict(t *tree.Tree) bool {
	leaf := int32(0)
	for n := range t.NumSplits() {
		symbol := uint32(w.place[t.Feature[n]])
		r := &w.reach[symbol]
		if !t.Categorical[n] {
			if t.Code[n] < r.low || t.Code[n] > r.high {
				return false
			}
		} else if len(r.barred) > 0 {
			for _, level := range t.Set(n) {
				if r.barred[level] > 0 {
					return false
				}
			}
		}
		w.path = append(w.path, step{
			node: uint32(n), symbol: symbol, low: r.low, high: r.high,
			leaf: [2]bool{t.Left[n] < 0, t.Right[n] < 0},
		})
		leaf = w.advance(t, int32(n)+1, leaf)
	}
	return true
}
