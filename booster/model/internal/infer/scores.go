package infer

import (
	"slices"
	"sync"

	"boost/binning"
	"boost/internal/kernel/predict"
	"boost/tree"
)

// Coded is rows as trees see them.
type Coded struct {
	Cuts   *binning.Cuts   // that trees were grown on
	Matrix *binning.Matrix // of codes that come from them
	Floats [][]float32     // by feature, the values of the rows; only trees with linear leaves read them
}

// AddScores adds to scores[row] the value of the row's leaf, for rows lo … hi-1. It allocates
// nothing once warm, and concurrent calls on disjoint rows are safe. The tree must be
// valid.
func AddScores(t *tree.Tree, of Coded, lo, hi int, scores []float64) {
	s := scorers.Get().(*scorer)
	defer scorers.Put(s)
	if t.Linear != nil {
		s.addLinear(t, of, lo, hi, nil, scores)
		return
	}
	c, m := of.Cuts, of.Matrix
	if s.prepare(t, c, m) {
		predict.AddRange(&s.tree, s.columns, lo, hi, scores, &s.scratch)
		return
	}
	for ; lo < hi; lo += predict.BlockRows {
		end := min(lo+predict.BlockRows, hi)
		s.expand(t, m, lo, end, nil)
		predict.AddRange(&s.tree, s.columns, 0, end-lo, scores[lo:end], &s.scratch)
	}
}

// AddScoresRows is AddScores for the listed rows.
func AddScoresRows(t *tree.Tree, of Coded, rows []uint32, scores []float64) {
	s := scorers.Get().(*scorer)
	defer scorers.Put(s)
	if t.Linear != nil {
		s.addLinear(t, of, 0, 0, rows, scores)
		return
	}
	c, m := of.Cuts, of.Matrix
	if s.prepare(t, c, m) {
		predict.AddRows(&s.tree, s.columns, rows, scores, &s.scratch)
		return
	}
	var part [predict.BlockRows]float64
	for len(rows) > 0 {
		n := min(predict.BlockRows, len(rows))
		s.expand(t, m, 0, 0, rows[:n])
		values := part[:n]
		clear(values)
		predict.AddRange(&s.tree, s.columns, 0, n, values, &s.scratch)
		for i, row := range rows[:n] {
			scores[row] += values[i]
		}
		rows = rows[n:]
	}
}

// scorer is the working memory of one call; column n belongs to split node n.
type scorer struct {
	tree     predict.Tree
	columns  []predict.Column
	scratch  predict.Scratch
	plan     predict.Plan
	bits     []uint8 // of the columns of a plan, all 8
	task     planTask
	expanded binning.Expansion
	sides    []uint8    // by code of a feature: 1 where it goes right
	shared   [256]uint8 // the same by code of a column that features share
	leaves   []float64  // of a tree with linear leaves: the leaf of each row
	numbers  []float64  // 0, 1, 2, …
	adder    tree.LinearAdder
}

var scorers = sync.Pool{New: func() any { return new(scorer) }}

// prepare reuses the memory that the scorer has. It reports false where some feature
// of the tree is in no column, or has missing values beside it: its codes have to be
// expanded. A column that features share is read as it is, by nodes that know its codes.
func (s *scorer) prepare(t *tree.Tree, c *binning.Cuts, m *binning.Matrix) bool {
	compileTree(&s.tree, t, c, func(node int) int32 { return int32(node) })
	s.columns = s.columns[:0]
	for n, f := range t.Feature {
		if m.HaveOwnColumns(t.Feature[n : n+1]) {
			s.add(m.Column(int(f)))
			continue
		}
		s.setSides(t, n, c.Features[f].Regular, int(m.FeatureInfo(int(f)).NBins))
		unit := m.Shared(int(f), s.sides, &s.shared)
		if unit < 0 {
			return false
		}
		sendByTable(&s.tree, n, s.shared[:m.FeatureGroups()[unit].NBins])
		s.add(m.GroupColumn(unit))
	}
	return true
}

// setSides writes where node n sends each of its feature's codes.
func (s *scorer) setSides(t *tree.Tree, n int, regular uint32, codes int) {
	s.sides = slices.Grow(s.sides[:0], codes)[:codes]
	for code := range s.sides {
		s.sides[code] = 1
		if t.GoesLeft(n, uint32(code), regular) {
			s.sides[code] = 0
		}
	}
}

// sendByTable makes node n send each code to the side of the table: 1 is right. Where the
// codes of the right side follow each other, the first code after the last, the node is a
// comparison of numbers; else it looks up a bit.
func sendByTable(t *predict.Tree, n int, sides []uint8) {
	starts, first, right := 0, 0, 0
	for code, side := range sides {
		right += int(side)
		if side == 1 && sides[(code+len(sides)-1)%len(sides)] == 0 {
			starts, first = starts+1, code
		}
	}
	node := &t.Nodes[n]
	node.Form, node.Lo, node.Span = predict.Range, uint32(first), uint32(right)
	switch {
	case starts > 1:
		last := len(sides) - 1
		node.Form, node.Lo, node.Set, node.Span = predict.Bits, uint32(last), uint32(len(t.Words)), uint32(last/32+1)
		for range node.Span {
			t.Words = append(t.Words, 0)
		}
		for code, side := range sides {
			t.Words[int(node.Set)+code/32] |= uint32(side) << (code % 32)
		}
	case first+right > len(sides): // all but the left ones, which end before the first
		node.Span = -uint32(len(sides) - right)
	}
}

func (s *scorer) add(c binning.Column) {
	s.columns = append(s.columns, predict.Column{Bits: uint8(c.Bits), U4: c.U4(), U8: c.U8(), U16: c.U16(), U32: c.U32()})
}

// expand takes the codes of rows lo … hi-1, or of the listed ones, out of the matrix.
func (s *scorer) expand(t *tree.Tree, m *binning.Matrix, lo, hi int, rows []uint32) {
	m.Expand(t.Feature, lo, hi, rows, &s.expanded)
	s.columns = s.columns[:0]
	for _, c := range s.expanded.Columns {
		s.add(c)
	}
}
