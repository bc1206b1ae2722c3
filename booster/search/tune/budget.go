package tune

import (
	"cmp"
	"context"
	"errors"
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
	Time    time.Duration  // from the call on
	Quick   booster.Params // of one model that is trained until the time is over, where there is too little for more
	Space   Space          // that may be searched
	Own     search.Own
	Log     *slog.Logger // is told the plan at the beginning; nil for none
	OnRound func(done, of int)
	OnTrial func(t Trial, best bool)
}

// Plan is what fits into a budget.
type Plan struct {
	Trials       int // that about fit, before the training; 0 = no search
	Members      int // models that are averaged; 1 = one model
	Most         int // the same where time is left; 0 = no more
	LearningRate float64
	Rounds       int           // that a model has, about; 0 = as many as there is time for
	Training     time.Duration // after the search, about
}

// String returns the plan in words.
func (p Plan) String() string {
	what := "one model"
	if p.Members > 1 {
		what = fmt.Sprintf("the mean of %d models", p.Members)
	}
	if p.Most > p.Members {
		what = fmt.Sprintf("the mean of %d to %d models", p.Members, p.Most)
	}
	if p.Trials > 0 {
		what = fmt.Sprintf("a search of about %d trials, then %s of about %d rounds", p.Trials, what, p.Rounds)
	} else if p.Rounds == 0 {
		return fmt.Sprintf("%s with learning rate %g, of as many rounds as there is time for", what, p.LearningRate)
	} else {
		what = fmt.Sprintf("%s with learning rate %g, about %d rounds", what, p.LearningRate, p.Rounds)
	}
	if p.Most > 0 { // until the time is over
		return what + " each"
	}
	return fmt.Sprintf("%s in %s", what, format.Seconds(p.Training.Seconds()))
}

// What plans are made with.
const (
	budgetFolds   = 5  // of trials
	budgetMembers = 10 // models of folds after a search
	budgetBlended = 8  // models of all rows, where they can be averaged
	mostBlended   = 12 // the same where time is left
	// sumOfRates is about what the learning rates of all rounds add to where early stopping ends training, most of which
	// is before the best round.
	sumOfRates, beforeBest = 20, 0.75
	// share is the part of a budget that is planned for. The rest is for what a guess is wrong by.
	share = 0.85
	// Of a budget: what may be spent on measuring a round.
	pilotShare  = 0.05
	pilotRounds = 60
	leastRounds = 6 // of all folds, that measure one
	// averageShare is the part of the time for training that judging and averaging its models takes: 0.05 on tables of numbers, 0.2 where
	// columns have thousands of levels. saveShare is that of a budget for what follows.
	averageShare, saveShare = 0.12, 0.02
	// margin is on the time of the training after a search, which holds more models in memory than its trial, while other programs may
	// take more of the machine than they did then. Of models of all rows, fewer are averaged where time is short.
	margin, blendMargin = 2, 1.3
	// longer is by how many times more rounds than planned may be best. Where they are more still, there are fewer models than planned.
	longer = 1.5
	// leastTrials is how many must fit for a search, the first of which is of the parameters that it begins with.
	leastTrials = 3
)

// Within spends a budget on a search, and returns the parameters to train with in the time that is left: those of the best trial,
// for eight to twelve models that are averaged (Blend), or, where these cannot be (search.Blends), for ten of folds (BagFolds) with a fixed number of rounds. Where no search fits, they are those for fewer
// models or larger steps, and where none of these fits, those of b.Quick. TimeLimit is what is left. p should have early stopping and
// neither BagFolds nor Blend. search.Blend trains such parameters; search.Bag those with BagFolds, with TimeLimit as its Bagging.Limit and 0 in the parameters; booster.Train
// those without both. Where a round takes longer than what is left, their error is worded by Over.
//
// What comes out depends on the time that things take; training with it does not.
func Within(ctx context.Context, p booster.Params, table *dataset.Table, b Budget) (booster.Params, error) {
	end := time.Now().Add(b.Time)
	p = p.OrDefaults()
	if table == nil {
		return p, fmt.Errorf("%w: train.budget needs the table in memory: set data.out_of_core = \"false\" and no data.cache, or leave the budget out", booster.ErrParams)
	}
	c := Params{Division: search.Division{Folds: budgetFolds, Seed: p.Seed}, Space: b.Space, Own: b.Own, Sampler: TPE, Budget: b.Time, Log: cmp.Or(b.Log, slog.New(slog.DiscardHandler)), OnTrial: b.OnTrial}
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
	w := averaging{members: budgetMembers}
	switch {
	case search.Blends(p, table):
		w = averaging{budgetBlended, true}
	case !search.Averages(&p, table):
		w.members = 1
	}
	toSave := seconds(saveShare * b.Time.Seconds())
	plan := s.plan(each, len(folds), w, time.Until(end)-toSave)
	if plan.Rounds == 0 {
		p = b.Quick.OrDefaults()
		plan.LearningRate = p.LearningRate
	}
	c.Log.Info(fmt.Sprintf("plan for %s: %s", format.Seconds(b.Time.Seconds()), plan))
	switch {
	case plan.Trials > 0:
		s.OnRound, s.end = b.OnRound, end
		s.reserve = func(t *Trial) time.Duration {
			round := t.Seconds / float64(max(t.Rounds, 1)*len(folds))
			return seconds(w.reserved(round*w.cost(w.members)*float64(t.Best))) + toSave
		}
		stopped, err := s.run(ctx)
		if err != nil {
			return p, err
		}
		if stopped == StoppedInterrupted {
			return p, fmt.Errorf("%w: %w", booster.ErrInterrupted, ctx.Err())
		}
		s.sayFailed()
		found, err := s.result(stopped)
		if err != nil {
			return p, err
		}
		if w.blends { // each kind of trees finds its own rounds
			if p, err = s.Space.apply(s.base, s.trials[s.best].Values); err != nil {
				return p, err
			}
			p.EarlyStopping = patience(p.EarlyStopping, s.base.LearningRate, p.LearningRate)
			break
		}
		p = found.Params
	case plan.Rounds > 0:
		p.EarlyStopping = patience(p.EarlyStopping, p.LearningRate, plan.LearningRate)
		p.LearningRate = plan.LearningRate
	}
	switch {
	case plan.Members > 1 && w.blends:
		p.Blend, p.Retrain = max(plan.Members, plan.Most), true
	case plan.Members > 1:
		p.BagFolds, p.Retrain = plan.Members, false
		toSave += seconds(averageShare * time.Until(end).Seconds())
	}
	p.TimeLimit = max(time.Until(end)-toSave, b.Time/20, time.Millisecond) // a model that is a little late is better than none
	return p, nil
}

