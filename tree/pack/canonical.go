package pack

import (
	"slices"

	"boost/tree"
)

// Canonical numbers the nodes and leaves of a valid tree in preorder, left before right,
// and its category sets in the order of their nodes. Leaf values and statistics move along;
// every row reaches the leaf with the same value. It is the numbering that packed trees have.
func Canonical(t *tree.Tree) tree.Tree {
	splits, leaves := t.NumSplits(), t.NumLeaves()
	c := tree.Tree{
		Feature: make([]int32, splits), Code: make([]uint32, splits),
		Categorical: make([]bool, splits), MissingLeft: make([]bool, splits),
		Left: make([]int32, splits), Right: make([]int32, splits),
		Leaf: make([]float64, leaves),
	}
	statistics := !t.NoStatistics()
	if statistics {
		c.LeafCover, c.Gain, c.Cover = make([]float64, leaves), make([]float32, splits), make([]float64, splits)
	}
	if t.NumSets() > 0 {
		c.SetPtrs = make([]uint32, 1, t.NumSets()+1)
		c.Sets = make([]uint32, 0, len(t.Sets))
	}
	type place struct {
		old    int32 // child reference in t
		parent int32 // node in c, -1 for the root
		right  bool
	}
	root := int32(0)
	if splits == 0 {
		root = -1
	}
	stack := []place{{root, -1, false}}
	node, leaf := int32(0), int32(0)
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		reference := node
		if at.old < 0 {
			reference = ^leaf
			c.Leaf[leaf] = t.Leaf[^at.old]
			if statistics {
				c.LeafCover[leaf] = t.LeafCover[^at.old]
			}
			leaf++
		} else {
			n := at.old
			c.Feature[node], c.Categorical[node], c.MissingLeft[node] = t.Feature[n], t.Categorical[n], t.MissingLeft[n]
			if statistics {
				c.Gain[node], c.Cover[node] = t.Gain[n], t.Cover[n]
			}
			c.Code[node] = t.Code[n]
			if t.Categorical[n] {
				c.Code[node] = uint32(len(c.SetPtrs) - 1)
				c.Sets = append(c.Sets, t.Set(int(n))...)
				c.SetPtrs = append(c.SetPtrs, uint32(len(c.Sets)))
			}
			stack = append(stack, place{t.Right[n], node, true}, place{t.Left[n], node, false})
			node++
		}
		switch {
		case at.parent < 0:
		case at.right:
			c.Right[at.parent] = reference
		default:
			c.Left[at.parent] = reference
		}
	}
	return c
}

// IsCanonical says whether Canonical would number the tree as it is.
func IsCanonical(t *tree.Tree) bool {
	c := Canonical(t)
	return slices.Equal(c.Left, t.Left) && slices.Equal(c.Right, t.Right) && slices.Equal(c.Code, t.Code)
}
