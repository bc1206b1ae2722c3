package model

import "slices"

// Mean returns one model whose raw scores are the mean of those of the models: the trees of all of them, one model after the other, with
// leaf values and base scores divided by their number. Errors are those of Merge.
func Mean(models ...*Model) (*Model, error) {
	share := float64(len(models))
	parts := make([]*Model, len(models))
	for i, m := range models {
		c := *m.Contents()
		c.BaseScore, c.Trees = slices.Clone(c.BaseScore), slices.Clone(c.Trees)
		for k := range c.BaseScore {
			c.BaseScore[k] /= share
		}
		for t := range c.Trees {
			c.Trees[t] = *c.Trees[t].CloneLeaves()
			c.Trees[t].Divide(share)
		}
		var err error
		if parts[i], err = New(c); err != nil {
			return nil, err
		}
	}
	return Merge(parts...)
}
