package tune

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"reflect"
	"testing"
	"time"

	"boost/booster"
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
	any, faster, all := Plan{place: math.MaxInt}, Plan{Members: 8, LearningRate: 0.06, place: placeOfFaster}, Plan{Members: 8, LearningRate: 0.03, place: placeOfAll}
	none := Plan{Members: 1, place: math.MaxInt}
	for _, c := range []struct {
		left  time.Duration
		pace  pace
		space Space
		averaging
		than Plan
		want Plan
	}{
		// 11.25 · 501 = 5,636.25 ms · 2 / 0.88 = 12,809.7 ms are reserved; in the other 87,190.3 ms there are 26.1 trials of 3,335 ms, of which half are given up.
		{100 * time.Second, guess, rates, folds, any, Plan{Trials: 52, Members: 10, LearningRate: 0.03, Rounds: 501, Training: ms(5636.25)}},
		{10 * time.Second, guess, rates, folds, any, Plan{Members: 10, LearningRate: 0.03, Rounds: 501, Training: ms(7503.75), place: 1}},
		{8 * time.Second, guess, rates, folds, any, Plan{Members: 10, LearningRate: 0.06, Rounds: 251, Training: ms(3757.5), place: 4}},
		{4 * time.Second, guess, rates, folds, any, Plan{Members: 5, LearningRate: 0.03, Rounds: 501, Training: ms(3335), place: 5}},
		{3 * time.Second, guess, rates, folds, any, Plan{Members: 5, LearningRate: 0.06, Rounds: 251, Training: ms(1670), place: 6}},
		{1900 * time.Millisecond, guess, rates, folds, any, Plan{Members: 1, LearningRate: 0.03, Rounds: 501, Training: ms(1584.125), place: 8}},
		{1800 * time.Millisecond, guess, rates, folds, any, Plan{Members: 1, LearningRate: 0.06, Rounds: 251, Training: ms(793.25), place: 9}},
		{900 * time.Millisecond, guess, rates, folds, any, Plan{Members: 1, LearningRate: 0.12, Rounds: 126, Training: ms(396.625), place: 10}},
		{400 * time.Millisecond, guess, rates, folds, any, none},
		{1800 * time.Millisecond, guess, nil, folds, any, none}, // the rate was given
		{100 * time.Second, pace{math.Inf(1), budgetFolds, sumOfRates, false}, rates, folds, any, none},
		// 5,861.7 ms · 1.3 = 7,620.2 ms are reserved; in the other 92,379.8 ms there are 27.7 trials.
		// Eight models of all rows, half of them with symmetric trees, take (0.9 / 0.75 + 4) · 1.8 · 5/4 = 11.7 ms for each best round of one, four 7.2 ms, two 4.95 ms.
		{100 * time.Second, guess, rates, blended, any, Plan{Trials: 55, Members: 8, Most: 12, LearningRate: 0.03, Rounds: 501, Training: ms(5861.7)}},
		// Half as many more may be best: 11.7 · 750.375 = 8,779.4 ms.
		{11 * time.Second, guess, rates, blended, any, Plan{Members: 8, Most: 12, LearningRate: 0.03, Rounds: 501, Training: ms(8779.3875), place: 1}},
		{10 * time.Second, guess, rates, blended, any, Plan{Members: 8, Most: 12, LearningRate: 0.06, Rounds: 251, Training: ms(4396.275), place: 4}},
		{4 * time.Second, guess, rates, blended, any, Plan{Members: 4, Most: 12, LearningRate: 0.06, Rounds: 251, Training: ms(2705.4), place: 6}},
		{3 * time.Second, guess, rates, blended, any, Plan{Members: 2, Most: 12, LearningRate: 0.06, Rounds: 251, Training: ms(1859.9625), place: 7}},
		{2000 * time.Millisecond, guess, rates, blended, any, Plan{Members: 1, LearningRate: 0.03, Rounds: 501, Training: ms(1584.125), place: 8}},
		// Where rounds are known, eight models take 11.7 · 667 · 0.75 = 5,852.925 ms, and four 3,601.8 ms. They are better than eight of a higher rate.
		{7 * time.Second, known, rates, blended, faster, Plan{Members: 8, Most: 12, LearningRate: 0.03, Rounds: 501, Training: ms(5852.925), place: 1}},
		{5 * time.Second, known, rates, blended, faster, Plan{Members: 4, Most: 12, LearningRate: 0.03, Rounds: 501, Training: ms(3601.8), place: 2}},
		// Eight models of a rate of 0.047 take 11.7 · 426 · 0.75 = 3,738.15 ms. A rate above four fifths of the other's is not worth it.
		{4 * time.Second, known, rates, blended, faster, Plan{Members: 8, Most: 12, LearningRate: 0.047, Rounds: 320, Training: ms(3738.15), place: 3}},
		{3 * time.Second, known, rates, blended, faster, none},
		{12 * time.Second, known, rates, blended, all, none}, // 2 · (12 − 7.6203) s are less than three trials
		{14 * time.Second, known, rates, blended, all, Plan{Trials: 3, Members: 8, Most: 12, LearningRate: 0.03, Rounds: 501, Training: ms(5861.7)}},
		{time.Hour, known, rates, blended, Plan{Members: 8, place: placeOfSearch}, none}, // nothing is better than a search
	} {
		got := c.pace.fits(&p, c.space, c.averaging, c.left, c.than)
		if math.Abs(float64(got.Training-c.want.Training)) > 1000 {
			t.Errorf("%v: training takes %v, want %v", c.left, got.Training, c.want.Training)
		}
		if got.Training = c.want.Training; got != c.want {
			t.Errorf("%v: %+v, want %+v", c.left, got, c.want)
		}
	}
}

