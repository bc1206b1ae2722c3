package search

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"

	"boost/booster"
	"boost/booster/internal/budget"
	"boost/booster/internal/checkpoint"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/cpu"
	"boost/objectives/metrics"
	"boost/parallel"
	"boost/tree/grow"
)

// Blending is what Blend tells of, and what all of its models are trained with.
type Blending struct {
	Log *slog.Logger // nil for none
	// OnRound is called after each round of each model, with those of the first evaluated only; nil for none.
	OnRound func(booster.Round)
	Report  *booster.Report // that of the first model, with the times of all; filled in if not nil
	// More is asked after the first two models whether there are to be more, with the report of the first; nil for as many as there is
	// time for.
	More func(first *booster.Report) bool
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
	if schema := train.Schema(); len(schema.RoleNames(dataset.InitScoreRole)) > 0 {
		return nil, fmt.Errorf("%w: train.blend = %d: models that start from init scores cannot be averaged: leave one of both out", booster.ErrParams, p.Blend)
	}
	if b.Log == nil {
		b.Log = slog.New(slog.DiscardHandler)
	}
	if b.Report == nil {
		b.Report = &booster.Report{}
	}
	w := &blending{Blending: b, p: p, data: train, start: time.Now(), threads: cmp.Or(p.Threads, cpu.Threads())}
	if err := w.bin(ctx); err != nil {
		return nil, interrupted(ctx, err)
	}
	for goesOn := true; goesOn && len(w.models) < p.Blend && w.wanted() && w.fits(); {
		var err error
		if goesOn, err = w.next(ctx); err != nil {
			return w.mean(err)
		}
	}
	return w.mean(nil)
}

