package tree

import "slices"

// GoesLeft reports whether a row with this code of the node's feature goes left.
// regular is the feature's number of regular codes.
func (t *Tree) GoesLeft(node int, code, regular uint32) bool {
	if code >= regular {
		return t.MissingLeft[node]
	}
	if t.Categorical[node] {
		_, found := slices.BinarySearch(t.Set(node), code)
		return found
	}
	return code <= t.Code[node]
}

// LeafIndex returns the leaf of a row, given its code of every feature of the model.
// It is the reference that the fast loops are tested against. The tree must be valid.
func (t *Tree) LeafIndex(features []Feature, codes []uint32) int {
	if t.NumSplits() == 0 {
		return 0
	}
	c := int32(0)
	for c >= 0 {
		f := t.Feature[c]
		if t.GoesLeft(int(c), codes[f], features[f].Regular) {
			c = t.Left[c]
		} else {
			c = t.Right[c]
		}
	}
	return int(^c)
}

// Depth returns the number of splits on the longest way from the root to a leaf.
func (t *Tree) Depth() int {
	depth := 0
	for _, d := range t.NodeDepths() {
		depth = max(depth, d+1)
	}
	return depth
}

// NodeDepths returns for each split node the number of splits above it.
func (t *Tree) NodeDepths() []int {
	depths := make([]int, t.NumSplits())
	for n := range depths {
		for _, c := range [2]int32{t.Left[n], t.Right[n]} {
			if c >= 0 {
				depths[c] = depths[n] + 1
			}
		}
	}
	return depths
}