// Of the parts of a pilot the fastest counts: rounds of 2 ms, while another program was running, and of 1 ms.
func TestSecondsOf(t *testing.T) {
	var rounds []time.Time
	at := time.Unix(0, 0)
	for i := range 60 {
		took := 2 * time.Millisecond
		if i >= 15 && i < 30 {
			took = time.Millisecond
		}
		at = at.Add(took)
		rounds = append(rounds, at)
	}
	for _, c := range []struct {
		rounds []time.Time
		want   float64
	}{{rounds, 0.001}, {rounds[30:], 0.002}, {rounds[:3], 0.002}, {rounds[12:18], (2*2 + 3*1) / 5e3}} {
		if got := secondsOf(c.rounds); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%d rounds: %v s, want %v", len(c.rounds), got, c.want)
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
		{"better", booster.Report{Blended: 12, BestRound: 300}, nil, second},
		{"fewer", booster.Report{BestRound: 300}, nil, first},
		{"time over", booster.Report{Blended: 12, BestRound: 300, Stopped: booster.StoppedTimeLimit}, nil, first},
		{"no time", booster.Report{}, booster.ErrBudget, first},
		{"fails", booster.Report{}, booster.ErrParams, first},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &spending{Budget: Budget{Time: 240 * time.Second, Log: slog.New(slog.DiscardHandler), Space: rates}, base: slow(), averaging: averaging{budgetBlended, true}}
			s.pace, s.end = pace{0.1, math.MaxInt, sumOfRates, false}, time.Now().Add(240*time.Second) // of so many folds no trial fits
			var asked []booster.Params
			m, report, err := s.train(t.Context(), func(_ context.Context, p booster.Params, more func(*booster.Report) bool) (*booster.Model, booster.Report, error) {
				asked = append(asked, p)
				its := booster.Report{BestRound: 150, Blended: 2}
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
			if failed := c.err == booster.ErrParams; failed != errors.Is(err, booster.ErrParams) {
				t.Error(err)
			}
		})
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
