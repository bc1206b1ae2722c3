package tune

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"time"

	"boost/booster"
	"boost/booster/search"
	"boost/dataset"
	"boost/internal/format"
)

// Budget is a time for finding settings and training with them.
type Budget struct {
	Time    time.Duration // from the call on
	Space   Space         // that may be searched
	Own     search.Own
	Log     *slog.Logger // is told the plan at the beginning; nil for none
	OnRound func(done, of int)
	OnTrial func(t Trial, best bool)
}

// Plan is what fits into a budget.
type Plan struct {
	Trials       int // that about fit, before the training; 0 = no search
	Members      int // models that are averaged, each of the rows without its part; 1 = one model
	LearningRate float64
	Rounds       int           // that a model has, about
	Training     time.Duration // after the search, about
}

// String returns the plan in words.
func (p Plan) String() string {
	what := "one model"
	if p.Members > 1 {
		what = fmt.Sprintf("the mean of %d models", p.Members)
	}
	if p.Trials > 0 {
		return fmt.Sprintf("a search of about %d trials, then %s of about %d rounds in %s", p.Trials, what, p.Rounds, format.Seconds(p.Training.Seconds()))
	}
	return fmt.Sprintf("%s with learning rate %g, about %d rounds in %s", what, p.LearningRate, p.Rounds, format.Seconds(p.Training.Seconds()))
}

// What plans are made with.
const (
	budgetFolds   = 5  // of trials
	budgetMembers = 10 // after a search
	// sumOfRates is about what the learning rates of all rounds add to where early stopping ends training, most of which
	// is before the best round.
	sumOfRates, beforeBest = 20, 0.75
	// share is the part of a budget that is planned for. The rest is for what a guess is wrong by.
	share = 0.85
	// Of a budget: what may be spent on measuring a round.
	pilotShare  = 0.05
	pilotRounds = 60
	// averageShare is the part of the time for training that judging and averaging its models takes: 0.05 on tables of numbers, 0.2 where
	// columns have thousands of levels.
	averageShare = 0.12
)

