package tune

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"boost/booster"
	"boost/booster/internal/budget"
	"boost/booster/model"
)

// rates is a space of learning rates.
var rates = Space{{Name: "train.learning_rate", Low: 0.01, High: 0.3}}

// slow returns parameters with a learning rate of 0.03.
func slow() booster.Params {
	p := booster.Defaults()
	p.LearningRate, p.Rounds, p.EarlyStopping = 0.03, 3000, 200
	return p
}

// What fits is planned, and no more. A round of a fold takes 1 ms. Of rates of 0.03, 0.06 and 0.12 ⌈15 / rate⌉ = 500, 250 and 125 rounds
// are kept, and training stops 200, 100 and 50 later. For each round a trial takes 5 ms, ten models 9 · 5/4 = 11.25 ms, five 5 ms, and one
// 5/4 · (0.9 ms until it stops, and 1 ms that is kept).
func TestPlan(t *testing.T) {
	p := slow()
	folds, blended := averaging{members: budgetMembers}, averaging{budgetBlended, true}
	guess, known := pace{0.001, budgetFolds, sumOfRates, false}, pace{0.001, budgetFolds, sumOfRates, true}
	ms := func(v float64) time.Duration { return seconds(v / 1000) }
	any, faster, all := plan{Place: placeNone}, plan{Members: 8, LearningRate: 0.06, Place: placeAllFaster}, plan{Members: 8, LearningRate: 0.03, Place: placeAll}
	none := plan{Members: 1, Place: placeNone}
	for _, c := range []struct {
		left  time.Duration
		pace  pace
		space Space
		averaging
		than plan
		want plan
	}{
		// 11.25 · 500 = 5,625 ms · 2 / 0.88 = 12,784.1 ms are reserved; in the other 87,215.9 ms there are 24.9 trials of 3,500 ms, of which half are given up.
		{100 * time.Second, guess, rates, folds, any, plan{Trials: 49, Members: 10, LearningRate: 0.03, Rounds: 500, Training: ms(5625)}},
		{10 * time.Second, guess, rates, folds, any, plan{Members: 10, LearningRate: 0.03, Rounds: 500, Training: ms(7875), Place: placeAll}},
		{8 * time.Second, guess, rates, folds, any, plan{Members: 10, LearningRate: 0.06, Rounds: 250, Training: ms(3937.5), Place: placeAllFaster}},
		{4200 * time.Millisecond, guess, rates, folds, any, plan{Members: 5, LearningRate: 0.03, Rounds: 500, Training: ms(3500), Place: placeFew}},
		{3 * time.Second, guess, rates, folds, any, plan{Members: 5, LearningRate: 0.06, Rounds: 250, Training: ms(1750), Place: placeFewFaster}},
		{1900 * time.Millisecond, guess, rates, folds, any, plan{Members: 1, LearningRate: 0.03, Rounds: 500, Training: ms(1412.5), Place: placeOne}},
		{1600 * time.Millisecond, guess, rates, folds, any, plan{Members: 1, LearningRate: 0.06, Rounds: 250, Training: ms(706.25), Place: placeOneFaster}},
		{800 * time.Millisecond, guess, rates, folds, any, plan{Members: 1, LearningRate: 0.12, Rounds: 125, Training: ms(353.125), Place: placeQuick}},
		{400 * time.Millisecond, guess, rates, folds, any, none},
		{1600 * time.Millisecond, guess, nil, folds, any, none}, // the rate was given
		{100 * time.Second, pace{math.Inf(1), budgetFolds, sumOfRates, false}, rates, folds, any, none},
		// Eight models of all rows, half of them with symmetric trees, take 1.8 · 5/4 · (0.9 · 700 + 4 · 500) = 5,917.5 ms, of which 1.3 times as many are
		// reserved; in the other 92,307.25 ms there are 26.4 trials.
		{100 * time.Second, guess, rates, blended, any, plan{Trials: 52, Members: 8, Most: 12, LearningRate: 0.03, Rounds: 500, Training: ms(5917.5)}},
		// Half as many more may be best: 2.25 · (0.9 · 950 + 4 · 750) ms.
		{11 * time.Second, guess, rates, blended, any, plan{Members: 8, Most: 12, LearningRate: 0.03, Rounds: 500, Training: ms(8673.75), Place: placeAll}},
		{10 * time.Second, guess, rates, blended, any, plan{Members: 8, Most: 12, LearningRate: 0.06, Rounds: 250, Training: ms(4336.875), Place: placeAllFaster}},
		{4 * time.Second, guess, rates, blended, any, plan{Members: 4, Most: 12, LearningRate: 0.06, Rounds: 250, Training: ms(2649.375), Place: placeFewFaster}},
		{3 * time.Second, guess, rates, blended, any, plan{Members: 2, Most: 12, LearningRate: 0.06, Rounds: 250, Training: ms(1805.625), Place: placePair}},
		{2000 * time.Millisecond, guess, rates, blended, any, plan{Members: 1, LearningRate: 0.03, Rounds: 500, Training: ms(1412.5), Place: placeOne}},
		// Where rounds are known, four models are better than eight of a higher rate.
		{7 * time.Second, known, rates, blended, faster, plan{Members: 8, Most: 12, LearningRate: 0.03, Rounds: 500, Training: ms(5917.5), Place: placeAll}},
		{5 * time.Second, known, rates, blended, faster, plan{Members: 4, Most: 12, LearningRate: 0.03, Rounds: 500, Training: ms(3667.5), Place: placeFewKnown}},
		// A rate of 2.25 · (0.9 · (15 + 200 · 0.03) + 4 · 15) / 3,800 = 0.0468 is rounded up: 320 rounds are kept of 448. A rate above four fifths of the other's
		// is not worth it.
		{4 * time.Second, known, rates, blended, faster, plan{Members: 8, Most: 12, LearningRate: 0.047, Rounds: 320, Training: ms(3787.2), Place: placeBetween}},
		{3 * time.Second, known, rates, blended, faster, none},
		{12 * time.Second, known, rates, blended, all, none}, // 2 · (12 − 7.69275) s are less than three trials
		{14 * time.Second, known, rates, blended, all, plan{Trials: 3, Members: 8, Most: 12, LearningRate: 0.03, Rounds: 500, Training: ms(5917.5)}},
		// Of models of folds fewer are not better than all with a higher rate, nor the same again.
		{7 * time.Second, known, rates, folds, plan{Members: 10, LearningRate: 0.06, Place: placeAllFaster}, none},
		{4 * time.Second, known, rates, folds, plan{Members: 5, LearningRate: 0.03, Place: placeFew}, none},
		{5 * time.Second, known, rates, folds, plan{Members: 5, LearningRate: 0.03, Place: placeFew}, plan{Members: 10, LearningRate: 0.06, Rounds: 250, Training: ms(3937.5), Place: placeAllFaster}},
		{100 * time.Second, pace{0.001, 0, sumOfRates, false}, rates, blended, any, plan{Members: 8, Most: 12, LearningRate: 0.03, Rounds: 500, Training: ms(8673.75), Place: placeAll}}, // no folds
		{time.Hour, known, rates, blended, plan{Members: 8, Place: placeSearch}, none},                                                                                                   // nothing is better than a search
	} {
		got, fits := c.pace.fits(&p, c.space, c.averaging, c.left, c.than)
		if fits != (c.want.Rounds > 0) {
			t.Errorf("%v: fits: %v", c.left, fits)
		}
		if math.Abs(float64(got.Training-c.want.Training)) > 1000 {
			t.Errorf("%v: training takes %v, want %v", c.left, got.Training, c.want.Training)
		}
		if got.Training = c.want.Training; got != c.want {
			t.Errorf("%v: %+v, want %+v", c.left, got, c.want)
		}
	}
}

