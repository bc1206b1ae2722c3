package tune

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"time"

	"boost/booster"
	"boost/booster/search"
	"boost/dataset"
	"boost/internal/format"
)

// Samplers.
const (
	TPE    = "tpe"    // the tree-structured Parzen estimator
	Random = "random" // even draws
)

// Params say how parameters are searched.
type Params struct {
	search.Division
	Own     search.Own
	Space   Space
	Trials  int           // at most, those of the study counted; 0 = no limit but Budget
	Budget  time.Duration // for the search, from the call on; 0 = no limit but Trials
	Sampler string        // TPE or Random; "" = TPE
	// Judged is how many of the folds count, the first ones; 0 = all, from many rows on one.
	Judged  int
	NoPrune bool // trials are not given up early
	// HeldOut is a share of the rows that the search does not see, on which the parameters that it begins with and those that
	// it ends with are judged at the end; 0 for none.
	HeldOut float64
	// Study is the file that keeps the trials, from which a search goes on; "" for none. It is made if it is not there. One
	// of another table, space or settings is refused with an error that names what differs.
	Study string
	Log   *slog.Logger // nil for none
	// OnRound is as in search.Params, of the trial that is under way; OnTrial is called after each trial, also for those of
	// the study, with whether it is the best so far. Both may be nil.
	OnRound func(done, of int)
	OnTrial func(t Trial, best bool)
}

// manyRows is the number of rows from which on one fold is judged where nothing is said: its standard error is small beside
// what parameters change.
const manyRows = 100_000

// leastPatience is the least number of rounds without a better mean that end a trial of larger steps than those of the start. They
// wait for the same sum of learning rates.
const leastPatience = 20

// State is how a trial ended.
type State string

// The states.
const (
	Complete State = "complete"
	Failed   State = "failed" // an error, or a metric that is not a number
	Pruned   State = "pruned" // given up early
)

// Trial is one point of the space.
type Trial struct {
	Number    int
	Values    []string // by dimension, as in a config file
	State     State
	Value     float64 // mean of the metric over the folds, after the best round; NaN of a failed one
	Deviation float64
	Folds     []float64
	Best      int // rounds
	Rounds    int
	Bracket   int
	Rungs     []float64 // best mean so far at the rungs of the bracket
	Seconds   float64
	Error     string // of a failed one

	metric   string // whose value it is
	patience int    // rounds without a better mean that end it
}

// Result is what a search found.
type Result struct {
	Space     Space
	Trials    []Trial
	Best      int    // number of the best trial
	Metric    string // that decides
	Higher    bool   // whether more of it is better
	Objective string
	By        string // how rows were divided: a constant of search
	Folds     int
	Judged    int    // folds that count
	Stopped   string // a Stopped constant
	// Params are those of the best trial, with its number of rounds and without early stopping.
	Params  booster.Params
	HeldOut *HeldOut // nil for none
}

// HeldOut is the metric on rows that a search did not see.
type HeldOut struct {
	Rows        int
	Start, Best float64 // of the parameters that the search began with, and of the best
}

// Why a search ended.
const (
	StoppedTrials      = "trials"      // there are as many as were asked for
	StoppedBudget      = "budget"      // the time is over
	StoppedSpace       = "space"       // each point has been tried
	StoppedInterrupted = "interrupted" // by the context
)

// searcher is a search under way.
type searcher struct {
	Params
	base   booster.Params
	judge  *search.Trials
	study  *study // nil for none
	trials []Trial
	best   int
	seen   map[string]bool // values of trials
	metric string
	higher bool

	end     time.Time                    // of the search; zero for none
	reserve func(t *Trial) time.Duration // that has to be left to train with it; nil for none
}

