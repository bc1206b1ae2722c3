package search

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"boost/booster"
	"boost/booster/internal/checkpoint"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/cpu"
	"boost/parallel"
)

// Bagging is what Bag tells of.
type Bagging struct {
	Log     *slog.Logger       // nil for none
	OnRound func(done, of int) // as Params.OnRound
	Report  *booster.Report    // filled in if not nil
	// Limit ends training after this time with the rounds that all models have then, which the model's parameters say; 0 = none.
	Limit time.Duration
	// Checkpoints are as in Params.
	Checkpoints booster.Checkpoints
	Own         Own
}

// Averages reports whether models of a table's folds can be averaged: not from init scores, nor where leaves are stored in few bits while
// training.
func Averages(p *booster.Params, table *dataset.Table) bool {
	return !p.ErrorFeedback && !hasInitScores(table)
}

func hasInitScores(table *dataset.Table) bool {
	return slices.ContainsFunc(table.Columns(), func(c *dataset.Column) bool { return c.Role() == dataset.InitScoreRole })
}

// Bag trains p.BagFolds models, each on all rows but those of its fold, and returns one whose raw scores are their mean. Its
// trees are in the order of their rounds, those of the first fold first. All models have as many rounds as are best on the
// mean of the folds' first metric. The same table, parameters and seed give the same bytes. Errors are those of
// booster.Train; cancelling ctx leaves no model.
func Bag(ctx context.Context, p booster.Params, table *dataset.Table, b Bagging) (*booster.Model, error) {
	start := time.Now()
	p = p.OrDefaults()
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if p.BagFolds == 0 {
		return nil, fmt.Errorf("%w: train.bag_folds = 0: booster.Train trains one model", booster.ErrParams)
	}
	if table == nil {
		return nil, fmt.Errorf("%w: train.bag_folds = %d (as train.effort = \"best\" sets it) trains on parts of the rows, which have to be in memory: set data.out_of_core = \"false\", or train.bag_folds = 0", booster.ErrParams, p.BagFolds)
	}
	if hasInitScores(table) {
		return nil, fmt.Errorf("%w: train.bag_folds = %d: models that start from init scores cannot be averaged: leave one of both out", booster.ErrParams, p.BagFolds)
	}
	each := p
	each.BagFolds, each.TimeLimit = 0, b.Limit
	c := Params{Division: Division{Folds: p.BagFolds, Seed: p.Seed}, Log: b.Log, OnRound: b.OnRound, Checkpoints: b.Checkpoints, Own: b.Own, bags: true}
	if c.report = b.Report; c.report == nil {
		c.report = &booster.Report{}
	}
	found, chosen, err := sameChoices(ctx, each, table, c)
	if err != nil {
		return nil, err
	}
	r := c.report
	r.Rounds, r.BestRound, r.Bagged = found.Rounds, found.Best, p.BagFolds
	switch {
	case found.TimedOut:
		r.Stopped = booster.StoppedTimeLimit
	case found.Rounds == p.Rounds:
		r.Stopped = booster.StoppedRounds
	case r.Stopped != booster.StoppedUnsplit:
		r.Stopped = booster.StoppedEarly
	}
	r.BinSeconds, r.TrainSeconds, r.ScoreSeconds, r.HeldOut = 0, time.Since(start).Seconds(), 0, nil
	valid := map[string]float64{}
	for _, m := range found.Metrics {
		valid[m.Name] = m.Pooled
	}
	r.Metrics = map[string]map[string]float64{"valid": valid}
	chosen.Threads, chosen.BagFolds, chosen.EarlyStopping, chosen.MinDelta = p.Threads, p.BagFolds, p.EarlyStopping, p.MinDelta
	if found.TimedOut {
		chosen = Fixed(chosen, found.Best)
	}
	return found.bagged(chosen, table)
}

// sameChoices cross-validates, and returns the parameters with what the folds chose. Folds whose numbers of rows lie on both
// sides of a bound may choose different gradients: all take those of the first then.
func sameChoices(ctx context.Context, p booster.Params, table *dataset.Table, c Params) (*Result, booster.Params, error) {
	start := time.Now()
	found, err := CrossValidate(ctx, p, table, c)
	if err != nil {
		return nil, p, err
	}
	chosen, err := booster.ParamsOf(found.Models[0])
	if err != nil {
		return nil, p, err
	}
	for _, m := range found.Models {
		if !bytes.Equal(m.Contents().Params, found.Models[0].Contents().Params) {
			p.Gradients, p.Rounding, p.RenewLeaves = chosen.Gradients, chosen.Rounding, chosen.RenewLeaves
			if c.Checkpoints.Dir != "" {
				c.Checkpoints.Dir = filepath.Join(c.Checkpoints.Dir, checkpoint.Again)
			}
			if p.TimeLimit > 0 {
				p.TimeLimit = max(time.Millisecond, p.TimeLimit-time.Since(start))
			}
			found, err = CrossValidate(ctx, p, table, c)
			break
		}
	}
	return found, chosen, err
}

// Average returns one model whose raw scores are the mean of those of the folds' models (see model.Mean).
func (r *Result) Average() (*booster.Model, error) { return model.Mean(r.Models...) }

// bagged returns the average as what p trains.
func (r *Result) bagged(p booster.Params, table *dataset.Table) (*booster.Model, error) {
	average, err := r.Average()
	if err != nil {
		return nil, err
	}
	c := *average.Contents()
	trees, wide := c.Trees, c.WideRounds
	c.Trees, c.WideRounds, c.Origin, c.Segments = nil, nil, nil, nil
	places := make([]int, len(trees)/c.Outputs) // of rounds, by those that they have one model after the other
	firsts := make([]int, len(r.Models))
	for f := 1; f < len(firsts); f++ {
		firsts[f] = firsts[f-1] + r.Models[f-1].Rounds()
	}
	for round := range r.Best {
		for f, m := range r.Models {
			if round < m.Rounds() {
				from := firsts[f] + round
				places[from] = len(c.Trees) / c.Outputs
				c.Trees = append(c.Trees, trees[from*c.Outputs:][:c.Outputs]...)
			}
		}
	}
	for _, w := range wide {
		w.Round = places[w.Round]
		c.WideRounds = append(c.WideRounds, w)
	}
	slices.SortFunc(c.WideRounds, func(a, b model.WideRound) int { return a.Round - b.Round })
	if c.Params, err = p.ModelParams(); err != nil {
		return nil, err
	}
	pool := parallel.NewPool(cmp.Or(p.Threads, cpu.Threads()))
	defer pool.Close()
	c.Fingerprint = table.Fingerprint(pool)
	return model.New(c)
}