// Rounds that are given are all kept.
func TestPlanGivenRounds(t *testing.T) {
	p := slow()
	p.EarlyStopping, p.Rounds = 0, 200
	c := pace{0.001, budgetFolds, sumOfRates, false}
	want := plan{Members: 10, LearningRate: 0.03, Rounds: 200, Training: seconds(2.25), Place: placeAll}
	if got, fits := c.fits(&p, nil, averaging{members: budgetMembers}, 3*time.Second, plan{Place: placeNone}); !fits || got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Of the parts of a pilot the fastest counts: rounds of 2 ms, while another program was running, and of 1 ms. Two folds whose rounds end at
// the same time are no faster than one after the other.
func TestSecondsOf(t *testing.T) {
	var rounds, pairs []time.Time
	at := time.Unix(0, 0)
	for i := range 60 {
		took := 2 * time.Millisecond
		if i >= 15 && i < 30 {
			took = time.Millisecond
		}
		at = at.Add(took)
		rounds = append(rounds, at)
		pairs = append(pairs, time.Unix(0, 0).Add(time.Duration(i/2*4)*time.Millisecond))
	}
	for _, c := range []struct {
		rounds   []time.Time
		folds    int
		low, top float64
	}{
		{rounds, 5, 0.001, 0.001}, {rounds[30:], 5, 0.002, 0.002}, {rounds[:3], 1, 0.002, 0.002}, {rounds[12:18], 1, 7e-3 / 5, 7e-3 / 5}, {rounds[:3], 5, 0.002, 0.002},
		{pairs, 2, 0.0018, 0.0022}, {rounds[:1], 5, 0, 0},
	} {
		if got := secondsOf(c.rounds, c.folds); got < c.low-1e-9 || got > c.top+1e-9 {
			t.Errorf("%d rounds of %d folds: %v s, want %v to %v", len(c.rounds), c.folds, got, c.low, c.top)
		}
	}
}

// Where the first two models take less time than the pilot foretold, what is better is trained: here the pilot says 100 ms a round, by
// which two models fit at twice the rate, while they are there at once.
func TestGoesOn(t *testing.T) {
	first, second := new(model.Model), new(model.Model)
	for _, c := range []struct {
		name   string
		second booster.Report // of the better models
		err    error
		want   *model.Model
	}{
		{"better", booster.Report{Blended: 12, BestRound: 300, Retrained: true}, nil, second},
		{"one", booster.Report{BestRound: 300, Retrained: true}, nil, first},
		{"half of one", booster.Report{Blended: 12, BestRound: 300}, nil, first},
		{"time over", booster.Report{Blended: 12, BestRound: 300, Retrained: true, Stopped: booster.StoppedTimeLimit}, nil, first},
		{"no time", booster.Report{}, booster.ErrBudget, first},
		{"fails", booster.Report{}, booster.ErrParams, first},
		{"interrupted", booster.Report{}, booster.ErrInterrupted, first},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &spending{Budget: Budget{Time: 240 * time.Second, Log: slog.New(slog.DiscardHandler), Space: rates}, base: slow(), averaging: averaging{budgetBlended, true}}
			s.pace, s.end = pace{0.1, math.MaxInt, sumOfRates, false}, time.Now().Add(240*time.Second) // of so many folds no trial fits
			var asked []booster.Params
			m, report, err := s.train(t.Context(), func(_ context.Context, p booster.Params, more func(*booster.Report) bool) (*booster.Model, booster.Report, error) {
				asked = append(asked, p)
				its := booster.Report{Rounds: 250, BestRound: 150, Blended: 2, Retrained: true}
				goesOn := more(&its)
				if len(asked) == 1 {
					if goesOn {
						t.Error("goes on, where better models fit")
					}
					return first, its, nil
				}
				if !goesOn {
					t.Error("does not go on with the best that fits")
				}
				return second, c.second, c.err
			})
			if len(asked) != 2 {
				t.Fatalf("trained %d times", len(asked))
			}
			for i, rate := range []float64{0.06, 0.03} {
				if p := &asked[i]; p.LearningRate != rate || p.Blend != mostBlended || !p.Retrain {
					t.Errorf("training %d: %d models with a rate of %v", i, p.Blend, p.LearningRate)
				}
			}
			if m != c.want || (m == second) != reflect.DeepEqual(report, c.second) {
				t.Errorf("the wrong model, with %+v", report)
			}
			if interrupted := c.err == booster.ErrInterrupted; interrupted != (err != nil) || interrupted && !errors.Is(err, booster.ErrInterrupted) {
				t.Error(err)
			}
		})
	}
}