// Search tries parameters that differ from p in the dimensions of the space. The first trial is p itself. The same table,
// parameters and seed give the same trials for any number of threads, and however often a search with a study was stopped
// and gone on with; only how many there are within a budget differs. Cancelling ctx ends the search with what there is, or with
// an error that wraps booster.ErrInterrupted where that is nothing.
func Search(ctx context.Context, p booster.Params, table *dataset.Table, c Params) (*Result, error) {
	start := time.Now()
	p = p.OrDefaults()
	if err := c.check(table); err != nil {
		return nil, err
	}
	whole, held, err := c.holdOut(p, table)
	if err != nil {
		return nil, err
	}
	seen := table
	if held != nil {
		defer whole.Close()
		seen = whole.Table().Take(held.Train)
	}
	s, err := newSearcher(p, seen, c)
	if err != nil {
		return nil, err
	}
	defer s.judge.Close()
	if c.Study != "" {
		var trials []Trial
		known, older := s.describe(table)
		if s.study, trials, err = openStudy(c.Study, known, older, c.Space); err != nil {
			return nil, err
		}
		defer s.study.close()
		for _, t := range trials {
			s.add(t)
		}
	}
	if c.Budget > 0 {
		s.end = start.Add(c.Budget)
	}
	stopped, err := s.run(ctx)
	if err != nil {
		return nil, err
	}
	s.sayFailed()
	r, err := s.result(stopped)
	if err != nil {
		return nil, err
	}
	if held != nil && stopped != StoppedInterrupted {
		first := search.Fixed(p, r.Trials[0].Best)
		r.HeldOut = &HeldOut{Rows: len(held.Valid)}
		for _, judged := range []struct {
			p  booster.Params
			to *float64
		}{{first, &r.HeldOut.Start}, {r.Params, &r.HeldOut.Best}} {
			score, err := whole.Last(ctx, judged.p)
			if err != nil {
				return nil, err
			}
			*judged.to = score.Value()
		}
	}
	return r, nil
}

// newSearcher divides a table.
func newSearcher(p booster.Params, table *dataset.Table, c Params) (*searcher, error) {
	s := &searcher{Params: c, base: p, seen: map[string]bool{}}
	var err error
	s.judge, err = search.NewTrials(p, table, search.Params{Division: c.Division, Own: c.Own, Log: c.Log, OnRound: s.round}, func(folds []search.Fold) []search.Fold { return folds[:c.judged(table, len(folds))] })
	return s, err
}

// round tells of a round.
func (s *searcher) round(done, of int) {
	if s.OnRound != nil {
		s.OnRound(done, of)
	}
}

// check checks what does not depend on the table's columns, and sets defaults.
func (c *Params) check(table *dataset.Table) error {
	c.Sampler = cmp.Or(c.Sampler, TPE)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	switch {
	case c.Sampler != TPE && c.Sampler != Random:
		return fmt.Errorf("%w: sampler %q: must be %q or %q", booster.ErrParams, c.Sampler, TPE, Random)
	case c.Trials < 0 || c.Budget < 0:
		return fmt.Errorf("%w: %d trials in %v: must be 0 or more", booster.ErrParams, c.Trials, c.Budget)
	case c.Trials == 0 && c.Budget == 0 && math.IsInf(c.Space.size(), 1):
		return fmt.Errorf("%w: a search needs a number of trials or a budget", booster.ErrParams)
	case c.HeldOut != 0 && !(c.HeldOut > 0 && c.HeldOut <= 0.5):
		return fmt.Errorf("%w: %v of the rows held out: must be above 0, and at most 0.5", booster.ErrParams, c.HeldOut)
	case c.Judged < 0 || c.Judged > c.Folds*max(c.Repeats, 1):
		return fmt.Errorf("%w: %d of %d folds to judge on", booster.ErrParams, c.Judged, c.Folds*max(c.Repeats, 1))
	}
	return c.Space.check()
}

// judged returns how many folds count.
func (c *Params) judged(table *dataset.Table, folds int) int {
	switch {
	case c.Judged > 0:
		return min(c.Judged, folds)
	case table.NumRows() >= manyRows:
		return 1
	}
	return folds
}

