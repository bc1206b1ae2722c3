package model

import (
	"sync"

	"boost/binning"
	"boost/internal/kernel/predict"
	"boost/tree"
)

// AddScores adds to scores[row] the value of the row's leaf, for rows lo … hi-1 of the
// matrix, whose codes come from the cuts that the tree was grown on. It allocates
// nothing once warm, and concurrent calls on disjoint rows are safe. The tree must be
// valid.
func AddScores(t *tree.Tree, c *binning.Cuts, m *binning.Matrix, lo, hi int, scores []float64) {
	s := scorers.Get().(*scorer)
	defer scorers.Put(s)
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
func AddScoresRows(t *tree.Tree, c *binning.Cuts, m *binning.Matrix, rows []uint32, scores []float64) {
	s := scorers.Get().(*scorer)
	defer scorers.Put(s)
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
	expanded binning.Expansion
}

var scorers = sync.Pool{New: func() any { return new(scorer) }}

// prepare reuses the memory that the scorer has. It reports false where some feature
// of the tree has no column of its own: its codes have to be expanded.
func (s *scorer) prepare(t *tree.Tree, c *binning.Cuts, m *binning.Matrix) bool {
	compileTree(&s.tree, t, c, func(node int) int32 { return int32(node) })
	if !m.Direct(t.Feature) {
		return false
	}
	s.columns = s.columns[:0]
	for _, f := range t.Feature {
		s.add(m.Column(int(f)))
	}
	return true
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
