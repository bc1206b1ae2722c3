package booster

import (
	"context"
	"errors"

	"boost/booster/model"
	"boost/dataset"
)

// RoundsTrained returns how many rounds there were, also those after the best one.
func RoundsTrained(c *model.Contents) int {
	rounds := c.BestRound
	for _, h := range c.History {
		rounds = max(rounds, len(h.Values))
	}
	return rounds
}

// Reproduce repeats the step that made m from its table: training, going on from base, or refitting base; a nil
// base is for a model that was trained from nothing. The options name what the model was trained with, as
// validation sets in their order.
func Reproduce(ctx context.Context, m, base *Model, table *dataset.Table, opts ...Option) (*Model, error) {
	if base == nil {
		return trainAgain(ctx, m, table, opts)
	}
	if o := m.Contents().Origin; o.How == model.Refitted {
		again, err := Refit(ctx, base, table, o.Decay, opts...)
		if err != nil {
			return nil, err
		}
		return again.Prefix(min(m.Rounds(), again.Rounds())) // it may have been rolled back since
	}
	return trainAgain(ctx, m, table, append(opts, From(base)))
}

// trainAgain trains with the model's parameters for as many rounds as it was, also
// where a limit or Ctrl-C ended it, which the parameters do not tell.
func trainAgain(ctx context.Context, m *Model, table *dataset.Table, opts []Option) (*Model, error) {
	params, err := ParamsOf(m)
	if err != nil {
		return nil, err
	}
	rounds := RoundsTrained(m.Contents())
	if params.Retrain { // only a training that ended by itself was followed by another
		return Train(ctx, params, table, opts...)
	}
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	opts = append(opts, OnRound(func(r Round) {
		if r.Index+1 == rounds {
			cancel()
		}
	}))
	again, err := Train(limited, params, table, opts...)
	if ctx.Err() == nil && again != nil && errors.Is(err, ErrInterrupted) {
		err = nil
	}
	return again, err
}
