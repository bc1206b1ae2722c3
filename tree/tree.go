package tree

// Tree is one decision tree over codes, as a structure of arrays.
//
// Split nodes are numbered from 0 (the root) in the order in which they were
// made, leaves from 0 in theirs, so a node's number is higher than its parent's. A
// child reference c ≥ 0 is split node c, c < 0 is leaf ^c. A tree without split nodes
// is the single leaf 0.
//
// A row goes left at a numeric split if its code ≤ Code, at a categorical split
// if its code is in the node's set. The missing code of the feature, and any code
// above it, goes to the side of MissingLeft. Other codes go right.
type Tree struct {
	Feature     []int32  // per split node: feature index in the model
	Code        []uint32 // numeric: last code of the left side; categorical: index of the set
	Categorical []bool   // per split node
	MissingLeft []bool   // per split node
	Left, Right []int32  // per split node: child references

	// Set s of a categorical split is the ascending list of codes
	// Sets[SetPtrs[s]:SetPtrs[s+1]] that go left. SetPtrs is empty when there are no
	// sets. Every set belongs to exactly one split node.
	SetPtrs []uint32
	Sets    []uint32

	Leaf []float64 // per leaf: value added to the raw score

	Linear *Linear // linear models of leaves; nil: there are none

	// Statistics of training. A tree may have none: then all three are empty.
	Gain      []float32 // per split node: gain of the split
	Cover     []float64 // per split node: sum of hessians of its training rows
	LeafCover []float64 // per leaf: the same
}

// WithRoom returns a tree without nodes, and with memory for those of so many leaves, but not for the leaves.
func WithRoom(leaves int) Tree {
	n := leaves - 1
	return Tree{
		Feature: make([]int32, 0, n), Code: make([]uint32, 0, n), Categorical: make([]bool, 0, n), MissingLeft: make([]bool, 0, n),
		Left: make([]int32, 0, n), Right: make([]int32, 0, n), Gain: make([]float32, 0, n), Cover: make([]float64, 0, n),
	}
}

// Feature is what a tree has to know of a feature.
type Feature struct {
	// Regular is the number of codes of present values, at least 1. Codes from Regular on
	// are missing.
	Regular     uint32
	Categorical bool
}

// NumSplits returns the number of split nodes.
func (t *Tree) NumSplits() int { return len(t.Feature) }

// NumLeaves returns the number of leaves.
func (t *Tree) NumLeaves() int { return len(t.Leaf) }

// NumSets returns the number of category sets.
func (t *Tree) NumSets() int { return max(len(t.SetPtrs)-1, 0) }

// Set returns the codes that go left at a categorical split node, ascending.
func (t *Tree) Set(node int) []uint32 {
	s := t.Code[node]
	return t.Sets[t.SetPtrs[s]:t.SetPtrs[s+1]]
}

// NoStatistics reports whether the tree has neither gains nor covers.
func (t *Tree) NoStatistics() bool { return len(t.LeafCover) == 0 }
