package pack

import (
	"slices"

	"boost/tree"
)

// Canonical numbers the nodes and leaves of a valid tree in preorder, left before right,
// and its category sets in the order of their nodes. Leaf values and statistics, where there are
// any, move along; every row reaches the leaf with the same value. It is the numbering that packed
// trees have.
func Canonical(t *tree.Tree) tree.Tree {
	nodes, leaves := preorder(t)
	c := tree.Tree{
		Feature: inOrder(t.Feature, nodes), Code: inOrder(t.Code, nodes),
		Categorical: inOrder(t.Categorical, nodes), MissingLeft: inOrder(t.MissingLeft, nodes),
		Left: inOrder(t.Left, nodes), Right: inOrder(t.Right, nodes),
		Leaf: inOrder(t.Leaf, leaves), LeafCover: inOrder(t.LeafCover, leaves),
		Gain: inOrder(t.Gain, nodes), Cover: inOrder(t.Cover, nodes),
	}
	if t.Linear != nil {
		c.Linear = t.Linear.InOrder(leaves)
	}
	nodeNumber, leafNumber := inverse(nodes), inverse(leaves)
	for _, children := range [2][]int32{c.Left, c.Right} {
		for n, child := range children {
			if child < 0 {
				children[n] = ^leafNumber[^child]
			} else {
				children[n] = nodeNumber[child]
			}
		}
	}
	if t.NumSets() > 0 {
		c.SetPtrs, c.Sets = make([]uint32, 1, len(t.SetPtrs)), make([]uint32, 0, len(t.Sets))
	}
	for n, old := range nodes {
		if c.Categorical[n] {
			c.Code[n] = uint32(len(c.SetPtrs) - 1)
			c.Sets = append(c.Sets, t.Set(int(old))...)
			c.SetPtrs = append(c.SetPtrs, uint32(len(c.Sets)))
		}
	}
	return c
}

// preorder returns the numbers that nodes and leaves have in t, in preorder.
func preorder(t *tree.Tree) (nodes, leaves []int32) {
	splits := t.NumSplits()
	nodes, leaves = make([]int32, 0, splits), make([]int32, 0, splits+1)
	rest := []int32{0}
	if splits == 0 {
		rest[0] = ^0
	}
	for len(rest) > 0 {
		at := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		if at < 0 {
			leaves = append(leaves, ^at)
			continue
		}
		nodes = append(nodes, at)
		rest = append(rest, t.Right[at], t.Left[at])
	}
	return nodes, leaves
}

// inOrder returns values in an order; none where there are none.
func inOrder[T any](values []T, order []int32) []T {
	if len(values) == 0 {
		return nil
	}
	ordered := make([]T, len(order))
	for i, at := range order {
		ordered[i] = values[at]
	}
	return ordered
}

// inverse returns where in an order each number stands.
func inverse(order []int32) []int32 {
	places := make([]int32, len(order))
	for i, at := range order {
		places[at] = int32(i)
	}
	return places
}

// IsCanonical reports whether Canonical would number the tree as it is.
func IsCanonical(t *tree.Tree) bool {
	nodes, leaves := preorder(t)
	set := uint32(0)
	for n, old := range nodes {
		if int(old) != n {
			return false
		}
		if t.Categorical[n] {
			if t.Code[n] != set {
				return false
			}
			set++
		}
	}
	return slices.IsSorted(leaves)
}
