package linear

import (
	"math"
	"slices"

	"boost/tree"
)

// path finds the features of leaves: the numeric ones that the way from the root splits on.
type path struct {
	config    Config
	up        []int32  // by split: 2·parent, +1 where it is the right child; -1 of the root
	leafUp    []int32  // by leaf: the same
	seen      []uint32 // by feature: the last leaf that has it, counted from 1 over all trees
	leaf      uint32
	low, high []uint32 // by feature: the first and the last code that reach the leaf
	found     []int32
}

func (p *path) init(c Config) {
	p.config = c
	p.up, p.leafUp = make([]int32, c.Leaves), make([]int32, c.Leaves)
	p.seen, p.low, p.high = make([]uint32, len(c.Columns)), make([]uint32, len(c.Columns)), make([]uint32, len(c.Columns))
}

// begin takes a tree.
func (p *path) begin(t *tree.Tree) {
	p.up[0], p.leafUp[0] = -1, -1
	for n := range t.NumSplits() {
		for side, child := range [2]int32{t.Left[n], t.Right[n]} {
			from := int32(2*n + side)
			if child < 0 {
				p.leafUp[^child] = from
			} else {
				p.up[child] = from
			}
		}
	}
}

// features appends the features of a leaf, ascending, and for each a value in the middle of those that reach the leaf.
func (p *path) features(t *tree.Tree, leaf int, features []int32, shifts []float64) ([]int32, []float64) {
	if p.leaf++; p.leaf == 0 { // after 2³² leaves
		clear(p.seen)
		p.leaf = 1
	}
	p.found = p.found[:0]
	cuts := p.config.Cuts
	for at := p.leafUp[leaf]; at >= 0; at = p.up[at>>1] {
		n := at >> 1
		f := t.Feature[n]
		if p.config.Columns[f] == nil {
			continue
		}
		if p.seen[f] != p.leaf {
			if len(p.found) == MaxFeatures {
				continue
			}
			p.seen[f], p.low[f], p.high[f] = p.leaf, 0, cuts.Features[f].Regular-1
			p.found = append(p.found, f)
		}
		if at&1 == 0 {
			p.high[f] = min(p.high[f], t.Code[n])
		} else {
			p.low[f] = max(p.low[f], t.Code[n]+1)
		}
	}
	slices.Sort(p.found)
	for _, f := range p.found {
		features = append(features, f)
		shifts = append(shifts, p.middle(int(f)))
	}
	return features, shifts
}

// middle returns a cut in the middle of the codes of a feature that reach the leaf, 0 where there is none that is finite.
func (p *path) middle(f int) float64 {
	cuts := p.config.Cuts
	n := int(cuts.Features[f].Regular) - 1
	if n == 0 {
		return 0
	}
	at := min(int(p.low[f]+p.high[f])/2, n-1)
	value := float32(0)
	if of := cuts.Of32(f); len(of) > 0 {
		value = of[at]
	} else {
		value = float32(cuts.Of64(f)[at])
	}
	if math.IsInf(float64(value), 0) {
		return 0
	}
	return float64(value)
}
