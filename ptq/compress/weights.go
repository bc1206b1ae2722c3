package compress

import (
	"context"
	"fmt"

	"boost/booster/model"
	"boost/dataset"
	"boost/ptq"
)

// CoverWeights weighs each leaf by its cover: the sum of the hessians of its training rows,
// which for squared loss is their number, or the sum of their weights. A model whose covers
// were dropped is an error.
func CoverWeights(m *model.Model) (*ptq.Weights, error) {
	var weights []float64
	for i := range m.Contents().Trees {
		t := &m.Contents().Trees[i]
		if len(t.LeafCover) != t.NumLeaves() {
			return nil, fmt.Errorf("tree %d has no covers, as of a model whose statistics were dropped: weigh leaves by a table's rows", i)
		}
		weights = append(weights, t.LeafCover...)
	}
	return ptq.NewWeights(weights)
}

// HitWeights weighs each leaf by the rows of a table that reach it, which count by the table's
// weights where it has some. Errors: those of model.Model.Predict.
func HitWeights(ctx context.Context, m *model.Model, t *dataset.Table, opts ...Option) (*ptq.Weights, error) {
	s, err := newSample(ctx, m, t, opts)
	if err != nil {
		return nil, err
	}
	defer s.close()
	var all []float64
	for i := range m.Contents().Trees {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		tree := &m.Contents().Trees[i]
		s.visit(tree)
		s.sum(tree.NumLeaves(), nil, s.rowWeights)
		for leaf := range tree.NumLeaves() {
			all = append(all, s.weights[leaf])
		}
	}
	return ptq.NewWeights(all)
}
