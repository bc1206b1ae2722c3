package search

import (
	"context"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
)

// Refit is booster.Refit, which also takes the mean of models of train.blend: each gets new leaf values by itself.
func Refit(ctx context.Context, m *booster.Model, t *dataset.Table, decay float64, opts ...booster.Option) (*booster.Model, error) {
	members, err := m.Members()
	if err != nil {
		return nil, err
	}
	if len(members) < 2 { // what it says of other means is right
		return booster.Refit(ctx, m, t, decay, opts...)
	}
	sum, err := m.SHA256()
	if err != nil {
		return nil, err
	}
	c := *m.Contents()
	var leaves []float64
	for _, member := range members {
		refitted, err := booster.Refit(ctx, member, t, decay, opts...)
		if err != nil {
			return nil, err
		}
		its := refitted.Contents()
		for i := range its.Trees {
			for _, v := range its.Trees[i].Leaf {
				leaves = append(leaves, v/float64(len(members)))
			}
		}
		c.Fingerprint, c.NumericsVersion, c.Schema.Written, c.Origin = its.Fingerprint, its.NumericsVersion, its.Schema.Written, its.Origin
	}
	with, err := m.WithLeaves(leaves)
	if err != nil {
		return nil, err
	}
	origin := *c.Origin
	origin.Models, origin.Whole, origin.Tables = []string{sum}, m.Contents().Whole(), m.Contents().Tables()
	c.Trees, c.History, c.ValidPrints, c.Origin = with.Contents().Trees, nil, nil, &origin
	return model.New(c)
}
