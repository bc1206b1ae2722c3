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

// What fits is planned, and no more. A round of a fold takes 1 ms. Rates of 0.03, 0.06 and 0.12 take ⌈20 / rate⌉ = 667, 334 and 167
// rounds, of which three quarters are kept. For a round each, a trial takes 5 ms, ten models 9 · 5/4 = 11.25 ms, five 5 ms, and one, with
// the training on all rows, 1.9 · 5/4 = 2.375 ms.
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
		// 11.25 · 501 = 5,636.25 ms · 2 / 0.88 = 12,809.7 ms are reserved; in the other 87,190.3 ms there are 26.1 trials of 3,335 ms, of which half are given up.
		{100 * time.Second, guess, rates, folds, any, plan{Trials: 52, Members: 10, LearningRate: 0.03, Rounds: 501, Training: ms(5636.25)}},
		{10 * time.Second, guess, rates, folds, any, plan{Members: 10, LearningRate: 0.03, Rounds: 501, Training: ms(7503.75), Place: placeAll}},
		{8 * time.Second, guess, rates, folds, any, plan{Members: 10, LearningRate: 0.06, Rounds: 251, Training: ms(3757.5), Place: placeAllFaster}},
		{4 * time.Second, guess, rates, folds, any, plan{Members: 5, LearningRate: 0.03, Rounds: 501, Training: ms(3335), Place: placeFew}},
		{3 * time.Second, guess, rates, folds, any, plan{Members: 5, LearningRate: 0.06, Rounds: 251, Training: ms(1670), Place: placeFewFaster}},
		{1900 * time.Millisecond, guess, rates, folds, any, plan{Members: 1, LearningRate: 0.03, Rounds: 501, Training: ms(1584.125), Place: placeOne}},
		{1800 * time.Millisecond, guess, rates, folds, any, plan{Members: 1, LearningRate: 0.06, Rounds: 251, Training: ms(793.25), Place: placeOneFaster}},
		{900 * time.Millisecond, guess, rates, folds, any, plan{Members: 1, LearningRate: 0.12, Rounds: 126, Training: ms(396.625), Place: placeQuick}},
		{400 * time.Millisecond, guess, rates, folds, any, none},
		{1800 * time.Millisecond, guess, nil, folds, any, none}, // the rate was given
		{100 * time.Second, pace{math.Inf(1), budgetFolds, sumOfRates, false}, rates, folds, any, none},
		// 5,861.7 ms · 1.3 = 7,620.2 ms are reserved; in the other 92,379.8 ms there are 27.7 trials.
		// Eight models of all rows, half of them with symmetric trees, take (0.9 / 0.75 + 4) · 1.8 · 5/4 = 11.7 ms for each best round of one, four 7.2 ms, two 4.95 ms.
		{100 * time.Second, guess, rates, blended, any, plan{Trials: 55, Members: 8, Most: 12, LearningRate: 0.03, Rounds: 501, Training: ms(5861.7)}},
		// Half as many more may be best: 11.7 · 750.375 = 8,779.4 ms.
		{11 * time.Second, guess, rates, blended, any, plan{Members: 8, Most: 12, LearningRate: 0.03, Rounds: 501, Training: ms(8779.3875), Place: placeAll}},
		{10 * time.Second, guess, rates, blended, any, plan{Members: 8, Most: 12, LearningRate: 0.06, Rounds: 251, Training: ms(4396.275), Place: placeAllFaster}},
		{4 * time.Second, guess, rates, blended, any, plan{Members: 4, Most: 12, LearningRate: 0.06, Rounds: 251, Training: ms(2705.4), Place: placeFewFaster}},
		{3 * time.Second, guess, rates, blended, any, plan{Members: 2, Most: 12, LearningRate: 0.06, Rounds: 251, Training: ms(1859.9625), Place: placePair}},
		{2000 * time.Millisecond, guess, rates, blended, any, plan{Members: 1, LearningRate: 0.03, Rounds: 501, Training: ms(1584.125), Place: placeOne}},
		// Where rounds are known, eight models take 11.7 · 667 · 0.75 = 5,852.925 ms, and four 3,601.8 ms. They are better than eight of a higher rate.
		{7 * time.Second, known, rates, blended, faster, plan{Members: 8, Most: 12, LearningRate: 0.03, Rounds: 501, Training: ms(5852.925), Place: placeAll}},
		{5 * time.Second, known, rates, blended, faster, plan{Members: 4, Most: 12, LearningRate: 0.03, Rounds: 501, Training: ms(3601.8), Place: placeFewKnown}},
		// Eight models of a rate of 0.047 take 11.7 · 426 · 0.75 = 3,738.15 ms. A rate above four fifths of the other's is not worth it.
		{4 * time.Second, known, rates, blended, faster, plan{Members: 8, Most: 12, LearningRate: 0.047, Rounds: 320, Training: ms(3738.15), Place: placeBetween}},
		{3 * time.Second, known, rates, blended, faster, none},
		{12 * time.Second, known, rates, blended, all, none}, // 2 · (12 − 7.6203) s are less than three trials
		{14 * time.Second, known, rates, blended, all, plan{Trials: 3, Members: 8, Most: 12, LearningRate: 0.03, Rounds: 501, Training: ms(5861.7)}},
		// Of models of folds fewer are not better than all with a higher rate, nor the same again.
		{7 * time.Second, known, rates, folds, plan{Members: 10, LearningRate: 0.06, Place: placeAllFaster}, none},
		{4 * time.Second, known, rates, folds, plan{Members: 5, LearningRate: 0.03, Place: placeFew}, none},
		{5 * time.Second, known, rates, folds, plan{Members: 5, LearningRate: 0.03, Place: placeFew}, plan{Members: 10, LearningRate: 0.06, Rounds: 251, Training: ms(3757.5), Place: placeAllFaster}},
		{time.Hour, known, rates, blended, plan{Members: 8, Place: placeSearch}, none}, // nothing is better than a search
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
				its := booster.Report{BestRound: 150, Blended: 2, Retrained: true}
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

// A model that stopped by some of the rows, and was not trained again, tells how long rounds take: 0.9 of the rows for 100 best rounds of a
// rate of 0.1 and a third as many beyond, 12 s in all, are 0.9 · 5/4 · 133.3 = 150 rounds of a fold of 0.08 s each.
func TestLearn(t *testing.T) {
	s := &spending{asked: slow(), averaging: averaging{budgetBlended, true}}
	s.asked.LearningRate = 0.1
	s.learn(&booster.Report{BestRound: 100}, 1, 12*time.Second)
	if !s.known || math.Abs(s.each-0.08) > 1e-9 || math.Abs(s.rates-100*0.1/0.75) > 1e-9 {
		t.Errorf("%+v", s.pace)
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
	prune := s.inTime(time.Now(), nil)
	for _, c := range []struct {
		round  int
		best   float64
		giveUp bool
	}{{1, 9, false}, {50, 8, false}, {100, 8, false}, {101, 7, true}} { // after 100 rounds the best has 50
		if got := prune(c.round, c.best); got != c.giveUp {
			t.Errorf("after %d rounds: %v", c.round, got)
		}
	}
	if !s.inTime(time.Now(), func(int, float64) bool { return true })(1, 9) {
		t.Error("what others are ahead of goes on")
	}
}
