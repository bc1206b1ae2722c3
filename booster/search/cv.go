package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
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
	"boost/internal/format"
	"boost/internal/vfs"
	"boost/objectives/metrics"
	"boost/parallel"
)

// Params say how parameters of training are cross-validated.
type Params struct {
	Division
	Own Own
	// Strict takes cuts and categories of each fold from its own training rows, not once from all rows.
	Strict bool
	// Resamples are those of the bootstrap that intervals come from; 0 = by the number of rows, 100 to 1,000.
	Resamples  int
	Confidence float64 // of the intervals, above 0 and below 1; 0 = 0.95
	Log        *slog.Logger
	// Checkpoints save the folds from time to time, each in a folder of its own in Dir, for a run that goes on.
	Checkpoints booster.Checkpoints
	// OnRound is called after each round of a fold, with the rounds that all folds together have and may have; nil for
	// none. Calls do not overlap.
	OnRound func(done, of int)

	bags   bool            // for Bag: without Low and High of metrics, and with all rounds where none ends training early
	last   bool            // metrics are those after the last round
	report *booster.Report // of the first fold
}

// Metric is what is known of one metric.
type Metric struct {
	Name string
	// Folds has the value of each fold after the best round; Mean and Deviation are those of them.
	Folds           []float64
	Mean, Deviation float64
	// Pooled is the metric of all rows together, each predicted by the folds that did not see it, as the mean over repeats.
	// Low and High bound it by a bootstrap of rows, or of the groups that stay together.
	Pooled, Low, High float64
	// MeanByRound and DeviationByRound are over the folds, NaN for rounds that were not evaluated.
	MeanByRound, DeviationByRound []float64
}

// Result is what cross-validation found.
type Result struct {
	Folds     []Fold
	By        string // how rows were divided: one of the By constants
	Objective string
	Rounds    int // of the mean
	Best      int // rounds after which the first metric's mean is best
	TimedOut  bool
	Metrics   []Metric
	Undefined string // why the first of them is no number, so that no rounds are best; "" where it is one
	Resamples int
	// Raw has the raw scores of each row, row-major, as the mean over the folds that judged it; NaN for rows that no
	// fold did. Values are the predictions that belong to them. Fold is the fold of the first repeat that judged a row, -1 for none.
	Raw, Values []float64
	Fold        []int32
	// Models are those of the folds, with Best rounds each.
	Models []*booster.Model
}

// Decides reports whether cross-validation decides about a setting by its name: a run with its best number of rounds goes
// without that of the folds. rates are those of RatesOf, which the run has in place of a schedule, and of a learning rate where
// nothing else is learned by it.
func Decides(name string, rates []float64, positions bool) bool {
	switch name {
	case "train.learning_rate_schedule", "train.learning_rate_end":
		return rates != nil
	case "train.learning_rate":
		return rates != nil && !positions
	case "train.rounds", "train.early_stopping", "train.early_stopping_min_delta", "train.retrain":
		return true
	}
	return false
}

// CrossValidate trains on each fold's rows and judges on its others. The table is binned once, and folds are trained side
// by side, on p.Threads in all; the result is the same for any number of them.
//
// With p.EarlyStopping all folds stop where the mean over folds of the first metric has not become better for so many rounds.
// p.TimeLimit ends all folds after the last round that all have.
func CrossValidate(ctx context.Context, p booster.Params, table *dataset.Table, c Params) (*Result, error) {
	r, err := crossValidate(ctx, p, table, c)
	if err != nil {
		return nil, interrupted(ctx, err)
	}
	return r, nil
}

func crossValidate(ctx context.Context, p booster.Params, table *dataset.Table, c Params) (*Result, error) {
	p = p.OrDefaults()
	if err := checkParams(p); err != nil {
		return nil, err
	}
	c.setDefaults()
	if !(c.Confidence > 0 && c.Confidence < 1) || c.Resamples < 0 {
		return nil, fmt.Errorf("%w: %d resamples and confidence %v: must be 0 or more, and above 0 and below 1", booster.ErrParams, c.Resamples, c.Confidence)
	}
	if table.LabelColumn() == nil {
		return nil, fmt.Errorf("%w: no label: name the column to be learned", dataset.ErrTable)
	}
	table, order := table.ByQuery()
	folds, by, err := c.Divide(table, p.Objective)
	if err != nil && c.bags {
		err = fmt.Errorf("train.bag_folds = %d: %w", c.Folds, err)
	}
	if err != nil {
		return nil, err
	}
	v := newValidation(p, table, c, folds, nil)
	defer v.close()
	if err := v.bin(ctx); err != nil {
		return nil, err
	}
	if err := v.train(ctx); err != nil {
		return nil, err
	}
	r, err := v.result(ctx)
	if err != nil {
		return nil, err
	}
	if r.Undefined != "" {
		c.Log.Warn(r.Undefined + ": it counts as no better, and no number of rounds is best")
	}
	if r.By = by; order != nil {
		r.asGiven(order)
	}
	return r, nil
}

