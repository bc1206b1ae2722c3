package booster

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"boost/booster/internal/checkpoint"
	"boost/booster/internal/source"
	"boost/booster/model"
)

// retrains reports whether a run that has ended trains once more, on all rows.
func (b *boosting) retrains(stopErr error) bool {
	switch {
	case stopErr != nil:
		return false
	case b.stopped == StoppedTimeLimit:
		b.log.Warn("no time is left to train on all rows (train.retrain): the model has seen all but those held out")
		return false
	case b.best == b.first:
		return false
	}
	return true
}

// checkRetrain returns what train.retrain does not go together with.
func (r *run) checkRetrain(train source.Source) error {
	var problem string
	_, cached := train.(*source.Cached)
	switch {
	case !r.p.Retrain:
	case len(r.valid) > 0:
		problem = "and a validation set is given, so that no rows of the training table are held out: leave one of both out"
	case !r.p.HoldsOut(0):
		problem = "and no rows are held out: set train.early_stopping or train.valid_share, or leave it out"
	case r.baseModel != nil && (train.Files() != nil || r.cache != nil || cached):
		problem = "and training goes on from a model, with codes that are found anew on all rows, so that data.out_of_core and data.cache do not go with it: leave them out"
	case r.store != nil || r.p.ErrorFeedback:
		problem = "and leaves are stored while trees grow (quantize.error_feedback): leave one of both out"
	}
	if problem == "" {
		return nil
	}
	return fmt.Errorf("%w: train.retrain is set, %s", ErrParams, problem)
}

// retrain trains on all rows of the table for as many rounds as the best model has, with the parameters that were chosen. The model has the
// parameters and the history of the first training. Where time runs out it is the model of the first training.
func (r *run) retrain(ctx context.Context, first *Model, train Data) (*Model, error) {
	report, opts := *r.report, r.options
	report.BinSeconds = 0
	opts.report, opts.pool, opts.most = &report, r.pool, first.Rounds()
	opts.earlyStop, opts.rateBy, opts.rows = nil, nil, nil // rates are those of the first training
	if opts.saves.Dir != "" {
		opts.saves.Dir = filepath.Join(opts.saves.Dir, checkpoint.AllRows)
	}
	p := r.p
	p.Retrain, p.EarlyStopping, p.MinDelta, p.ValidShare, p.ValidBy = false, 0, 0, 0, ""
	if r.custom != nil {
		p.Objective = "" // its name is none of a parameter
	}
	again, err := newRun(p, []Option{func(o *options) { *o = opts }})
	if err != nil {
		return nil, err
	}
	again.start, again.order = r.start, r.order
	defer again.close()
	b, m, err := again.train(ctx, train.source)
	if errors.Is(err, ErrBudget) || b != nil && b.stopped == StoppedTimeLimit {
		r.log.Warn("time was over before training on all rows ended (train.retrain): the model has seen all but those held out")
		return r.notRetrained(first, nil)
	}
	if err != nil && ctx.Err() != nil {
		return r.notRetrained(first, fmt.Errorf("%w while training on all rows (train.retrain): the model has seen all but those held out: %w", ErrInterrupted, err))
	}
	if err != nil {
		return nil, fmt.Errorf("training on all rows (train.retrain): %w", err)
	}
	r.report.Retrained = true
	r.report.BinSeconds += report.BinSeconds
	r.report.TrainSeconds += report.TrainSeconds
	r.report.ScoreSeconds += report.ScoreSeconds
	r.report.PeakBytes = max(r.report.PeakBytes, report.PeakBytes)
	if r.reported {
		r.report.Metrics["train"] = report.Metrics["train"]
	}
	r.log.Debug("trained again on all rows", "rounds", m.Rounds())
	c, was := *m.Contents(), first.Contents()
	c.Params, c.History, c.Fingerprint = was.Params, was.History, was.Fingerprint
	return model.New(c)
}

// notRetrained returns the model of the first training, whose parameters say that it is that, and why no other followed.
func (r *run) notRetrained(first *Model, cause error) (*Model, error) {
	r.p.Retrain = false
	params, err := r.p.ModelParams()
	if err != nil {
		return nil, err
	}
	c := *first.Contents()
	c.Params = params
	m, err := model.New(c)
	if err != nil {
		return nil, err
	}
	return m, cause
}

// train is a run from the tables to the model.
func (r *run) train(ctx context.Context, from source.Source) (*boosting, *Model, error) {
	b, err := r.prepare(ctx, from)
	if err != nil {
		return nil, nil, err
	}
	stopErr := b.rounds(ctx)
	if b.done == b.first || stopErr != nil && !errors.Is(stopErr, ErrInterrupted) {
		return nil, nil, stopErr
	}
	start := time.Now()
	m, err := b.finish()
	r.report.ScoreSeconds = time.Since(start).Seconds()
	if err != nil {
		return nil, nil, err
	}
	return b, m, stopErr
}
