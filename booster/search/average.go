package search

import (
	"slices"

	"boost/booster"
	"boost/booster/model"
)

// Average returns one model whose raw scores are the mean of those of the folds' models: the trees of all of them, with
// leaf values and base scores divided by their number (see model.Merge).
func (r *Result) Average() (*booster.Model, error) {
	share := float64(len(r.Models))
	parts := make([]*booster.Model, len(r.Models))
	for i, m := range r.Models {
		c := *m.Contents()
		c.BaseScore, c.Trees = divided(c.BaseScore, share), slices.Clone(c.Trees)
		for t := range c.Trees {
			c.Trees[t] = *c.Trees[t].CloneLeaves()
			c.Trees[t].Divide(share)
		}
		var err error
		if parts[i], err = model.New(c); err != nil {
			return nil, err
		}
	}
	return model.Merge(parts...)
}

func divided(values []float64, by float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v / by
	}
	return out
}
