package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"boost/booster/model/internal/jsonform"
	"boost/ptq"
	"boost/tree"
	"boost/tree/pack"
)

// Compression says how the file of a compressed model keeps its leaf values. Such a file has
// format version 2: its structure, cuts and texts are packed (docs/format.md).
type Compression struct {
	// Leaves are the leaf values of all trees, one tree after another. The trees' own are what
	// these decode to.
	Leaves ptq.Values
	// Grouping says which leaves share a scale, where scales lie apart from the codes: the
	// groups of Leaves' calibration are those that Groups makes.
	Grouping string
	// Statistics reports whether the file keeps covers and gains.
	Statistics bool
	// Source is the sha256 of the model that was compressed, 64 hex digits.
	Source string
	// Certificate is an object that says what the compression costs; nil for none.
	Certificate json.RawMessage
}

// Values of Compression.Grouping.
const (
	GroupModel  = "model"  // one scale
	GroupOutput = "output" // one for the trees of an output
	GroupTree   = "tree"   // one for a tree
	GroupBlock  = "block"  // one for up to ptq.TierBlock leaves of a tree
)

// Groupings are the values of Compression.Grouping.
var Groupings = []string{GroupModel, GroupOutput, GroupTree, GroupBlock}

// Groups returns which leaves share a scale, for trees with so many leaves each; tree i is of
// output i mod outputs. Another grouping is an error.
func Groups(grouping string, leaves []int, outputs int) (*ptq.Groups, error) {
	ends, of, end := make([]int, len(leaves)), make([]int, len(leaves)), 0
	for i, n := range leaves {
		end += n
		ends[i], of[i] = end, i%outputs
	}
	switch grouping {
	case GroupModel:
		return nil, nil
	case GroupOutput:
		return ptq.NewGroups(ends, of)
	case GroupTree:
		return ptq.NewGroups(ends, nil)
	case GroupBlock:
		return ptq.NewBlocks(ends, ptq.TierBlock)
	}
	return nil, fmt.Errorf("grouping %q is unknown: use model, output, tree or block", grouping)
}

// LeafCounts returns the leaves of each tree.
func LeafCounts(trees []tree.Tree) []int {
	counts := make([]int, len(trees))
	for i := range trees {
		counts[i] = trees[i].NumLeaves()
	}
	return counts
}

// checkCompression checks what a compressed model needs beside a full one: trees in canonical
// order whose leaf values are those of its Leaves, and statistics if it says so.
func (c *Contents) checkCompression() error {
	z := c.Compression
	if z == nil {
		return nil
	}
	if z.Leaves == nil || !slices.Contains(Groupings, z.Grouping) {
		return fmt.Errorf("compression with grouping %q and leaf values %v", z.Grouping, z.Leaves)
	}
	if _, typed := z.Leaves.Form().DType(); !typed && z.Grouping != GroupBlock {
		return fmt.Errorf("leaf values in %s with grouping %q: blocks have scales of their own", z.Leaves.Form(), z.Grouping)
	}
	if !isHex(z.Source, 64) {
		return fmt.Errorf("compression of model %q: 64 hex digits expected", z.Source)
	}
	if z.Certificate != nil {
		var err error
		if z.Certificate, err = jsonform.CanonicalObject(z.Certificate); err != nil {
			return fmt.Errorf("certificate: %w", err)
		}
	}
	at := 0
	var values []float64
	for i := range c.Trees {
		t := &c.Trees[i]
		n := t.NumLeaves()
		if n > z.Leaves.Len()-at {
			return fmt.Errorf("%d stored leaf values are too few", z.Leaves.Len())
		}
		values = slices.Grow(values[:0], n)[:n]
		z.Leaves.DecodeRange(values, at)
		if at += n; !slices.Equal(values, t.Leaf) {
			return fmt.Errorf("the leaf values of tree %d are not those that are stored", i)
		}
		if n > pack.MaxLeaves {
			return fmt.Errorf("tree %d has %d leaves: those of compressed models have %d at most", i, n, pack.MaxLeaves)
		}
		if !pack.IsCanonical(t) {
			return fmt.Errorf("the nodes of tree %d are not in canonical order", i)
		}
		if t.NoStatistics() == z.Statistics {
			return fmt.Errorf("statistics of tree %d: %v, of the model: %v", i, !t.NoStatistics(), z.Statistics)
		}
	}
	if at != z.Leaves.Len() {
		return fmt.Errorf("%d stored leaf values for %d leaves", z.Leaves.Len(), at)
	}
	return nil
}

// ErrNoStatistics means that a model was compressed without covers and gains.
var ErrNoStatistics = errors.New("the model has no node statistics: they were left out when it was compressed (use the full model, or boost quantize --keep-stats)")
