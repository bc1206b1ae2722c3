package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"reflect"
	"strconv"
	"time"

	"boost/booster"
	"boost/booster/internal/checkpoint"
	"boost/booster/model"
	"boost/internal/cpu"
	"boost/parallel"
	"boost/tree/grow"
)

// Blending is what Blend tells of, and what all of its models are trained with.
type Blending struct {
	Log *slog.Logger // nil for none
	// OnRound is called after each round of each model, with those of the first evaluated only; nil for none.
	OnRound func(booster.Round)
	Report  *booster.Report // that of the first model, with the times of all; filled in if not nil
	// Checkpoints are as in Params.
	Checkpoints booster.Checkpoints
	// Train and Valid are the rows to train on and to stop by, ascending, nil for those that training holds out; all models see both in
	// the end.
	Train, Valid []int32
	// Spread says that other ranks have rows too (booster.WithRanks): each model is binned by itself.
	Spread bool
	// Options are those of all models.
	Options []booster.Option
}

// Blend trains p.Blend models, as train.blend describes, and returns one whose raw scores are the mean of theirs. Its trees are those of the
// first model, then those of the second, and so on. The first two find their rounds on rows that are held out, and are trained again on all
// rows; each later one has the rounds of the one before the last, and draws of its own (its seed is p.Seed plus its number, from 0 on).
// The same rows, parameters and seed give the same bytes.
//
// Where no rows are held out, or time is over, it is the mean of those models that there are, and its parameters say how many. Errors are
// those of booster.TrainOn; with ErrInterrupted there may be such a model, too.
func Blend(ctx context.Context, p booster.Params, train booster.Data, b Blending) (*booster.Model, error) {
	p = p.OrDefaults()
	if err := checkBlend(&p); err != nil {
		return nil, err
	}
	if b.Log == nil {
		b.Log = slog.New(slog.DiscardHandler)
	}
	if b.Report == nil {
		b.Report = &booster.Report{}
	}
	w := &blending{Blending: b, p: p, data: train, start: time.Now()}
	if err := w.bin(ctx); err != nil {
		return nil, interrupted(ctx, err)
	}
	for len(w.models) < p.Blend {
		goesOn, err := w.next(ctx)
		if err != nil || !goesOn {
			return w.mean(err)
		}
	}
	return w.mean(nil)
}

// checkBlend returns what is wrong with the parameters.
func checkBlend(p *booster.Params) error {
	problem := ""
	switch {
	case p.Blend < 2:
		problem = "a mean is of 2 models or more: give so many, or 0 for one model"
	case p.Boosting != booster.PlainBoosting:
		problem = fmt.Sprintf("models of train.boosting = %q are means, or lose trees: leave one of both out", p.Boosting)
	case p.Tree.Growth == grow.Symmetric:
		problem = `every second model has symmetric trees: set tree.growth = "leaf" or "depth" for the others, or leave one of both out`
	case p.ValidBy != "":
		problem = fmt.Sprintf("not all models can hold the rows of train.valid_by = %q out: leave one of both out", p.ValidBy)
	case !p.Retrain:
		problem = "its models see all rows in the end: set train.retrain = true, or leave it out"
	}
	if problem != "" {
		return fmt.Errorf("%w: train.blend = %d: %s", booster.ErrParams, p.Blend, problem)
	}
	if err := p.Validate(); err != nil {
		return err
	}
	other := symmetric(*p)
	if err := other.Validate(); err != nil {
		return fmt.Errorf("%w (train.blend = %d: every second model has symmetric trees; set train.blend = 0 for one model)", err, p.Blend)
	}
	return nil
}

// symmetric returns the parameters of the models with symmetric trees. All nodes of a level take part in the choice of its split, which
// keeps leaves of few rows from following their noise.
func symmetric(p booster.Params) booster.Params {
	p.Tree.Growth, p.Tree.MinDataInLeaf, p.Tree.LambdaL2 = grow.Symmetric, min(p.Tree.MinDataInLeaf, 1), p.Tree.LambdaL2/3
	return p
}

// blending is a Blend under way.
type blending struct {
	Blending
	p      booster.Params
	data   booster.Data
	start  time.Time
	models []*booster.Model
}

// bin bins a table in memory once for all models.
func (w *blending) bin(ctx context.Context) error {
	table := w.data.Table()
	if table == nil || w.Spread {
		return nil
	}
	pool := parallel.NewPool(cmp.Or(w.p.Threads, cpu.Threads()))
	defer pool.Close()
	p := w.p
	p.Blend = 0
	data, notes, err := booster.Binned(ctx, p, table, pool, w.Log)
	if err != nil {
		return err
	}
	for _, note := range notes {
		w.Log.Info(note)
	}
	w.data = data
	return nil
}

