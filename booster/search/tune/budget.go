package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	"boost/booster"
	"boost/booster/internal/budget"
	"boost/booster/search"
	"boost/dataset"
	"boost/internal/format"
)

// Budget is a time for finding settings and training with them.
type Budget struct {
	Time  time.Duration  // from the call on
	Given time.Duration  // train.budget, of which reading took a part; what errors speak of
	Quick booster.Params // of one model that is trained until the time is over, where there is too little for more
	Space Space          // that may be searched
	Own   search.Own
	Log   *slog.Logger // is told the plan at the beginning; nil for none
	// Show is called before a search, with the time that is left, and returns what is called with its rounds and trials; nil for none.
	Show func(left time.Duration) (onTrial func(t Trial, best bool), onRound func(done, of int))
}

// Trainer trains with parameters: with Blend by search.Blend, which is given more; with BagFolds by search.Bag, whose Limit is their TimeLimit
// (which is to be 0 in its parameters); else by booster.TrainOn.
type Trainer func(ctx context.Context, p booster.Params, more func(first *booster.Report) bool) (*booster.Model, booster.Report, error)

// What measuring takes.
const (
	pilotShare  = 0.05 // of a budget, at most
	pilotRounds = 60
	leastRounds = 6 // of all folds, that measure one
	// pilotParts are timed each by itself, of at least partRounds: the least counts, as other programs only add to it.
	pilotParts, partRounds = 4, 12
	// againShare is the part of a budget that has to be left for a better plan.
	againShare = 0.1
)

