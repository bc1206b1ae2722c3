package infer

import (
	"errors"
	"slices"

	"boost/booster/model/internal/format"
	"boost/dataset"
	"boost/internal/cpu"
	"boost/internal/kernel/predict"
	"boost/parallel"
	"boost/tree"
)

// addLinear is AddScores for a tree with linear leaves: of rows lo … hi-1, or of the listed ones.
func (s *scorer) addLinear(t *tree.Tree, of Coded, lo, hi int, rows []uint32, scores []float64) {
	if rows != nil {
		lo, hi = 0, len(rows)
	}
	compileTree(&s.tree, t, of.Cuts, func(node int) int32 { return int32(node) })
	for i := len(s.numbers); i < t.NumLeaves(); i++ {
		s.numbers = append(s.numbers, float64(i))
	}
	s.tree.Leaf = s.numbers[:t.NumLeaves()]
	for ; lo < hi; lo += predict.BlockRows {
		end := min(lo+predict.BlockRows, hi)
		var part []uint32
		if rows != nil {
			part = rows[lo:end]
			s.expand(t, of.Matrix, 0, 0, part)
		} else {
			s.expand(t, of.Matrix, lo, end, nil)
		}
		s.leaves = sized(s.leaves, end-lo)
		clear(s.leaves)
		predict.AddRange(&s.tree, s.columns, 0, end-lo, s.leaves, &s.scratch)
		s.adder.Add(t, s.leaves, of.Floats, lo, part, scores)
	}
}

// linearFeatures returns the features that leaves have coefficients of, ascending, nil for none.
func linearFeatures(c *format.Contents) []int {
	var is []bool
	for t := range c.Trees {
		if l := c.Trees[t].Linear; l != nil {
			if is == nil {
				is = make([]bool, len(c.Cuts.Features))
			}
			for _, f := range l.Feature {
				is[f] = true
			}
		}
	}
	var features []int
	for f, is := range is {
		if is {
			features = append(features, f)
		}
	}
	return features
}

// tableFloats are the values of a table's columns that leaves need.
type tableFloats struct {
	f32 [][]float32 // by entry of Head.linear, one of both
	f64 [][]float64
}

// newTableFloats takes the columns of a table that has the model's schema.
func (h *Head) newTableFloats(t *dataset.Table) tableFloats {
	var of tableFloats
	features := t.Features()
	for _, f := range h.linear {
		var f32 []float32
		var f64 []float64
		if c := features[f]; c.Kind() == dataset.Float32 {
			f32 = c.Float32s()
		} else {
			f64 = c.Float64s()
		}
		of.f32, of.f64 = append(of.f32, f32), append(of.f64, f64)
	}
	return of
}

// writeTo gives the block the values of rows lo … hi-1.
func (of *tableFloats) writeTo(b *block, h *Head, lo, hi int) {
	for i, f := range h.linear {
		if of.f32[i] != nil {
			b.floats[f] = of.f32[i][lo:hi:hi]
			continue
		}
		to := b.ownFloats(i, f)
		for row, v := range of.f64[i][lo:hi] {
			to[row] = float32(v)
		}
	}
}

// ownFloats gives the block memory of its own for the values of a feature, entry i of Head.linear.
func (b *block) ownFloats(i, f int) []float32 {
	b.singleFloats[i] = sized(b.singleFloats[i], b.rows)
	b.floats[f] = b.singleFloats[i]
	return b.floats[f]
}

// addLinear takes all rows of the block through a tree with linear leaves, whose leaf values are their numbers.
func (b *block) addLinear(r *run, set cpu.Level, tiles bool) {
	// The last tile may have fewer rows than others; its codes are there all the same.
	b.leaves = sized(b.leaves, parallel.Blocks(b.rows, predict.TileRows)*predict.TileRows)
	clear(b.leaves)
	if tiles && r.plans != nil {
		for lo := 0; lo < b.rows; lo += predict.TileRows {
			r.plans[0].AddTile(set, b.codesOf(lo), (*[predict.TileRows]float64)(b.leaves[lo:]), &b.area)
		}
	} else {
		predict.AddRange(&r.trees[0], b.columns, 0, b.rows, b.leaves, &b.scratch)
	}
	b.adder.Add(r.linear, b.leaves[:b.rows], b.floats, 0, nil, b.raw[r.first%b.outputs*b.rows:][:b.rows])
}

// errStopsLinear is why EarlyStop is refused for a model with linear leaves.
func (h *Head) errStopsLinear() error {
	if h.linear == nil {
		return nil
	}
	return errors.New("early stopping of a prediction needs bounds of what leaves add, and linear leaves (tree.linear) have none: predict without it")
}

// linearAt returns the tree if it has linear leaves, nil else.
func linearAt(linear []*tree.Tree, i int) *tree.Tree {
	if linear == nil {
		return nil
	}
	return linear[i]
}

// compileLinear gives the compiled tree the numbers of leaves as leaf values where leaves are linear, and notes the tree.
func (e *Engine) compileLinear(t int) {
	of := &e.contents.Trees[t]
	if of.Linear == nil {
		return
	}
	if e.linear == nil {
		e.linear = make([]*tree.Tree, len(e.trees))
	}
	for i := len(e.numbers); i < of.NumLeaves(); i++ {
		e.numbers = append(e.numbers, float64(i))
	}
	e.linear[t] = of
	e.trees[t].Leaf = slices.Clip(e.numbers[:of.NumLeaves()])
}
