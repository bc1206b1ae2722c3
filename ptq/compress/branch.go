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

	number int32 // reference of the tree that is made of it
}

// branches is where the branches of one tree are kept: as many as it has nodes and leaves at most.
type branches []branch

func branchesOf(t *tree.Tree) branches { return make(branches, 0, t.NumSplits()+t.NumLeaves()) }

// add returns the place of another branch.
func (a *branches) add(b branch) *branch {
	*a = append(*a, b)
	return &(*a)[len(*a)-1]
}

// of returns the branch that a child reference leads to.
func (a *branches) of(t *tree.Tree, c int32) *branch {
	if c < 0 {
		b := a.add(branch{node: -1, leaf: ^c, value: t.Leaf[^c]})
		if !t.NoStatistics() {
			b.cover = t.LeafCover[^c]
		}
		return b
	}
	b := a.add(branch{node: c, code: t.Code[c]})
	b.left, b.right = a.of(t, t.Left[c]), a.of(t, t.Right[c])
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
	n := len(nodes)
	out := tree.Tree{
		Feature: make([]int32, 0, n), Code: make([]uint32, 0, n), Left: make([]int32, 0, n), Right: make([]int32, 0, n),
		Categorical: make([]bool, 0, n), MissingLeft: make([]bool, 0, n), Leaf: make([]float64, 0, len(leaves)),
	}
	if !t.NoStatistics() {
		out.Gain, out.Cover, out.LeafCover = make([]float32, 0, n), make([]float64, 0, n), make([]float64, 0, len(leaves))
	}
	for i, leaf := range leaves {
		leaf.number = ^int32(i)
		out.Leaf = append(out.Leaf, leaf.value)
		if !t.NoStatistics() {
			out.LeafCover = append(out.LeafCover, leaf.cover)
		}
	}
	for i, n := range nodes {
		n.number = int32(i)
	}
	for _, n := range nodes {
		out.Feature = append(out.Feature, t.Feature[n.node])
		out.Categorical = append(out.Categorical, t.Categorical[n.node])
		out.MissingLeft = append(out.MissingLeft, t.MissingLeft[n.node])
		out.Left, out.Right = append(out.Left, n.left.number), append(out.Right, n.right.number)
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
