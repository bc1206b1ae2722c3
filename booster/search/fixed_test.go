package search_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"boost/booster"
	"boost/booster/search"
)

// The first three rounds of a schedule of four from 0.4 to 0 keep their rates: 0.4, 0.3 and 0.2 of a linear one, and on half a wave
// 0.4 · (1 − cos(π · (1, 3/4, 1/2))) / 2. They predict what the first three rounds of the whole schedule do.
func TestFixed(t *testing.T) {
	table := example(t, 200, "regression")
	for _, c := range []struct {
		schedule string
		rounds   int
		want     []float64
	}{{booster.LinearRate, 3, []float64{0.4, 0.3, 0.2}}, {booster.CosineRate, 3, []float64{0.4, 0.3414213562373095, 0.2}}, {booster.CosineRate, 4, nil}, {booster.ConstantRate, 3, nil}} {
		p := params("regression")
		p.LearningRate, p.RateSchedule, p.Rounds, p.EarlyStopping = 0.4, c.schedule, 4, 0
		fixed := search.Fixed(p, c.rounds)
		near := func(a, b float64) bool { return a-b < 1e-15 && b-a < 1e-15 }
		if len(fixed.Rates) != len(c.want) || fixed.Rounds != c.rounds || !slices.EqualFunc(fixed.Rates, c.want, near) {
			t.Errorf("%s, %d rounds: %v, want %v", c.schedule, c.rounds, fixed.Rates, c.want)
		}
		whole, err := booster.Train(t.Context(), p, table)
		if err != nil {
			t.Fatal(err)
		}
		short, err := booster.Train(t.Context(), fixed, table)
		if err != nil {
			t.Fatal(err)
		}
		if whole, err = whole.Prefix(c.rounds); err != nil {
			t.Fatal(err)
		}
		got, err := short.PredictRaw(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := whole.PredictRaw(t.Context(), table); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %d rounds are others than the first of the schedule", c.schedule, c.rounds)
		}
	}
}

// A bag that the clock ends names the rates of a schedule, so that it can be made again.
func TestBagLimitOfSchedule(t *testing.T) {
	table := example(t, 1000, "regression")
	p := params("regression")
	p.BagFolds, p.Rounds, p.EarlyStopping, p.RateSchedule = 3, 100_000, 0, booster.CosineRate
	m, err := search.Bag(t.Context(), p, table, search.Bagging{Limit: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	again, err := search.Reproduce(t.Context(), m, nil, table)
	if err != nil {
		t.Fatal(err)
	}
	if of, err := booster.ParamsOf(m); err != nil || len(of.Rates) != of.Rounds || !bytes.Equal(encoded(t, again), encoded(t, m)) {
		t.Errorf("%d rates of %d rounds, or other bytes, %v", len(of.Rates), of.Rounds, err)
	}
}
