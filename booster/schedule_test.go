package booster_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"boost/booster"
)

// By hand: with rates r, the leaves of round i on two sides are -2 and 2 times r_i·Π(1 - r_j) over the rounds j before.
func TestLearningRateSchedule(t *testing.T) {
	const rounds, rate = 4, 0.8
	for name, c := range map[string]struct {
		set   func(p *booster.Params)
		rates [rounds]float64
	}{
		"constant": {func(*booster.Params) {}, [rounds]float64{0.8, 0.8, 0.8, 0.8}},
		"linear":   {func(p *booster.Params) { p.RateSchedule = "linear" }, [rounds]float64{0.8, 0.6, 0.4, 0.2}},
		"to": {func(p *booster.Params) { p.RateSchedule, p.RateEnd = "linear", 0.4 },
			[rounds]float64{0.8, 0.7, 0.6, 0.5}},
		"cosine": {func(p *booster.Params) { p.RateSchedule = "cosine" },
			[rounds]float64{0.8, 0.4 * (1 + math.Sqrt2/2), 0.4, 0.4 * (1 - math.Sqrt2/2)}},
		"list": {func(p *booster.Params) { p.Rates = []float64{0.5, 0.25} }, [rounds]float64{0.5, 0.25, 0.25, 0.25}},
	} {
		t.Run(name, func(t *testing.T) {
			p := onTwoSides()
			p.Rounds, p.LearningRate, p.Gradients = rounds, rate, "i32"
			c.set(&p)
			m := train(t, p, twoSides(t))
			left := 2.0
			for i, r := range c.rates {
				for side, want := range []float64{-left * r, left * r} {
					if got := m.Leaves()[2*i+side]; math.Abs(got-want) > 1e-6 {
						t.Errorf("round %d, leaf %d: %v, want %v", i, side, got, want)
					}
				}
				left -= left * r
			}
			again, err := booster.ParamsOf(m)
			if err != nil || again.RateSchedule != p.RateSchedule || again.RateEnd != p.RateEnd || len(again.Rates) != len(p.Rates) {
				t.Errorf("the model keeps %q, %v and %v: %v", again.RateSchedule, again.RateEnd, again.Rates, err)
			}
			// Refitted to the rows of training without the old values, leaves are the same.
			refitted, err := booster.Refit(t.Context(), m, twoSides(t), 0)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range m.Leaves() {
				if got := refitted.Leaves()[i]; math.Abs(got-want) > 1e-6 {
					t.Errorf("refitted leaf %d: %v, want %v", i, got, want)
				}
			}
			// Going on begins the schedule anew.
			more := train(t, p, twoSides(t), booster.From(m))
			if got, want := more.Leaves()[2*rounds+1], left*c.rates[0]; math.Abs(got-want) > 1e-6 {
				t.Errorf("the first leaf that is added is %v, want %v", got, want)
			}
			_, err = booster.Refit(t.Context(), more, twoSides(t), 0)
			if refuses := name != "constant"; refuses != (errors.Is(err, booster.ErrParams)) {
				t.Errorf("refitting what was continued: %v", err)
			}
		})
	}
}

func TestScheduleRefuses(t *testing.T) {
	for _, c := range []struct {
		set  func(p *booster.Params)
		want string
	}{
		{func(p *booster.Params) { p.Rates, p.RateSchedule = []float64{1}, "linear" }, "leave one of them out"},
		{func(p *booster.Params) { p.RateEnd = 0.1 }, "train.learning_rate_end = 0.1 is for a schedule"},
		{func(p *booster.Params) { p.Boosting, p.RowFraction, p.RateSchedule = "rf", 0.5, "cosine" }, "has no learning rate"},
		{func(p *booster.Params) { p.Rates = []float64{0.1, 0} }, "train.learning_rates holds 0"},
	} {
		p := booster.Defaults()
		c.set(&p)
		if err := p.Validate(); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: want %q", err, c.want)
		}
	}
}
