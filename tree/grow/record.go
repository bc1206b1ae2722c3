package grow

import "boost/tree"

// newTree returns a tree with room for the given number of leaves.
func newTree(leaves int) tree.Tree {
	n := leaves - 1
	return tree.Tree{
		Feature: make([]int32, 0, n), Code: make([]uint32, 0, n),
		Categorical: make([]bool, 0, n), MissingLeft: make([]bool, 0, n),
		Left: make([]int32, 0, n), Right: make([]int32, 0, n),
		Gain: make([]float32, 0, n), Cover: make([]float64, 0, n),
	}
}

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
	t.Gain = append(t.Gain, float32(n.best.gain))
	t.Cover = append(t.Cover, cover)
	n.recorded = true
	g.nodes[n.left].parent, g.nodes[n.right].parent = split, split
	g.nodes[n.right].isRight = true
	g.leaves[leaf] = int32(n.left)
	g.leaves = append(g.leaves, int32(n.right))
}

// finish gives the leaves their values and returns the tree.
func (g *Grower) finish() tree.Tree {
	t := g.made
	g.made = tree.Tree{}
	n := len(t.Feature) + 1
	t.Leaf, t.LeafCover = make([]float64, n), make([]float64, n)
	var renewed leafSums
	var unit sums
	if g.renewal != nil {
		renewed, unit = g.renewal.sum(g.storage, n, g.config.Pool)
	}
	for i := range n {
		l := &g.nodes[g.leaves[i]]
		grad, hess := g.value(l.total)
		t.LeafCover[i] = hess
		if g.renewal != nil {
			grad, hess = float64(renewed.grad[i])*unit.gradF, float64(renewed.hess[i])*unit.hessF
		}
		value := g.rule.Value(grad, hess, g.rule.L2+l.extraL2)
		if limit := g.config.MaxStep; limit > 0 {
			value = min(max(value, -limit), limit)
		}
		t.Leaf[i] = float64(g.config.LearningRate * value)
	}
	for i := range g.nodes[:g.nNodes] {
		l := &g.nodes[i]
		if l.hist != nil {
			g.hists.Put(l.hist)
			l.hist = nil
		}
		if l.sums != nil {
			g.all.direct.Release(l.sums, l.kept)
			l.sums = nil
		}
	}
	return t
}

// AddLeafValues adds the tree's leaf values to the raw scores of the rows it was
// grown on, one score per row of the matrix. It must follow the tree's Grow.
func (g *Grower) AddLeafValues(t *tree.Tree, scores []float64) {
	g.scoring = scoreTask{g: g, values: t.Leaf, scores: scores}
	g.config.Pool.Do(g.rows.nRuns, &g.scoring)
	g.scoring = scoreTask{}
}