// holdOut divides the rows into those that the search sees and those that it does not; nil where it sees all.
func (c *Params) holdOut(p booster.Params, table *dataset.Table) (*search.Trials, *search.Fold, error) {
	if c.HeldOut == 0 {
		return nil, nil, nil
	}
	d := c.Division
	d.Folds, d.Repeats, d.Sliding = int(math.Round(1/c.HeldOut)), 0, false
	if d.Time != "" { // the last of so many blocks, not counting the one that no fold is judged on
		d.Folds = max(2, d.Folds-1)
	}
	whole, err := search.NewTrials(p, table, search.Params{Division: d, Own: c.Own, Log: c.Log}, func(folds []search.Fold) []search.Fold { return folds[len(folds)-1:] })
	if err != nil {
		return nil, nil, err
	}
	folds, _ := whole.Folds()
	return whole, &folds[0], nil
}

// run tries until there is an end to it.
func (s *searcher) run(ctx context.Context) (stopped string, err error) {
	for {
		n := len(s.trials)
		if s.Trials > 0 && n >= s.Trials {
			return StoppedTrials, nil
		}
		if n > mostFailed && !slices.ContainsFunc(s.trials[1:], func(t Trial) bool { return t.State != Failed }) {
			s.sayFailed()
			return "", fmt.Errorf("%w: all %d trials but the first failed: search other keys or values", booster.ErrParams, n-1)
		}
		values, err := s.next(n)
		if err != nil || values == nil {
			return StoppedSpace, err
		}
		within, cancel := ctx, context.CancelFunc(func() {})
		if !s.end.IsZero() {
			end := s.end
			if s.reserve != nil && n > 0 {
				end = end.Add(-s.reserve(&s.trials[s.best]))
			}
			within, cancel = context.WithDeadline(ctx, end)
		}
		t, err := s.try(within, n, values)
		over := ctx.Err() == nil && within.Err() != nil
		cancel()
		switch {
		case err == nil:
		case ctx.Err() != nil && n > 0:
			return StoppedInterrupted, nil
		case over && n > 0:
			return StoppedBudget, nil
		case over:
			return "", fmt.Errorf("%w: %v were left of the budget, which were over before the first trial was: give more time, or less to do (fewer rounds, folds or rows)", booster.ErrBudget, s.Budget.Round(time.Millisecond))
		case n == 0:
			return "", err
		default:
			t.State, t.Value, t.Error = Failed, math.NaN(), err.Error()
		}
		if s.study != nil {
			if err := s.study.append(&t, s.Space); err != nil {
				return "", err
			}
		}
		s.add(t)
	}
}

// mostFailed is the number of trials that end a search if all of them fail.
const mostFailed = 20

// sayFailed says for what reasons trials failed.
func (s *searcher) sayFailed() {
	var reasons []string // in the order in which they came
	counts := map[string]int{}
	for i := range s.trials {
		if reason := s.trials[i].Error; s.trials[i].State == Failed {
			if counts[reason]++; counts[reason] == 1 {
				reasons = append(reasons, reason)
			}
		}
	}
	const most = 5
	for _, reason := range reasons[:min(most, len(reasons))] {
		s.Log.Warn(fmt.Sprintf("%s failed: %s", format.Counted(counts[reason], "trial"), strings.TrimPrefix(reason, booster.ErrParams.Error()+": ")))
	}
	if more := len(reasons) - most; more > 0 {
		s.Log.Warn(fmt.Sprintf("trials failed for %s besides", format.Counted(more, "reason")))
	}
}

// add notes a trial.
func (s *searcher) add(t Trial) {
	s.trials = append(s.trials, t)
	if t.metric != s.metric && t.State != Failed {
		s.metric = t.metric
		if m, err := s.Own.Metric(s.metric); err == nil {
			s.higher = m.HigherIsBetter()
		}
	}
	s.seen[key(t.Values)] = true
	best := t.State == Complete && (t.Number == 0 || s.compare(t.Value, s.trials[s.best].Value) < 0)
	if best {
		s.best = t.Number
	}
	if s.OnTrial != nil {
		s.OnTrial(t, best)
	}
}

