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
	s.prepare(t, c, m)
	predict.AddRange(&s.tree, s.columns, lo, hi, scores, &s.scratch)
	scorers.Put(s)
}

// AddScoresRows is AddScores for the listed rows.
func AddScoresRows(t *tree.Tree, c *binning.Cuts, m *binning.Matrix, rows []uint32, scores []float64) {
	s := scorers.Get().(*scorer)
	s.prepare(t, c, m)
	predict.AddRows(&s.tree, s.columns, rows, scores, &s.scratch)
	scorers.Put(s)
}

// scorer is the working memory of one call; column n belongs to split node n.
type scorer struct {
	tree    predict.Tree
	columns []predict.Column
	scratch predict.Scratch
}

var scorers = sync.Pool{New: func() any { return new(scorer) }}

// prepare reuses the memory that the scorer has.
func (s *scorer) prepare(t *tree.Tree, c *binning.Cuts, m *binning.Matrix) {
	compileTree(&s.tree, t, c, func(node int) int32 { return int32(node) })
	s.columns = s.columns[:0]
	for _, f := range t.Feature {
		column := m.Column(int(f))
		s.columns = append(s.columns, predict.Column{
			Bits: uint8(column.Bits), U4: column.U4(), U8: column.U8(), U16: column.U16(), U32: column.U32(),
		})
	}
}
