package tune

import (
	"math"
	"testing"
	"time"

	"boost/booster"
)

// What fits is planned, and no more. A round of a fold takes 1 ms. Rates of 0.03, 0.06 and 0.12 take ⌈20 / rate⌉ = 667, 334 and 167
// rounds, of which three quarters are kept. For a round each, a trial takes 5 ms, ten models 9 · 5/4 = 11.25 ms, five 5 ms, and one, with
// the training on all rows, 1.9 · 5/4 = 2.375 ms.
func TestPlan(t *testing.T) {
	s := &searcher{base: booster.Defaults()}
	s.base.LearningRate, s.base.Rounds, s.base.EarlyStopping = 0.03, 3000, 200
	rates := Space{{Name: "train.learning_rate", Low: 0.01, High: 0.3}}
	folds, blended := averaging{members: budgetMembers}, averaging{budgetBlended, true}
	ms := func(v float64) time.Duration { return seconds(v / 1000) }
	for _, c := range []struct {
		left  time.Duration
		each  float64
		space Space
		averaging
		want Plan
	}{
		// 11.25 · 501 = 5,636.25 ms · 2 / 0.88 = 12,809.7 ms are reserved; in the other 87,190.3 ms there are 26.1 trials of 3,335 ms, of which half are given up.
		{100 * time.Second, 0.001, rates, folds, Plan{Trials: 52, Members: 10, LearningRate: 0.03, Rounds: 501, Training: ms(5636.25)}},
		{10 * time.Second, 0.001, rates, folds, Plan{Members: 10, LearningRate: 0.03, Rounds: 501, Training: ms(7503.75)}},
		{8 * time.Second, 0.001, rates, folds, Plan{Members: 10, LearningRate: 0.06, Rounds: 251, Training: ms(3757.5)}},
		{4 * time.Second, 0.001, rates, folds, Plan{Members: 5, LearningRate: 0.03, Rounds: 501, Training: ms(3335)}},
		{3 * time.Second, 0.001, rates, folds, Plan{Members: 5, LearningRate: 0.06, Rounds: 251, Training: ms(1670)}},
		{1900 * time.Millisecond, 0.001, rates, folds, Plan{Members: 1, LearningRate: 0.03, Rounds: 501, Training: ms(1584.125)}},
		{1800 * time.Millisecond, 0.001, rates, folds, Plan{Members: 1, LearningRate: 0.06, Rounds: 251, Training: ms(793.25)}},
		{900 * time.Millisecond, 0.001, rates, folds, Plan{Members: 1, LearningRate: 0.12, Rounds: 126, Training: ms(396.625)}},
		{400 * time.Millisecond, 0.001, rates, folds, Plan{Members: 1}},
		{1800 * time.Millisecond, 0.001, nil, folds, Plan{Members: 1}}, // the rate was given
		{100 * time.Second, math.Inf(1), rates, folds, Plan{Members: 1}},
		// 5,861.7 ms · 1.3 = 7,620.2 ms are reserved; in the other 92,379.8 ms there are 27.7 trials.
		// Eight models of all rows, half of them with symmetric trees, take (0.9 / 0.75 + 4) · 1.8 · 5/4 = 11.7 ms for each best round of one, four 7.2 ms, two 4.95 ms.
		{100 * time.Second, 0.001, rates, blended, Plan{Trials: 55, Members: 8, Most: 12, LearningRate: 0.03, Rounds: 501, Training: ms(5861.7)}},
		// Half as many more may be best: 11.7 · 750.375 = 8,779.4 ms.
		{11 * time.Second, 0.001, rates, blended, Plan{Members: 8, Most: 12, LearningRate: 0.03, Rounds: 501, Training: ms(8779.3875)}},
		{10 * time.Second, 0.001, rates, blended, Plan{Members: 8, Most: 12, LearningRate: 0.06, Rounds: 251, Training: ms(4396.275)}},
		{4 * time.Second, 0.001, rates, blended, Plan{Members: 4, Most: 12, LearningRate: 0.06, Rounds: 251, Training: ms(2705.4)}},
		{3 * time.Second, 0.001, rates, blended, Plan{Members: 2, Most: 12, LearningRate: 0.06, Rounds: 251, Training: ms(1859.9625)}},
		{2000 * time.Millisecond, 0.001, rates, blended, Plan{Members: 1, LearningRate: 0.03, Rounds: 501, Training: ms(1584.125)}},
	} {
		s.Space = c.space
		got := s.plan(c.each, budgetFolds, c.averaging, c.left)
		if math.Abs(float64(got.Training-c.want.Training)) > 1000 {
			t.Errorf("%v: training takes %v, want %v", c.left, got.Training, c.want.Training)
		}
		if got.Training = c.want.Training; got != c.want {
			t.Errorf("%v: %+v, want %+v", c.left, got, c.want)
		}
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
