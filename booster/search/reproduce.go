package search

import (
	"context"
	"errors"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
)

// Reproduce repeats the step that made m from its table: training, going on from base, or refitting base; a nil
// base is for a model that was trained from nothing. The options name what the model was trained with, as
// validation sets in their order.
func Reproduce(ctx context.Context, m, base *booster.Model, table *dataset.Table, opts ...booster.Option) (*booster.Model, error) {
	p, err := booster.ParamsOf(m)
	switch {
	case err != nil:
		return nil, err
	case base == nil && p.BagFolds > 0:
		again, err := Bag(ctx, p, table, Bagging{})
		if err != nil {
			return nil, err
		}
		return again.Prefix(min(m.Rounds(), again.Rounds())) // it may have been rolled back since
	case base == nil && p.Blend > 0:
		again, err := Blend(ctx, p, booster.InMemory(table), Blending{Options: opts})
		if err != nil || again.Rounds() <= m.Rounds() {
			return again, err
		}
		return again.Prefix(m.Rounds()) // it has been rolled back since
	case base == nil:
		return trainAgain(ctx, m, p, table, opts)
	}
	if o := m.Contents().Origin; o.How == model.Refitted {
		again, err := Refit(ctx, base, table, o.Decay, opts...)
		if err != nil {
			return nil, err
		}
		return again.Prefix(min(m.Rounds(), again.Rounds())) // it may have been rolled back since
	}
	return trainAgain(ctx, m, p, table, append(opts, booster.From(base)))
}

// trainAgain trains with the model's parameters for as many rounds as it was, also
// where a limit or Ctrl-C ended it, which the parameters do not tell.
func trainAgain(ctx context.Context, m *booster.Model, params booster.Params, table *dataset.Table, opts []booster.Option) (*booster.Model, error) {
	rounds := m.Contents().RoundsTrained()
	if params.Retrain { // only a training that ended by itself was followed by another
		return booster.Train(ctx, params, table, opts...)
	}
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	opts = append(opts, booster.OnRound(func(r booster.Round) {
		if r.Index+1 == rounds {
			cancel()
		}
	}))
	again, err := booster.Train(limited, params, table, opts...)
	if ctx.Err() == nil && again != nil && errors.Is(err, booster.ErrInterrupted) {
		err = nil
	}
	return again, err
}
