package compress

import (
	"cmp"
	"slices"

	"boost/tree"
)

// branch is what is left of a tree below some place: a split node of the tree with two
// branches, or a leaf.
type branch struct {
	node        int32 // number of the split node in the tree, below 0 for a leaf
	left, right *branch

	code  uint32   // numeric
	set   []uint32 // categorical
	cover float64  // 0 in a tree without statistics

	leaf  int32 // of a leaf: number of a leaf of the tree, the place in its order
	value float64
}

// branchOf returns the branch that a child reference leads to.
func branchOf(t *tree.Tree, c int32) *branch {
	if c < 0 {
		b := &branch{node: -1, leaf: ^c, value: t.Leaf[^c]}
		if !t.NoStatistics() {
			b.cover = t.LeafCover[^c]
		}
		return b
	}
	b := &branch{node: c, code: t.Code[c], left: branchOf(t, t.Left[c]), right: branchOf(t, t.Right[c])}
	if t.Categorical[c] {
		b.set = t.Set(int(c))
	}
	if !t.NoStatistics() {
		b.cover = t.Cover[c]
	}
	return b
}

// rootOf returns the reference to a tree's root.
func rootOf(t *tree.Tree) int32 {
	if t.NumSplits() == 0 {
		return -1
	}
	return 0
}

// leaves counts the leaves of a branch.
func (b *branch) leaves() int {
	if b.node < 0 {
		return 1
	}
	return b.left.leaves() + b.right.leaves()
}

// scaleCover multiplies the covers of a branch.
func (b *branch) scaleCover(by float64) {
	b.cover *= by
	if b.node >= 0 {
		b.left.scaleCover(by)
		b.right.scaleCover(by)
	}
}

// collect appends the split nodes and the leaves of a branch.
func (b *branch) collect(nodes, leaves []*branch) (_, _ []*branch) {
	if b.node < 0 {
		return nodes, append(leaves, b)
	}
	nodes, leaves = b.left.collect(append(nodes, b), leaves)
	return b.right.collect(nodes, leaves)
}

// tree returns the branch as a tree: split nodes and leaves that are left of the tree t in the
// order that they had there.
func (b *branch) tree(t *tree.Tree) tree.Tree {
	nodes, leaves := b.collect(nil, nil)
	slices.SortFunc(nodes, func(a, b *branch) int { return cmp.Compare(a.node, b.node) })
	slices.SortFunc(leaves, func(a, b *branch) int { return cmp.Compare(a.leaf, b.leaf) })
	numbers := make(map[*branch]int32, len(nodes)+len(leaves))
	var out tree.Tree
	for i, leaf := range leaves {
		numbers[leaf] = ^int32(i)
		out.Leaf = append(out.Leaf, leaf.value)
		if !t.NoStatistics() {
			out.LeafCover = append(out.LeafCover, leaf.cover)
		}
	}
	for i, n := range nodes {
		numbers[n] = int32(i)
	}
	for _, n := range nodes {
		out.Feature = append(out.Feature, t.Feature[n.node])
		out.Categorical = append(out.Categorical, t.Categorical[n.node])
		out.MissingLeft = append(out.MissingLeft, t.MissingLeft[n.node])
		out.Left, out.Right = append(out.Left, numbers[n.left]), append(out.Right, numbers[n.right])
		if !t.NoStatistics() {
			out.Gain, out.Cover = append(out.Gain, t.Gain[n.node]), append(out.Cover, n.cover)
		}
		if !t.Categorical[n.node] {
			out.Code = append(out.Code, n.code)
			continue
		}
		if out.SetPtrs == nil {
			out.SetPtrs = []uint32{0}
		}
		out.Code = append(out.Code, uint32(len(out.SetPtrs)-1))
		out.Sets = append(out.Sets, n.set...)
		out.SetPtrs = append(out.SetPtrs, uint32(len(out.Sets)))
	}
	return out
}