// Train spends a budget: it searches for settings where that fits, and trains with those of the best trial eight to twelve models that
// are averaged (Blend), or, where these cannot be (search.Blends), ten of folds (BagFolds) with a fixed number of rounds. Where no search
// fits, there are fewer models or larger steps, and where none of these fits, one model with b.Quick. How long a training takes is guessed
// from a few rounds. Where a training, or the first two models of one, took so much less time that a better plan fits into the rest, that
// is followed, and its model is returned. p should have early stopping and neither BagFolds nor Blend.
//
// What comes out depends on the time that things take; training with the parameters in the model does not. Errors are those of train and of
// Search; booster.ErrBudget where the time was over before the first round. With booster.ErrInterrupted there may be a model.
func Train(ctx context.Context, p booster.Params, table *dataset.Table, b Budget, train Trainer) (*booster.Model, booster.Report, error) {
	b.Log = cmp.Or(b.Log, slog.New(slog.DiscardHandler))
	s := &spending{Budget: b, base: p.OrDefaults(), table: table, end: time.Now().Add(b.Time)}
	if table == nil {
		return nil, booster.Report{}, fmt.Errorf("%w: train.budget needs the table in memory: set data.out_of_core = \"false\" and no data.cache, or leave the budget out", booster.ErrParams)
	}
	defer s.close()
	s.averaging = averagingOf(&s.base, table)
	if err := s.pilot(ctx); err != nil {
		return nil, booster.Report{}, err
	}
	return s.train(ctx, train)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// spending is a budget being spent.
type spending struct {
	Budget
	averaging
	pace
	base  booster.Params
	table *dataset.Table
	end   time.Time
	plan  plan      // that is followed
	next  *plan     // that is followed after it; nil for none
	of    *searcher // whose table is binned; nil for none

	asked booster.Params // what was trained with last
}

// close gives the memory of searching back.
func (s *spending) close() {
	if s.of != nil {
		s.of.judge.Close()
		s.of = nil
	}
}

// train follows a plan, and a better one in the time that is left, until there is none.
func (s *spending) train(ctx context.Context, train Trainer) (*booster.Model, booster.Report, error) {
	var fits bool
	if s.plan, fits = s.fits(&s.base, s.Space, s.averaging, s.left(), plan{Place: placeNone}); !fits {
		s.plan.LearningRate, s.plan.Place = s.Quick.OrDefaults().LearningRate, placeQuick
	}
	s.Log.Info(fmt.Sprintf("plan for %s: %s", format.Seconds(s.Time.Seconds()), s.plan))
	m, report, err := s.follow(ctx, train)
	for err == nil && s.next != nil {
		s.plan, s.next = *s.next, nil
		s.Log.Info(fmt.Sprintf("%s are left: %s", format.Seconds(s.left().Seconds()), s.plan))
		next, nextReport, nextErr := s.follow(ctx, train)
		switch {
		case errors.Is(nextErr, booster.ErrInterrupted):
			return m, report, nextErr
		case nextErr != nil:
			s.Log.Warn(fmt.Sprintf("the models before are kept, because there are no better ones: %v", nextErr))
			return m, report, nil
		case !s.whole(&nextReport) || trained(&nextReport) < min(trained(&report), (s.plan.Members+1)/2):
			s.Log.Info("time was over before there were enough better models: those before are kept")
			return m, report, nil
		}
		m, report = next, nextReport
	}
	return m, report, err
}

// trained returns how many models were.
func trained(r *booster.Report) int { return max(1, r.Blended, r.Bagged) }

// whole reports whether time was not over before the first model was what it was to be.
func (s *spending) whole(r *booster.Report) bool {
	return r.Stopped != booster.StoppedTimeLimit && (r.Retrained || !s.asked.Retrain)
}

// left returns the time that is left for searching and training.
func (s *spending) left() time.Duration {
	return time.Until(s.end) - seconds(saveShare*s.Time.Seconds())
}

// better finds the plan that is followed next: one that fits into what is left, and is better than another one.
func (s *spending) better(than plan) {
	if s.next = nil; s.left() >= seconds(againShare*s.Time.Seconds()) {
		if next, fits := s.fits(&s.base, s.Space, s.averaging, s.left(), than); fits {
			s.next = &next
		}
	}
}

// pilot measures a few rounds.
func (s *spending) pilot(ctx context.Context) error {
	s.pace = pace{each: math.Inf(1), rates: sumOfRates}
	of, err := s.searcher()
	if errors.Is(err, booster.ErrParams) || errors.Is(err, dataset.ErrTable) { // too few rows for folds, or an error that training says as well
		s.Log.Debug(fmt.Sprintf("no search: %v", err))
		return nil
	}
	if err != nil {
		return err
	}
	folds, _ := of.judge.Folds()
	s.judged = len(folds)
	var rounds []time.Time
	of.OnRound = func(int, int) { rounds = append(rounds, time.Now()) }
	defer func() { of.OnRound = nil }()
	p := s.base
	p.Rounds, p.EarlyStopping = min(p.Rounds, pilotRounds), 0
	within, cancel := context.WithTimeout(ctx, seconds(pilotShare*s.Time.Seconds()))
	defer cancel()
	_, err = of.judge.Judge(within, p, func(int, float64) bool { return false })
	if _, memory := errors.AsType[*budget.Over](err); memory { // one model may need less
		return nil
	}
	if err != nil && (ctx.Err() != nil || within.Err() == nil) {
		return err
	}
	if err == nil || len(rounds) >= leastRounds {
		s.each = secondsOf(rounds[len(rounds)/3:], s.judged) // most folds are prepared among the first
	}
	return nil
}

// searcher returns the search, which is made where there is none.
func (s *spending) searcher() (*searcher, error) {
	if s.of != nil {
		return s.of, nil
	}
	c := Params{Division: search.Division{Folds: budgetFolds, Seed: s.base.Seed}, Space: s.Space, Own: s.Own, Sampler: TPE, Budget: s.Time, Log: s.Log}
	of, err := newSearcher(s.base, s.table, c)
	if err == nil {
		s.of = of
	}
	return of, err
}

// secondsOf returns how long a round takes, by when rounds of so many folds ended, about in turn.
func secondsOf(rounds []time.Time, folds int) float64 {
	size := max(len(rounds)/pilotParts, min(len(rounds), partRounds), 1)
	if whole := size / folds * folds; whole > 0 {
		size = whole
	}
	least := math.Inf(1)
	for part := range slices.Chunk(rounds, size) {
		if n := len(part) - 1; len(part) == size {
			least = min(least, part[n].Sub(part[0]).Seconds()/float64(max(n, 1)))
		}
	}
	return least
}

// follow follows the plan, and finds the next one.
func (s *spending) follow(ctx context.Context, train Trainer) (*booster.Model, booster.Report, error) {
	p := s.base
	switch {
	case s.plan.Trials > 0:
		var err error
		p, err = s.search(ctx)
		if errors.Is(err, booster.ErrParams) && ctx.Err() == nil { // such as a metric that is undefined in a fold
			s.Log.Warn(fmt.Sprintf("no search: %v", err))
			p, err = s.base, nil
		}
		if err != nil {
			return nil, booster.Report{}, err
		}
	case s.plan.Rounds == 0:
		p = s.Quick.OrDefaults()
	default:
		p.EarlyStopping = patience(p.EarlyStopping, p.LearningRate, s.plan.LearningRate)
		p.LearningRate = s.plan.LearningRate
	}
	left := s.left()
	switch {
	case s.plan.Members > 1 && s.blends:
		p.Blend, p.Retrain = max(s.plan.Members, s.plan.Most), true
	case s.plan.Members > 1:
		p.BagFolds, p.Retrain = s.plan.Members, false
		left -= seconds(averageShare * time.Until(s.end).Seconds())
	default:
		p.Retrain = p.Retrain && p.HoldsOut(0)
	}
	s.close() // before the models need memory
	if s.asked.Rounds == 0 {
		left = max(left, s.Time/20, time.Millisecond) // a model that is a little late is better than none
	} else if left <= 0 {
		return nil, booster.Report{}, fmt.Errorf("%w: time is over", booster.ErrBudget)
	}
	p.TimeLimit = left
	s.asked = p
	began := time.Now()
	m, report, err := train(ctx, p, func(first *booster.Report) bool {
		s.learn(first, 2, time.Since(began))
		s.better(s.plan.grown(s.base.LearningRate))
		return s.next == nil
	})
	if err != nil {
		return m, report, s.over(err)
	}
	if s.next == nil {
		if p.Blend == 0 {
			s.learn(&report, s.plan.Members, time.Since(began))
		} else {
			s.plan = s.plan.grown(s.base.LearningRate) // where time is left, all models are there
		}
		s.better(s.plan)
	}
	return m, report, nil
}

// over words the error of a training that ended with the time: not of its limit, which nobody gave.
func (s *spending) over(err error) error {
	_, memory := errors.AsType[*budget.Over](err)
	if memory || !errors.Is(err, booster.ErrBudget) || s.left() > 0 {
		return err
	}
	return fmt.Errorf("%w: train.budget of %v was over before the first round: give more time, or fewer rows or columns", booster.ErrBudget, cmp.Or(s.Given, s.Time))
}

// learn learns how long rounds take, and how many there are, from a training of so many models.
func (s *spending) learn(report *booster.Report, models int, took time.Duration) {
	if report.Stopped == booster.StoppedTimeLimit || report.BestRound == 0 || s.asked.EarlyStopping == 0 {
		return
	}
	stop, kept := float64(max(report.Rounds, report.BestRound)), float64(report.BestRound)
	s.rates, s.known = kept*s.asked.LearningRate, true
	if models == 1 && !report.Retrained {
		kept = 0
	}
	s.each = took.Seconds() / s.averaging.rounds(models, stop, kept)
}

// search searches, and returns the parameters of the best trial.
func (s *spending) search(ctx context.Context) (booster.Params, error) {
	of, err := s.searcher()
	if err != nil {
		return s.base, err
	}
	if s.Show != nil {
		of.OnTrial, of.OnRound = s.Show(s.left())
	}
	of.end = s.end
	of.reserve = func(t *Trial) time.Duration {
		round, stop := t.Seconds/float64(max(t.Rounds, 1)*s.judged), t.Best
		if s.blends {
			stop += t.patience
		}
		return seconds(s.reserved(round*s.averaging.rounds(s.members, float64(stop), float64(t.Best))) + saveShare*s.Time.Seconds())
	}
	stopped, err := of.run(ctx)
	if err != nil {
		return s.base, err
	}
	if stopped == StoppedInterrupted {
		return s.base, fmt.Errorf("%w: %w", booster.ErrInterrupted, ctx.Err())
	}
	of.sayFailed()
	found, err := of.result(stopped)
	if err != nil || !s.blends {
		return found.Params, err
	}
	// Each kind of trees finds its own rounds.
	p, err := s.Space.apply(s.base, of.trials[of.best].Values)
	p.EarlyStopping = patience(p.EarlyStopping, s.base.LearningRate, p.LearningRate)
	return p, err
}
