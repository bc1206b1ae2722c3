package metrics

import (
	"math"
	"slices"
	"sort"

	"boost/internal/detmath"
	"boost/parallel"
)

var integratedBrierInfo = Info{
	Name:    "integrated_brier",
	Aliases: []string{"integrated_brier_score", "ibs"},
	Links:   []string{coxModel, aftModel},
	Argument: &Argument{
		Means: "a number of steps of time from 1 to 10000", Example: "100", Default: []float64{100},
		contains: func(x float64) bool { return x >= 1 && x <= 1e4 && x == math.Floor(x) },
	},
	build: func(name string, argument []float64) Metric { return integratedBrier{name, int(argument[0])} },
}

// integratedBrier is the mean over time of Brier's score of the chance that the event has not come yet (Graf et al., 1999). At a time t a
// row whose event came by then counts chance² / G(its time), a row of a later time (1 − chance)² / G(t), and a row censored by then
// nothing; G is the Kaplan–Meier estimate, from the same rows, of the chance not to be censored, where events of a time come before what is
// censored then. Times are steps+1, evenly spaced from the first event to the last one that comes before the last row's time; the
// mean is by the trapezoidal rule, as in scikit-survival.
//
// A model of hazards tells how the chances of rows compare. What they are comes from the rows: Breslow's estimate of the hazard.
type integratedBrier struct {
	name  string
	steps int
}

func (b integratedBrier) Name() string       { return b.name }
func (integratedBrier) HigherIsBetter() bool { return false }

// moment is what happens at one time.
type moment struct {
	time             float64
	events, censored float64 // weights
	left             float64 // weight of the rows whose time is not before
	uncensored       float64 // G
	hazard           float64 // cumulated, of a row whose score is the highest
}

func (b integratedBrier) Eval(in Input) float64 {
	if in.Outputs != 1 || len(in.Labels) == 0 || in.Survival == nil || in.Upper != nil {
		return math.NaN()
	}
	scores := scoresOf(&in)
	best := math.Inf(-1)
	for row, s := range scores {
		if weightAt(&in, row) > 0 {
			if math.IsNaN(s) {
				return s
			}
			best = max(best, s)
		}
	}
	moments := momentsOf(&in, scores, best)
	first, last := span(moments)
	if !(first < last) || in.Survival.Hazards && math.IsInf(best, 0) {
		return math.NaN()
	}
	at := func(time float64) *moment { // the last one that is not after it
		return &moments[sort.Search(len(moments), func(i int) bool { return moments[i].time > time })-1]
	}
	own := make([]float64, len(scores)) // of rows with an event, their weight over G at their time
	for row, y := range in.Labels {
		if w := weightAt(&in, row); w > 0 && !math.Signbit(y) {
			own[row] = w / at(y).uncensored
		}
	}
	losses := make([]float64, b.steps+1)
	run(in.Pool, len(losses), parallel.Func(func(_, step int) {
		time := first + float64((last-first)*(float64(step)/float64(b.steps)))
		if step == b.steps {
			time = last // whatever the rounding
		}
		now := at(time)
		var sum detmath.Sum
		for row, y := range in.Labels {
			w := weightAt(&in, row)
			later := math.Abs(y) > time
			if w == 0 || !later && math.Signbit(y) {
				continue
			}
			chance := 0.0
			if in.Survival.Hazards {
				chance = detmath.Exp(float64(-now.hazard * detmath.Exp(scores[row]-best)))
			} else {
				chance = in.Survival.Errors.Likelihood(scores[row], -time)
			}
			if later {
				sum.Add(float64((1-chance)*(1-chance)) * (w / now.uncensored))
			} else {
				sum.Add(float64(chance*chance) * own[row])
			}
		}
		losses[step] = sum.Round()
	}))
	var total detmath.Sum
	for step, loss := range losses {
		if step == 0 || step == b.steps {
			loss /= 2
		}
		total.Add(loss)
	}
	return total.Round() / float64(b.steps) / moments[0].left
}

// momentsOf lists the times of rows with weight, ascending.
func momentsOf(in *Input, scores []float64, best float64) []moment {
	buffer := takeRankBuffer(len(scores))
	defer rankBuffers.Put(buffer)
	var moments []moment
	var left, hazards detmath.Sum // of the rows so far, the later ones
	for rows := range laterFirst(buffer, in) {
		var events, censored detmath.Sum
		for _, r := range rows {
			w := weightAt(in, int(r.count))
			if w == 0 {
				continue
			}
			left.Add(w)
			hazards.Add(float64(w * detmath.Exp(scores[r.count]-best)))
			if math.Signbit(in.Labels[r.count]) {
				censored.Add(w)
			} else {
				events.Add(w)
			}
		}
		m := moment{time: math.Abs(in.Labels[rows[0].count]), events: events.Round(), censored: censored.Round(), left: left.Round()}
		if m.events > 0 {
			m.hazard = m.events / hazards.Round()
		}
		if m.events > 0 || m.censored > 0 {
			moments = append(moments, m)
		}
	}
	slices.Reverse(moments)
	uncensored, hazard := 1.0, 0.0
	for i := range moments {
		m := &moments[i]
		if m.censored > 0 {
			uncensored = float64(uncensored * (1 - m.censored/(m.left-m.events)))
		}
		hazard += m.hazard
		m.uncensored, m.hazard = uncensored, hazard
	}
	return moments
}

// span returns the time of the first event and of the last one before the last time.
func span(moments []moment) (first, last float64) {
	first, last = math.Inf(1), math.Inf(-1)
	for i, m := range moments {
		if m.events > 0 {
			first = min(first, m.time)
			if i < len(moments)-1 {
				last = m.time
			}
		}
	}
	return first, last
}