// Over words the error of a training with what Within returned, where the whole budget was spent: of the limit, which nobody gave.
// Without a budget it returns err.
func Over(err error, budget, spent time.Duration) error {
	if budget == 0 || !errors.Is(err, booster.ErrBudget) || spent < seconds((1-saveShare)*budget.Seconds()) {
		return err
	}
	return fmt.Errorf("%w: train.budget of %v was over before the first round: give more time, or fewer rows or columns", booster.ErrBudget, budget)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// averaging is how models are averaged in the end.
type averaging struct {
	members int
	blends  bool // they see all rows, and every second one has symmetric trees
}

// most returns how many models are averaged, of which there is time for so many at least.
func (w averaging) most(members int) int {
	if w.blends && members > 1 {
		return mostBlended
	}
	return 0
}

// cost returns the rounds that training so many models takes for each round of one, in rounds of one fold of a trial.
func (w averaging) cost(members int) float64 {
	const whole = budgetFolds / (budgetFolds - 1.0) // all rows, beside those of a fold's training
	switch {
	case members == 1: // on most rows, and then again on all of them
		return (0.9 + 1) * whole
	case w.blends: // of each kind the first beyond its best round, and then all on all rows; symmetric trees take a little less time
		return (0.9/beforeBest + float64(members)/2) * (1 + 0.8) * whole
	}
	return float64(members-1) * whole
}

// reserved returns the seconds that have to be left for a training of so many.
func (w averaging) reserved(training float64) float64 {
	if w.blends {
		return training * blendMargin
	}
	return training * margin / (1 - averageShare)
}

// pilot trains a few rounds, and returns the seconds that one of one fold takes while others are trained beside it. They are +Inf where
// it takes too long to be measured.
func (s *searcher) pilot(ctx context.Context, budget time.Duration) (float64, error) {
	var rounds []time.Time
	s.OnRound = func(int, int) { rounds = append(rounds, time.Now()) }
	p := s.base
	p.Rounds, p.EarlyStopping = min(p.Rounds, pilotRounds), 0
	within, cancel := context.WithTimeout(ctx, seconds(pilotShare*budget.Seconds()))
	defer cancel()
	_, err := s.judge.Judge(within, p, func(int, float64) bool { return false })
	s.OnRound = nil
	if err != nil && (ctx.Err() != nil || within.Err() == nil) {
		return 0, err
	}
	if err != nil && len(rounds) < leastRounds {
		return math.Inf(1), nil
	}
	later := rounds[len(rounds)/3:] // most folds are prepared among the first
	return later[len(later)-1].Sub(later[0]).Seconds() / float64(max(1, len(later)-1)), nil
}

// plan returns what fits into the time that is left, without rounds where nothing does; each is what pilot found, and judged the folds of a
// trial.
func (s *searcher) plan(each float64, judged int, w averaging, left time.Duration) Plan {
	members := w.members
	p := &s.base
	rounds := func(rate float64) float64 {
		if p.EarlyStopping == 0 {
			return float64(p.Rounds)
		}
		return min(float64(p.Rounds), math.Ceil(sumOfRates/rate))
	}
	rate, free := p.LearningRate, false
	for i := range s.Space {
		free = free || s.Space[i].Name == "train.learning_rate"
	}
	trial, best := each*float64(judged)*rounds(rate), math.Ceil(beforeBest*rounds(rate))
	training := each * w.cost(members) * best
	if spare := left.Seconds() - w.reserved(training); 2*spare >= leastTrials*trial && len(s.Space) > 0 {
		return Plan{Trials: max(1, int(2*spare/trial)), Members: members, Most: w.most(members), LearningRate: rate, Rounds: int(best), Training: seconds(training)}
	}
	fewer := max(members/2, 1)
	for _, next := range []struct {
		members int
		faster  float64 // factor on the learning rate
	}{{members, 1}, {members, 2}, {fewer, 1}, {fewer, 2}, {2, 2}, {1, 1}, {1, 2}, {1, 4}} {
		if next.faster > 1 && !free || next.members == 2 && !w.blends {
			continue
		}
		r := max(rate, min(rate*next.faster, 0.3))
		length := rounds(r)
		if w.blends && next.members > 1 {
			length *= beforeBest * longer // what is beyond the best rounds is in the cost
		}
		if training := each * w.cost(next.members) * length; training <= share*left.Seconds() {
			return Plan{Members: next.members, Most: w.most(next.members), LearningRate: r, Rounds: int(math.Ceil(beforeBest * rounds(r))), Training: seconds(training)}
		}
	}
	return Plan{Members: 1}
}