// A model that stopped after 150 rounds, and was not trained again, tells how long rounds take: 13.5 s on nine tenths of the rows are
// 0.9 · 5/4 · 150 = 168.75 rounds of a fold of 0.08 s each. Two models of 2.25 · (0.9 · 150 + 100) = 528.75 such rounds took 42.3 s.
func TestLearn(t *testing.T) {
	for _, c := range []struct {
		report booster.Report
		models int
		took   float64
	}{{booster.Report{Rounds: 150, BestRound: 100}, 1, 13.5}, {booster.Report{Rounds: 150, BestRound: 100, Retrained: true}, 2, 42.3}} {
		s := &spending{asked: slow(), averaging: averaging{budgetBlended, true}}
		s.asked.LearningRate = 0.1
		s.learn(&c.report, c.models, seconds(c.took))
		if !s.known || math.Abs(s.each-0.08) > 1e-6 || math.Abs(s.rates-10) > 1e-9 {
			t.Errorf("%d models: %+v", c.models, s.pace)
		}
	}
}

// A training that the time of a budget ends is told of by the budget, which was given, other errors by themselves.
func TestOver(t *testing.T) {
	limit := fmt.Errorf("%w: train.time_limit of 20ms was over before the first round", booster.ErrBudget)
	s := &spending{Budget: Budget{Time: 900 * time.Millisecond, Given: time.Second}, end: time.Now()}
	if got := s.over(limit); !errors.Is(got, booster.ErrBudget) || !strings.Contains(got.Error(), "train.budget of 1s was over before the first round") {
		t.Error(got)
	}
	memory := fmt.Errorf("training: %w", new(budget.Over))
	for _, err := range []error{booster.ErrParams, memory} {
		if got := s.over(err); got != err {
			t.Error(got)
		}
	}
	if s.end = time.Now().Add(time.Minute); s.over(limit) != limit {
		t.Error("there is time")
	}
}

// A trial is given up when the training with what it found would not fit any more: here one minute is left, and training takes a second
// for each of its best rounds.
func TestInTime(t *testing.T) {
	s := &searcher{end: time.Now().Add(time.Minute)}
	s.reserve = func(t *Trial) time.Duration { return time.Duration(t.Best) * time.Second }
	prune := s.inTime(time.Now(), 0, nil)
	for _, c := range []struct {
		round  int
		best   float64
		giveUp bool
	}{{1, 9, false}, {50, 8, false}, {100, 8, false}, {101, 7, true}} { // after 100 rounds the best has 50
		if got := prune(c.round, c.best); got != c.giveUp {
			t.Errorf("after %d rounds: %v", c.round, got)
		}
	}
	if !s.inTime(time.Now(), 0, func(int, float64) bool { return true })(1, 9) {
		t.Error("what others are ahead of goes on")
	}
}