// checkParams checks parameters that are judged on folds.
func checkParams(p booster.Params) error {
	if err := p.Validate(); err != nil {
		return err
	}
	if p.BagFolds > 0 {
		return fmt.Errorf("%w: train.bag_folds = %d is a cross-validation itself: leave it out, and effort \"best\"", booster.ErrParams, p.BagFolds)
	}
	if p.Blend > 0 {
		return fmt.Errorf("%w: train.blend = %d averages models of all rows, and folds have one each: leave it out", booster.ErrParams, p.Blend)
	}
	if p.ValidShare > 0 || p.ValidBy != "" {
		return fmt.Errorf("%w: cross-validation divides the rows itself: leave train.valid_share and train.valid_by out (the column of valid_by is a feature then: name it in data.ignore)", booster.ErrParams)
	}
	return nil
}

func (c *Params) setDefaults() {
	if c.Confidence == 0 {
		c.Confidence = 0.95
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}

// asGiven gives rows the numbers that they have in a table whose queries stand apart; order has those by the number here.
func (r *Result) asGiven(order []int32) {
	n := len(order)
	raw, values, fold := make([]float64, len(r.Raw)), make([]float64, len(r.Values)), make([]int32, n)
	for row, given := range order {
		k := len(raw) / n
		copy(raw[int(given)*k:][:k], r.Raw[row*k:])
		copy(values[int(given)*k:][:k], r.Values[row*k:])
		fold[given] = r.Fold[row]
	}
	r.Raw, r.Values, r.Fold = raw, values, fold
	for _, f := range r.Folds {
		for _, rows := range [][]int32{f.Train, f.Valid} {
			for i, row := range rows {
				rows[i] = order[row]
			}
			slices.Sort(rows)
		}
	}
}

// validation is a cross-validation under way.
type validation struct {
	p      booster.Params
	c      Params
	table  *dataset.Table
	data   booster.Data
	folds  []Fold
	curve  *curve
	start  time.Time
	tokens chan struct{} // one for each fold that may compute
	pool   *parallel.Pool
	each   int // threads of a fold
	alive  int // folds that are in memory at the same time, each with its part of it
	memory budget.Limit
	models []*booster.Model
	done   int // rounds of all folds
}

// aheadRounds is how far a fold may be ahead of the slowest: some rounds, so that none waits in each round, and
// few, because those after the last are lost.
const aheadRounds = 16

func newValidation(p booster.Params, table *dataset.Table, c Params, folds []Fold, prune Prune) *validation {
	threads := cmp.Or(p.Threads, cpu.Threads())
	beside := min(threads, len(folds))
	v := &validation{p: p, c: c, table: table, folds: folds, start: time.Now(), tokens: make(chan struct{}, beside), pool: parallel.NewPool(threads),
		each: max(1, threads/beside), models: make([]*booster.Model, len(folds))}
	for range beside {
		v.tokens <- struct{}{}
	}
	v.curve = newCurve(len(folds), p.Rounds)
	v.curve.patience, v.curve.minDelta, v.curve.ahead = p.EarlyStopping, p.MinDelta, aheadRounds
	if p.Boosting == booster.DartBoosting { // the weights after the best round are kept only while it is the last
		v.curve.ahead = 1
	}
	v.curve.prune = prune
	if p.TimeLimit > 0 {
		v.curve.limit = v.start.Add(p.TimeLimit)
	}
	alive := beside
	if v.curve.together() {
		alive = len(folds)
	}
	v.alive, v.memory = alive, budget.Machine(0).Limit(p.MemoryLimit)
	v.p.EarlyStopping, v.p.MinDelta, v.p.Retrain, v.p.Blend, v.p.TimeLimit, v.p.MemoryLimit = 0, 0, false, 0, 0, v.memory.Bytes/int64(alive)
	return v
}

func (v *validation) close() { v.pool.Close() }

// bin bins the table for all folds, or leaves it to each.
func (v *validation) bin(ctx context.Context) error {
	v.data = booster.InMemory(v.table)
	if v.c.Strict {
		return nil
	}
	p := v.p
	p.MemoryLimit = v.memory.Bytes // of no fold yet
	data, notes, err := booster.Binned(ctx, p, v.table, v.pool, v.c.Log)
	if err != nil {
		return err
	}
	for _, note := range notes {
		v.c.Log.Info(note)
	}
	v.data = data
	return nil
}

// train trains all folds.
func (v *validation) train(ctx context.Context) error {
	if saves := v.c.Checkpoints; saves.Dir != "" && !saves.Resume {
		if err := checkpoint.ClearParts(vfs.OS, saves.Dir); err != nil {
			return fmt.Errorf("output.checkpoint: %w", err)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		v.curve.mu.Lock()
		defer v.curve.mu.Unlock()
		v.curve.failed = true
		v.curve.wake.Broadcast()
	})()
	errs := make([]error, len(v.folds))
	var wait sync.WaitGroup
	for f := range v.folds {
		wait.Go(func() {
			errs[f] = v.fold(ctx, f)
			v.curve.end(f, errs[f] != nil)
			if errs[f] != nil {
				cancel()
			}
		})
	}
	wait.Wait()
	var first error
	for _, err := range errs { // what ended a fold, not what the others made of that
		if err != nil && (first == nil || ctxOnly(first) && !ctxOnly(err)) {
			first = err
		}
	}
	return first
}

// fold trains one fold.
func (v *validation) fold(ctx context.Context, f int) error {
	<-v.tokens
	defer func() { v.tokens <- struct{}{} }()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", booster.ErrInterrupted, err)
	}
	pool := parallel.NewPool(v.each)
	defer pool.Close()
	opts := []booster.Option{booster.OnRows(v.folds[f].Train, v.folds[f].Valid), booster.WithPool(pool), booster.StopWhen(func(r booster.Round) (int, bool) {
		best, stop := v.curve.add(f, v.note(r), func() { v.tokens <- struct{}{} }, func() { <-v.tokens })
		v.tell()
		return best, stop
	})}
	opts = append(opts, v.c.Own.Options...)
	if saves := v.c.Checkpoints; saves.Dir != "" {
		saves.Dir = filepath.Join(saves.Dir, checkpoint.Fold+strconv.Itoa(f+1))
		opts = append(opts, booster.WithCheckpoints(saves))
	}
	if f == 0 {
		opts = append(opts, booster.Logger(v.c.Log))
		if v.c.report != nil {
			opts = append(opts, booster.WithReport(v.c.report))
		}
	}
	m, err := booster.TrainOn(ctx, v.p, v.data, opts...)
	if err != nil {
		return v.ofAll(err)
	}
	v.models[f] = m
	return nil
}