// next trains another model, and reports whether there may be more.
func (w *blending) next(ctx context.Context) (bool, error) {
	i := len(w.models)
	p, err := w.paramsOf(i)
	if err != nil {
		return false, err
	}
	report, saves := w.Report, w.Checkpoints
	opts := append(w.Options[:len(w.Options):len(w.Options)], booster.Logger(w.Log), booster.OnRound(w.OnRound))
	if i > 0 {
		w.Log.Debug("another model is trained", "number", i+1, "of", w.p.Blend, "growth", p.Tree.Growth)
		report = &booster.Report{}
		opts = append(opts, booster.WithCache(nil), booster.Logger(nil), booster.OnRound(w.withoutEvals()))
		if saves.Dir != "" {
			saves.Dir = filepath.Join(saves.Dir, checkpoint.Model+strconv.Itoa(i+1))
		}
	}
	if i < 2 && w.Train != nil {
		opts = append(opts, booster.OnRows(w.Train, w.Valid))
	}
	if i >= 2 {
		opts = append(opts, booster.RateBy(nil))
	}
	m, err := booster.TrainOn(ctx, p, w.data, append(opts, booster.WithReport(report), booster.WithCheckpoints(saves))...)
	over := errors.Is(err, booster.ErrBudget) || report.Stopped == booster.StoppedTimeLimit || i < 2 && !report.Retrained
	if i == 0 {
		if m != nil {
			w.models = append(w.models, m)
		}
		return !over, err
	}
	w.Report.BinSeconds += report.BinSeconds
	w.Report.TrainSeconds += report.TrainSeconds
	w.Report.ScoreSeconds += report.ScoreSeconds
	w.Report.PeakBytes = max(w.Report.PeakBytes, report.PeakBytes)
	if over && !errors.Is(err, booster.ErrInterrupted) {
		w.Log.Warn(fmt.Sprintf("time was over before all models of train.blend = %d were trained: %d are averaged", w.p.Blend, i))
		return false, nil
	}
	if err != nil {
		return false, err
	}
	w.models = append(w.models, m)
	return true, nil
}

// paramsOf returns the parameters of a model. What was left open is as it is in those before.
func (w *blending) paramsOf(i int) (booster.Params, error) {
	p := w.p
	if p.Blend = 0; i == 0 {
		return p, nil
	}
	before, err := booster.ParamsOf(w.models[max(i-2, 0)])
	if err != nil {
		return p, err
	}
	given := booster.Settings(&w.p)
	for k, s := range booster.Settings(&before) {
		if s.Run {
			reflect.ValueOf(s.Value).Elem().Set(reflect.ValueOf(given[k].Value).Elem())
		}
	}
	before.Objective = p.Objective // an own one has another name
	if before.TimeLimit > 0 {
		before.TimeLimit = max(before.TimeLimit-time.Since(w.start), time.Millisecond)
	}
	if i == 1 {
		before.Rates = p.Rates
		return symmetric(before), nil
	}
	before = Fixed(before, w.models[i-2].Rounds())
	before.Seed, before.ValidShare = p.Seed+uint64(i), 0
	return before, nil
}

// withoutEvals returns what is told of the rounds of models after the first.
func (w *blending) withoutEvals() func(booster.Round) {
	if w.OnRound == nil {
		return nil
	}
	return func(r booster.Round) {
		r.Evals = nil
		w.OnRound(r)
	}
}

// mean returns the mean of the models that there are, and the cause why there are no more.
func (w *blending) mean(cause error) (*booster.Model, error) {
	if cause != nil && !errors.Is(cause, booster.ErrInterrupted) || len(w.models) == 0 {
		return nil, cause
	}
	first := w.models[0]
	if len(w.models) == 1 {
		return first, cause
	}
	p, err := booster.ParamsOf(first)
	if err != nil {
		return nil, err
	}
	mean, err := model.Mean(w.models...)
	if err != nil {
		return nil, err
	}
	c, was := *mean.Contents(), first.Contents()
	if p.Blend = len(w.models); p.Blend != w.p.Blend {
		w.Log.Debug("models are averaged", "models", p.Blend)
	}
	w.Report.Blended = p.Blend
	delete(w.Report.Metrics, "train") // of the first model
	if c.Params, err = p.ModelParams(); err != nil {
		return nil, err
	}
	c.History, c.Fingerprint, c.ValidPrints, c.Origin, c.Segments = was.History, was.Fingerprint, was.ValidPrints, nil, nil
	m, err := model.New(c)
	if err != nil {
		return nil, err
	}
	return m, cause
}
