package compress

import (
	"context"
	"fmt"

	"boost/booster/model"
	"boost/dataset"
)

// CoverWeights weighs each leaf by its cover: the sum of the hessians of its training rows,
// which for squared loss is their number, or the sum of their weights. A model whose covers
// were dropped is an error.
func CoverWeights(m *model.Model) ([]float64, error) {
	var weights []float64
	for i := range m.Contents().Trees {
		t := &m.Contents().Trees[i]
		if len(t.LeafCover) != t.NumLeaves() {
			return nil, fmt.Errorf("tree %d has no covers, as of a model whose statistics were dropped: weigh leaves by a table's rows", i)
		}
		weights = append(weights, t.LeafCover...)
	}
	return weights, nil
}

// HitWeights weighs each leaf by the rows of a table that reach it, which count by the table's
// weights where it has some. Errors: those of model.Model.Predict.
func HitWeights(ctx context.Context, m *model.Model, t *dataset.Table) ([]float64, error) {
	s, err := newSample(ctx, m, t, nil)
	if err != nil {
		return nil, err
	}
	defer s.close()
	var all []float64
	for i := range s.trees {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.visit(&s.trees[i])
		all = s.sum(all, s.trees[i].NumLeaves(), nil, s.rowWeights)
	}
	return all, nil
}