// ofAll words the error of a fold that has too little memory by what all have.
func (v *validation) ofAll(err error) error {
	if over, ok := errors.AsType[*budget.Over](err); ok {
		return cmp.Or(v.memory.CheckBeside(over.Need, v.alive), err)
	}
	if errors.Is(err, booster.ErrBudget) && v.alive > 1 {
		return fmt.Errorf("%w (%d folds are trained at the same time, and each has its part of %s, %s)", err, v.alive, v.memory.Name, budget.Size(v.memory.Bytes))
	}
	return err
}

// note returns the metrics of a round, nil if it was not evaluated. The first round of all names them.
func (v *validation) note(r booster.Round) []float64 {
	if len(r.Evals) == 0 {
		return nil
	}
	c := v.curve
	c.mu.Lock()
	defer c.mu.Unlock()
	values := make([]float64, len(r.Evals))
	for i, e := range r.Evals {
		values[i] = e.Value
		if len(c.names) < len(r.Evals) {
			c.names = append(c.names, e.Metric)
		}
	}
	if c.mean == nil {
		c.mean, c.deviation = make([][]float64, len(values)), make([][]float64, len(values))
		for m := range values { // of rounds that were not evaluated
			for range c.decided {
				c.mean[m], c.deviation[m] = append(c.mean[m], math.NaN()), append(c.deviation[m], math.NaN())
			}
		}
		if m, err := v.c.Own.Metric(c.names[0]); err == nil {
			c.higher = m.HigherIsBetter()
		}
	}
	return values
}

// tell reports a round.
func (v *validation) tell() {
	v.curve.mu.Lock()
	defer v.curve.mu.Unlock()
	if v.done++; v.c.OnRound != nil {
		v.c.OnRound(v.done, v.p.Rounds*len(v.folds))
	}
}