// Blends reports whether models of a table can be blended by parameters, and gain by it as far as is known: of many classes, whose trees have
// random splits, a mean of folds' models does.
func Blends(p booster.Params, table *dataset.Table) bool {
	p.Blend, p.Retrain = 2, true
	return checkBlend(&p) == nil && !p.Tree.ExtraTrees && Averages(&p, table)
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
// keeps leaves of few rows from following their noise, and steps can be larger.
func symmetric(p booster.Params) booster.Params {
	p.Tree.Growth, p.Tree.MinDataInLeaf, p.Tree.LambdaL2 = grow.Symmetric, min(p.Tree.MinDataInLeaf, 1), p.Tree.LambdaL2/3
	p.LearningRate, p.EarlyStopping = min(2*p.LearningRate, 1), (p.EarlyStopping+1)/2
	return p
}

// worse is by which share of the first model's metric on the rows held out that of the second may be worse. Else none of its kind is averaged.
const worse = 0.04

// blending is a Blend under way.
type blending struct {
	Blending
	p       booster.Params
	data    booster.Data
	start   time.Time
	binned  time.Duration // that binning has taken
	threads int
	pairs   bool             // two models are trained side by side
	took    time.Duration    // of the models that were trained last
	models  []*booster.Model // by their numbers; nil for those that are left out
	alone   bool             // symmetric trees are left out
}

// Up to fewCells cells and fewColumns columns two models are trained side by side: two workers make more of small nodes so, and the histograms of both
// take little memory.
const fewCells, fewColumns = 20_000_000, 1000

// bin bins a table in memory once for all models.
func (w *blending) bin(ctx context.Context) error {
	table := w.data.Table()
	if table == nil || w.Spread {
		return nil
	}
	pool := parallel.NewPool(w.threads)
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
	w.data, w.binned = data, time.Since(w.start)
	w.pairs = w.threads > 1 && w.p.MemoryLimit == 0 && table.NumRows()*len(table.Columns()) <= fewCells && len(table.Columns()) <= fewColumns
	return nil
}

// part is one of the models under way.
type part struct {
	model  *booster.Model
	report booster.Report
	err    error
}

// over reports whether time was over before the model was whole; not all find their rounds on rows held out.
func (m *part) over(finds bool) bool {
	return errors.Is(m.err, booster.ErrBudget) || m.report.Stopped == booster.StoppedTimeLimit || finds && !m.report.Retrained
}

// whyOver says what was over.
func (m *part) whyOver() string {
	if need, is := errors.AsType[*budget.Over](m.err); is {
		return fmt.Sprintf("the limit of memory was reached (%v)", need)
	}
	return "time was over"
}

// wanted reports whether there are to be more models.
func (w *blending) wanted() bool { return len(w.models) != 2 || w.More == nil || w.More(w.Report) }

// oneOfPair is the time of one model on all threads, in that of two side by side.
const oneOfPair = 0.7

// fits reports whether the next models will be trained in time, going by those before. The first two take about twice as long, as
// they find their rounds. Ranks, whose clocks differ, train until time is over.
func (w *blending) fits() bool {
	i, needs := len(w.models), w.took
	if w.p.TimeLimit == 0 || i < 2 || w.Spread {
		return true
	}
	if i == 2 {
		needs /= 2
	}
	left := w.p.TimeLimit - time.Since(w.start)
	if needs > left && w.pairs && (i == 2 || !w.alone) { // two were trained before
		needs, w.pairs = time.Duration(oneOfPair*float64(needs)), false
	}
	if needs <= left {
		return true
	}
	w.Log.Info(fmt.Sprintf("there is time for %d of %d models", i, w.p.Blend))
	return false
}

// next trains another model, or two, and reports whether there may be more.
func (w *blending) next(ctx context.Context) (bool, error) {
	first := len(w.models)
	if w.alone && first%2 == 1 {
		w.models = append(w.models, nil)
		return true, nil
	}
	parts := make([]part, 1, 2)
	if w.pairs && !w.alone && first+1 < w.p.Blend {
		parts = parts[:2]
	}
	of, cancel := context.WithCancel(ctx)
	defer cancel()
	var wait sync.WaitGroup
	began := time.Now()
	for k := range parts {
		wait.Go(func() {
			m := &parts[k]
			if m.model, m.err = w.train(of, first+k, len(parts), &m.report); m.err != nil && k == 0 {
				cancel() // without this model the other is of no use
			}
		})
	}
	wait.Wait()
	w.took = time.Since(began)
	peak := int64(0)
	for k := range parts {
		m, i := &parts[k], first+k
		if i == 0 {
			if *w.Report = m.report; m.model != nil {
				w.models = append(w.models, m.model)
			}
			w.Report.Threads = w.threads
		}
		peak += m.report.PeakBytes
		w.Report.PeakBytes = max(w.Report.PeakBytes, peak)
		switch over := m.over(i < 2); {
		case i == 0 && over:
			return false, m.err
		case over && ctx.Err() == nil:
			kept := "the first is the model"
			if i > 1 {
				kept = fmt.Sprintf("the first %d are averaged", i)
			}
			w.Log.Warn(fmt.Sprintf("%s before all models of train.blend = %d were trained: %s", m.whyOver(), w.p.Blend, kept))
			return false, nil
		case m.err != nil:
			return false, m.err
		case i == 0:
			continue
		case i == 1:
			if w.alone = w.isWorse(m.model); w.alone {
				m.model = nil
			}
		}
		w.models = append(w.models, m.model)
	}
	return true, nil
}

// isWorse reports whether a model is much worse than the first one on the rows held out.
func (w *blending) isWorse(m *booster.Model) bool {
	lead, value := bestOf(w.models[0])
	_, other := bestOf(m)
	metric, err := metrics.New(lead)
	if err != nil { // one of the caller's own
		return false
	}
	loss := other - value
	if metric.HigherIsBetter() {
		loss = -loss
	}
	w.Log.Debug("symmetric trees", "metric", lead, "value", other, "beside", value)
	return loss > worse*math.Abs(value)
}

// bestOf returns the metric that led early stopping, and its value at the model's last round.
func bestOf(m *booster.Model) (lead string, value float64) {
	all := m.Contents().History
	if len(all) == 0 {
		return "", math.NaN()
	}
	values := all[0].Values
	if at := values[min(m.Rounds(), len(values))-1]; at != nil {
		return all[0].Metric, *at
	}
	return all[0].Metric, math.NaN()
}

// train trains model i, as one of so many at the same time.
func (w *blending) train(ctx context.Context, i, beside int, report *booster.Report) (*booster.Model, error) {
	p, err := w.paramsOf(i)
	if err != nil {
		return nil, err
	}
	saves, opts := w.Checkpoints, append(w.Options[:len(w.Options):len(w.Options)], booster.Logger(w.Log), booster.OnRound(w.OnRound))
	if beside > 1 {
		p.Threads, opts = max(1, w.threads/beside), append(opts, booster.WithPool(nil))
	}
	if i > 0 {
		opts = append(opts, booster.WithCache(nil), booster.Logger(nil), booster.OnRound(nil))
		if saves.Dir != "" {
			saves.Dir = filepath.Join(saves.Dir, checkpoint.Model+strconv.Itoa(i+1))
		}
		if beside == 1 || i%2 == 0 {
			opts = append(opts, booster.OnRound(w.withoutEvals()))
		}
	}
	if i < 2 && w.Train != nil {
		opts = append(opts, booster.OnRows(w.Train, w.Valid))
	}
	if i >= 2 {
		opts = append(opts, booster.RateBy(nil))
	}
	return booster.TrainOn(ctx, p, w.data, append(opts, booster.WithReport(report), booster.WithCheckpoints(saves))...)
}

// paramsOf returns the parameters of a model. What the model before the last has chosen, its rounds too, a later one takes over.
func (w *blending) paramsOf(i int) (booster.Params, error) {
	p := w.p
	if p.Blend = 0; p.TimeLimit > 0 {
		p.TimeLimit = max(p.TimeLimit-time.Since(w.start), time.Millisecond)
	}
	switch i {
	case 0:
		return p, nil
	case 1:
		return symmetric(p), nil
	}
	before, err := booster.ParamsOf(w.models[i-2])
	if err != nil {
		return p, err
	}
	given := booster.Settings(&p)
	for k, s := range booster.Settings(&before) {
		if s.Run {
			reflect.ValueOf(s.Value).Elem().Set(reflect.ValueOf(given[k].Value).Elem())
		}
	}
	before = Fixed(before, w.models[i-2].Rounds())
	before.Objective, before.Seed, before.ValidShare = p.Objective, p.Seed+uint64(i), 0 // an own objective has another name
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
	w.Report.BinSeconds += w.binned.Seconds()
	w.Report.TrainSeconds = (time.Since(w.start) - w.binned).Seconds() // two models may have been trained at the same time
	tried := len(w.models)
	w.models = slices.DeleteFunc(w.models, func(m *booster.Model) bool { return m == nil })
	if len(w.models) == 1 {
		return w.models[0], cause
	}
	was := w.models[0].Contents()
	p, err := booster.ParamsOf(w.models[0])
	if err != nil {
		return nil, err
	}
	mean, err := model.Mean(w.models...)
	if err != nil {
		return nil, err
	}
	c := *mean.Contents()
	p.Blend, w.Report.Blended = tried, len(w.models)
	if c.Params, err = p.ModelParams(); err != nil {
		return nil, err
	}
	c.History, c.Fingerprint, c.ValidPrints, c.Origin = was.History, was.Fingerprint, was.ValidPrints, nil
	if c.Segments, err = w.segments(c.Params); err != nil {
		return nil, err
	}
	m, err := model.New(c)
	if err != nil {
		return nil, err
	}
	return m, cause
}

// segments returns what tells the rounds of the models apart.
func (w *blending) segments(params json.RawMessage) ([]model.Segment, error) {
	usual, err := object(params)
	if err != nil {
		return nil, err
	}
	segments := make([]model.Segment, len(w.models))
	for i, m := range w.models {
		its, err := object(m.Contents().Params)
		if err != nil {
			return nil, err
		}
		differs := map[string]json.RawMessage{}
		for key, value := range its {
			if !bytes.Equal(value, usual[key]) {
				differs[key] = value
			}
		}
		for key := range usual {
			if _, has := its[key]; !has {
				differs[key] = json.RawMessage("null")
			}
		}
		text, err := json.Marshal(differs)
		if err != nil {
			return nil, err
		}
		segments[i] = model.Segment{Rounds: m.Rounds(), Params: text}
	}
	return segments, nil
}

func object(text json.RawMessage) (map[string]json.RawMessage, error) {
	var found map[string]json.RawMessage
	return found, json.Unmarshal(text, &found)
}