func key(values []string) string { return fmt.Sprintf("%q", values) }

// patience returns the rounds without a better mean that end training at a learning rate, where they are so many at another one.
func patience(rounds int, of, rate float64) int {
	if rounds <= leastPatience || rate <= of {
		return rounds
	}
	return max(leastPatience, int(math.Ceil(float64(rounds)*of/rate)))
}

// next returns the values of the next trial, which no other had; nil where there are none.
func (s *searcher) next(n int) ([]string, error) {
	if n == 0 {
		return s.Space.values(s.base)
	}
	values := s.suggest(n)
	for i := 0; s.seen[key(values)]; i++ {
		if i == 1000 {
			return nil, nil
		}
		for j := range s.Space {
			values[j] = s.Space[j].uniform(newDraws(s.Seed, n, (i+1)*(len(s.Space)+1)+j))
		}
	}
	return values, nil
}

// try judges the values of a trial.
func (s *searcher) try(ctx context.Context, n int, values []string) (Trial, error) {
	t := Trial{Number: n, Values: values, State: Complete, Bracket: s.bracketOf(n)}
	start := time.Now()
	p, err := s.Space.apply(s.base, values)
	if err != nil {
		return t, err
	}
	p.EarlyStopping = patience(p.EarlyStopping, s.base.LearningRate, p.LearningRate)
	t.patience = p.EarlyStopping
	prune := s.pruner(&t, s.rungs(t.Bracket, p.Rounds, p.LearningRate))
	if s.reserve != nil {
		prune = s.inTime(start, p.EarlyStopping, prune)
	}
	score, err := s.judge.Judge(ctx, p, prune)
	t.Seconds = time.Since(start).Seconds()
	if err != nil {
		return t, err
	}
	m := &score.Metrics[0]
	if t.metric = m.Name; score.Undefined != "" {
		return t, fmt.Errorf("%w: %s: divide the rows otherwise, or let another metric lead (the first of metrics.names)", booster.ErrParams, score.Undefined)
	}
	if math.IsNaN(m.Mean) || math.IsInf(m.Mean, 0) {
		return t, fmt.Errorf("%w: %s is %v", booster.ErrParams, m.Name, m.Mean)
	}
	t.Value, t.Deviation, t.Folds, t.Best, t.Rounds = m.Mean, m.Deviation, m.Folds, score.Best, score.Rounds
	if score.Pruned && n > 0 {
		t.State = Pruned
	}
	return t, nil
}

// inTime gives a trial up where prune does, and where no more than the time to train with it is left.
func (s *searcher) inTime(start time.Time, patience int, prune search.Prune) search.Prune {
	last, at := math.NaN(), 0
	return func(round int, best float64) bool {
		if best != last {
			last, at = best, round
		}
		so := Trial{Seconds: time.Since(start).Seconds(), Rounds: round, Best: at, patience: patience}
		return prune != nil && prune(round, best) || time.Until(s.end) < s.reserve(&so)
	}
}

// compare is below 0 where a is better than b. What is not a number is worst.
func (s *searcher) compare(a, b float64) int {
	switch {
	case math.IsNaN(a) || math.IsNaN(b):
		return cmp.Compare(b, a) // which has NaN below all numbers
	case s.higher:
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

// result returns what the trials say.
func (s *searcher) result(stopped string) (*Result, error) {
	judged, by := s.judge.Folds()
	r := &Result{
		Space: s.Space, Trials: s.trials, Best: s.best, Metric: s.metric, Higher: s.higher, Objective: s.base.Objective, By: by, Folds: s.Folds * max(s.Repeats, 1),
		Judged: len(judged), Stopped: stopped,
	}
	p, err := s.Space.apply(s.base, s.trials[s.best].Values)
	if err != nil {
		return nil, err
	}
	r.Params = search.Fixed(p, s.trials[s.best].Best)
	return r, nil
}
