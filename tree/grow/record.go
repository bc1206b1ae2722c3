package grow

// record makes a leaf's node the tree's next split: its left child keeps the leaf's number, the
// right one becomes the last leaf.
func (g *Grower) record(n *node, leaf int) {
	t := &g.made
	split := int32(len(t.Feature))
	if n.parent >= 0 {
		if n.isRight {
			t.Right[n.parent] = split
		} else {
			t.Left[n.parent] = split
		}
	}
	code := uint32(n.best.code)
	if n.best.categorical {
		if len(t.SetPtrs) == 0 {
			t.SetPtrs = append(t.SetPtrs, 0)
		}
		code = uint32(len(t.SetPtrs) - 1)
		t.Sets = append(t.Sets, n.set...)
		t.SetPtrs = append(t.SetPtrs, uint32(len(t.Sets)))
	}
	_, cover := g.value(n.total)
	t.Feature = append(t.Feature, int32(n.best.feature))
	t.Code = append(t.Code, code)
	t.Categorical = append(t.Categorical, n.best.categorical)
	t.MissingLeft = append(t.MissingLeft, n.best.missingLeft)
	t.Left = append(t.Left, ^int32(leaf))
	t.Right = append(t.Right, ^int32(len(g.leaves)))
	t.Gain = append(t.Gain, float32(min(n.best.gain, 0x1.fffffep127))) // labels of 1e19 and more gain more
	t.Cover = append(t.Cover, cover)
	n.recorded = true
	g.nodes[n.left].parent, g.nodes[n.right].parent = split, split
	g.nodes[n.right].isRight = true
	g.leaves[leaf] = int32(n.left)
	g.leaves = append(g.leaves, int32(n.right))
	switch at := g.nodes[n.left].up; {
	case g.limits == nil:
	case g.limits.boxes != nil:
		g.searchBound(at)
	case g.limits.tightens:
		g.tighten(at)
	}
}