// Within spends a budget on a search, and returns the parameters to train with in the time that is left: those of the best trial,
// for ten models that are averaged (BagFolds), with a fixed number of rounds. Where no search fits, they are those for fewer
// models or larger steps. TimeLimit is what is left, a tenth of the budget at least. p should have early stopping and no BagFolds. search.Bag trains such parameters, with
// TimeLimit as its Bagging.Limit and 0 in the parameters; booster.Train those without BagFolds.
//
// What comes out depends on the time that things take; training with it does not.
func Within(ctx context.Context, p booster.Params, table *dataset.Table, b Budget) (booster.Params, error) {
	end := time.Now().Add(b.Time)
	p = p.OrDefaults()
	if table == nil {
		return p, fmt.Errorf("%w: train.budget needs the table in memory: set data.out_of_core = \"false\" and no data.cache, or leave the budget out", booster.ErrParams)
	}
	c := Params{Division: search.Division{Folds: budgetFolds, Seed: p.Seed}, Space: b.Space, Own: b.Own, Sampler: TPE, Log: cmp.Or(b.Log, slog.New(slog.DiscardHandler)), OnTrial: b.OnTrial}
	s, err := newSearcher(p, table, c)
	if err != nil {
		return p, err
	}
	defer s.judge.Close()
	each, err := s.pilot(ctx, b.Time)
	if err != nil {
		return p, err
	}
	folds, _ := s.judge.Folds()
	left := time.Until(end)
	members := budgetMembers
	if !search.Averages(&p, table) {
		members = 1
	}
	plan := s.plan(each, len(folds), members, left)
	c.Log.Info(fmt.Sprintf("plan for %s: %s", format.Seconds(b.Time.Seconds()), plan))
	if plan.Trials > 0 {
		s.OnRound, s.end = b.OnRound, end
		s.firstEnd = end.Add(-plan.Training - time.Duration((1-share)*float64(left)))
		s.reserve = func(best *Trial) time.Duration {
			round := best.Seconds / float64(max(best.Rounds, 1)*len(folds))
			return time.Duration(float64(seconds(round*cost(members)*float64(best.Best)))/share) + b.Time/50
		}
		stopped, err := s.run(ctx)
		if err != nil {
			return p, err
		}
		if stopped == StoppedInterrupted {
			return p, fmt.Errorf("%w: %w", booster.ErrInterrupted, ctx.Err())
		}
		found, err := s.result(stopped)
		if err != nil {
			return p, err
		}
		p = found.Params
	} else {
		p.EarlyStopping = patience(p.EarlyStopping, p.LearningRate, plan.LearningRate)
		p.LearningRate = plan.LearningRate
	}
	if plan.Members > 1 {
		p.BagFolds, p.Retrain = plan.Members, false
	}
	toSave := b.Time / 50
	if plan.Members > 1 {
		toSave += seconds(averageShare * time.Until(end).Seconds())
	}
	p.TimeLimit = max(time.Until(end)-toSave, b.Time/10, time.Millisecond) // a model that is a little late is better than none
	return p, nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// cost returns the rounds that training takes for each round of its models, in rounds of one fold of a trial.
func cost(members int) float64 {
	if members == 1 { // on most rows, and then again on all of them
		return (0.9 + 1) * budgetFolds / (budgetFolds - 1)
	}
	return float64(members-1) * budgetFolds / (budgetFolds - 1)
}

// pilot trains a few rounds, and returns the seconds that one of one fold takes while others are trained beside it.
func (s *searcher) pilot(ctx context.Context, budget time.Duration) (float64, error) {
	var rounds []time.Time
	s.OnRound = func(int, int) { rounds = append(rounds, time.Now()) }
	p := s.base
	p.Rounds, p.EarlyStopping = min(p.Rounds, pilotRounds), 0
	enough := seconds(pilotShare * budget.Seconds())
	begin, start := time.Now(), time.Time{}
	_, err := s.judge.Judge(ctx, p, func(int, float64) bool {
		if start.IsZero() {
			start = time.Now()
		}
		return time.Since(start) > enough
	})
	s.OnRound = nil
	if len(rounds) < 2 {
		return time.Since(begin).Seconds(), err
	}
	later := rounds[len(rounds)/3:] // most folds are prepared among the first
	return later[len(later)-1].Sub(later[0]).Seconds() / float64(len(later)-1), err
}

// plan returns what fits into the time that is left, with so many members at most; each is what pilot found, and judged the folds of a trial.
func (s *searcher) plan(each float64, judged, members int, left time.Duration) Plan {
	p := &s.base
	rounds := func(rate float64) float64 {
		if p.EarlyStopping == 0 {
			return float64(p.Rounds)
		}
		return min(float64(p.Rounds), math.Ceil(sumOfRates/rate))
	}
	time := share * left.Seconds()
	rate, free := p.LearningRate, false
	for i := range s.Space {
		free = free || s.Space[i].Name == "train.learning_rate"
	}
	trial, best := each*float64(judged)*rounds(rate), math.Ceil(beforeBest*rounds(rate))
	if training := each * cost(members) * best; trial+training <= time && len(s.Space) > 0 {
		return Plan{Trials: max(1, int(2*(time-training)/trial)), Members: members, LearningRate: rate, Rounds: int(best), Training: seconds(training)}
	}
	var plan Plan
	for _, next := range []struct {
		members int
		faster  float64 // factor on the learning rate
	}{{members, 1}, {members, 2}, {1, 1}, {1, 2}, {1, 4}, {1, 8}} {
		if next.faster > 1 && !free {
			continue
		}
		r := max(rate, min(rate*next.faster, 0.3))
		plan = Plan{Members: next.members, LearningRate: r, Rounds: int(math.Ceil(beforeBest * rounds(r))), Training: seconds(each * cost(next.members) * rounds(r))}
		if plan.Training.Seconds() <= time {
			break
		}
	}
	return plan
}