// result gathers what the folds found.
func (v *validation) result(ctx context.Context) (*Result, error) {
	c := v.curve
	r := &Result{Folds: v.folds, Rounds: c.decided, Best: v.best(), TimedOut: c.timedOut, Models: v.models, Objective: v.models[0].Objective()}
	r.Metrics = v.metrics(r.Best)
	r.Undefined = v.whyUndefined(r.Metrics)
	for f, m := range v.models {
		kept, err := m.Prefix(min(r.Best, m.Rounds()))
		if err != nil {
			return nil, err
		}
		v.models[f] = kept
	}
	return r, v.pooled(ctx, r)
}

// best returns the rounds that are kept.
func (v *validation) best() int {
	c := v.curve
	if c.best == 0 || c.patience == 0 && (v.c.bags || v.c.last || v.p.Boosting != booster.PlainBoosting) {
		return c.decided // the trees of other ways of boosting depend on rounds after theirs
	}
	return c.best
}

// metrics returns those of the folds after a number of rounds.
func (v *validation) metrics(rounds int) []Metric {
	c := v.curve
	found := make([]Metric, 0, len(c.names))
	for m, name := range c.names {
		metric := Metric{Name: name, MeanByRound: c.mean[m], DeviationByRound: c.deviation[m], Mean: math.NaN(), Deviation: math.NaN()}
		if rounds > 0 {
			metric.Mean, metric.Deviation = c.mean[m][rounds-1], c.deviation[m][rounds-1]
		}
		for _, values := range c.values {
			value := math.NaN()
			if at := values[min(rounds, len(values))-1]; at != nil {
				value = at[m]
			}
			metric.Folds = append(metric.Folds, value)
		}
		found = append(found, metric)
	}
	return found
}

// whyUndefined returns why the first metric is no number, "" where it is one.
func (v *validation) whyUndefined(found []Metric) string {
	if len(found) == 0 || !math.IsNaN(found[0].Mean) {
		return ""
	}
	f := max(0, slices.IndexFunc(found[0].Folds, math.IsNaN))
	rows := v.folds[f].Valid
	why := fmt.Sprintf("%s is undefined on the %s of fold %d", found[0].Name, format.Counted(len(rows), "row"), f+1)
	if labels, _, ok := dataset.FewClasses(v.table.Take(rows).LabelColumn(), 1); ok && len(labels) == 1 {
		why += fmt.Sprintf(", whose labels are all %q", labels[0])
	}
	return why
}

// pooled predicts the rows of each fold by its model, and judges all together.
func (v *validation) pooled(ctx context.Context, r *Result) error {
	n, k := v.table.NumRows(), v.models[0].Outputs()
	repeats := len(v.folds) / v.c.Folds
	sums, counts := make([]float64, n*k), make([]float64, n)
	r.Fold = make([]int32, n)
	for row := range r.Fold {
		r.Fold[row] = -1
	}
	b, err := v.newBootstrap(r)
	if err != nil {
		return err
	}
	for repeat := range repeats {
		raw := make([]float64, n*k)
		var judged []int32
		for f := range v.c.Folds {
			f += repeat * v.c.Folds
			rows := v.folds[f].Valid
			scores, err := v.models[f].PredictRaw(ctx, v.table.Take(rows), model.Pool(v.pool))
			if err != nil {
				return err
			}
			for i, row := range rows {
				if r.Fold[row] < 0 {
					r.Fold[row] = int32(f)
				}
				counts[row]++
				for o := range k {
					raw[int(row)*k+o] = scores[i*k+o]
					sums[int(row)*k+o] += scores[i*k+o]
				}
			}
			judged = append(judged, rows...)
		}
		if err := b.add(ctx, raw, judged); err != nil {
			return err
		}
	}
	b.finish(r)
	for row := range n {
		for o := range k {
			sums[row*k+o] /= counts[row] // 0/0 where no fold judged the row
		}
	}
	r.Raw, r.Values = sums, make([]float64, n*k)
	major, values := make([]float64, n*k), make([]float64, n*k)
	metrics.OutputMajor(sums, k, major)
	v.models[0].Link().Apply(k, major, values, 0, n, n)
	for row := range n {
		for o := range k {
			if r.Values[row*k+o] = values[o*n+row]; counts[row] == 0 {
				r.Values[row*k+o] = math.NaN()
			}
		}
	}
	return nil
}

// ctxOnly reports whether an error is only about a run that was ended from outside.
func ctxOnly(err error) bool {
	return errors.Is(err, booster.ErrInterrupted) || errors.Is(err, context.Canceled)
}
