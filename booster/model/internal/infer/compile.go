package infer

import (
	"slices"

	"boost/binning"
	"boost/internal/kernel/predict"
	"boost/tree"
)

// compileTree fills dst with t; column gives the column of a split node.
func compileTree(dst *predict.Tree, t *tree.Tree, c *binning.Cuts, column func(node int) int32) {
	dst.Reset(t.Leaf)
	dst.Nodes = slices.Grow(dst.Nodes, t.NumSplits())
	for n, f := range t.Feature {
		regular := c.Features[f].Regular
		if t.Categorical[n] {
			dst.Categorical(column(n), t.Set(n), regular, t.MissingLeft[n], t.Left[n], t.Right[n])
		} else {
			dst.Numeric(column(n), t.Code[n], regular, t.MissingLeft[n], t.Left[n], t.Right[n])
		}
	}
}

// codeBits returns the width of a column that holds the codes 0 … regular, the last
// one for missing values. Four bits are not offered: a block is small, and a nibble
// costs more to write and to read than the byte.
func codeBits(regular uint32) uint8 {
	switch {
	case regular < 1<<8:
		return 8
	case regular < 1<<16:
		return 16
	default:
		return 32
	}
}
