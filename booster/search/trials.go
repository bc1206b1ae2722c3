package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"reflect"

	"boost/booster"
	"boost/dataset"
	"boost/internal/cpu"
	"boost/parallel"
)

// Trials judges parameters of training, one after the other, on the same folds of one table. The table is binned once for
// all parameters that bin it alike.
type Trials struct {
	table  *dataset.Table
	folds  []Fold
	by     string
	c      Params
	pool   *parallel.Pool
	binned booster.Data // by the parameters binnedBy
	bins   any
}

// Score is how good parameters are.
type Score struct {
	Metrics []Metric // of which Folds, Mean and Deviation are known, after the best round
	Rounds  int      // of the mean
	Best    int      // rounds after which the first metric's mean is best
	Pruned  bool     // before the end, by prune
	// Undefined is as in Result.
	Undefined string
}

// Prune is asked after each round that all folds have, and answers whether parameters are not worth more rounds. best is
// the best mean of the first metric so far.
type Prune func(round int, best float64) bool

// NewTrials divides the table, and judges on those of the folds that choose returns, nil for all. p is what trials begin with: its objective
// says what is learned.
func NewTrials(p booster.Params, table *dataset.Table, c Params, choose func([]Fold) []Fold) (*Trials, error) {
	if err := checkTrial(p.OrDefaults()); err != nil {
		return nil, err
	}
	if table.LabelColumn() == nil {
		return nil, fmt.Errorf("%w: no label: name the column to be learned", dataset.ErrTable)
	}
	table, _ = table.ByQuery()
	folds, by, err := c.Divide(table, p.Objective)
	if err != nil {
		return nil, err
	}
	c.setDefaults()
	if choose != nil {
		folds = choose(folds)
	}
	return &Trials{table: table, folds: folds, by: by, c: c, pool: parallel.NewPool(cmp.Or(p.Threads, cpu.Threads()))}, nil
}

// Close ends the threads.
func (t *Trials) Close() { t.pool.Close() }

// Table returns the table, in which rows of one query are together.
func (t *Trials) Table() *dataset.Table { return t.table }

// Folds returns the rows of Table that each fold has, and the word for how they came about.
func (t *Trials) Folds() ([]Fold, string) { return t.folds, t.by }

// Judge trains on each fold's rows and judges on its others, as CrossValidate does. prune may be nil. The result is the same
// for any number of threads. Errors are those of CrossValidate; p.TimeLimit is refused, because what it gives differs from run
// to run.
func (t *Trials) Judge(ctx context.Context, p booster.Params, prune Prune) (*Score, error) {
	return t.judge(ctx, p, prune, t.c)
}

// Last is Judge with the metrics after the last round, which p.Rounds says, not the best.
func (t *Trials) Last(ctx context.Context, p booster.Params) (*Score, error) {
	c := t.c
	c.last = true
	return t.judge(ctx, p, nil, c)
}

func (t *Trials) judge(ctx context.Context, p booster.Params, prune Prune, c Params) (*Score, error) {
	p = p.OrDefaults()
	if err := checkTrial(p); err != nil {
		return nil, err
	}
	if err := t.bin(ctx, p); err != nil {
		return nil, interrupted(ctx, err)
	}
	c.Log = slog.New(slog.DiscardHandler)
	v := newValidation(p, t.table, c, t.folds, prune)
	defer v.close()
	v.data = t.binned
	if err := v.train(ctx); err != nil {
		return nil, interrupted(ctx, err)
	}
	s := &Score{Rounds: v.curve.decided, Best: v.best(), Pruned: v.curve.pruned}
	s.Metrics = v.metrics(s.Best)
	s.Undefined = v.whyUndefined(s.Metrics)
	return s, nil
}

// checkTrial checks the parameters of a trial.
func checkTrial(p booster.Params) error {
	if p.TimeLimit > 0 {
		return fmt.Errorf("%w: train.time_limit = %v: trials that end by the clock cannot be compared: leave it out", booster.ErrParams, p.TimeLimit)
	}
	return checkParams(p)
}

// bin bins the table, unless it is.
func (t *Trials) bin(ctx context.Context, p booster.Params) error {
	var bins []any
	for _, s := range booster.Settings(&p) {
		if section := s.Section(); section == "binning" || section == "categorical" || s.Name == "train.seed" {
			bins = append(bins, reflect.ValueOf(s.Value).Elem().Interface())
		}
	}
	if reflect.DeepEqual(bins, t.bins) {
		return nil
	}
	log := t.c.Log
	if t.bins != nil { // the first trial says which columns are made of others
		log = nil
	}
	t.binned, t.bins = booster.Data{}, nil // makes room
	data, notes, err := booster.Binned(ctx, p, t.table, t.pool, log)
	if err != nil {
		return err
	}
	for _, note := range notes {
		t.c.Log.Debug(note)
	}
	t.binned, t.bins = data, bins
	return nil
}

// interrupted marks the error of a run that was ended from outside in a step between rounds.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(err, booster.ErrInterrupted) {
		return fmt.Errorf("%w: %w", booster.ErrInterrupted, err)
	}
	return err
}

// Value returns the mean of the first metric, NaN for none.
func (s *Score) Value() float64 {
	if len(s.Metrics) == 0 {
		return math.NaN()
	}
	return s.Metrics[0].Mean
}
