package metrics

import "math"

var r2Info = Info{
	Name:    "r2",
	Aliases: []string{"r2_score"},
	Links:   numeric,
	build:   func(string, []float64) Metric { return r2{} },
}

// r2 is the share of the labels' variance that predictions explain: 1 - Σw(y-v)²/Σw(y-ȳ)².
// It is NaN where the labels are all equal.
type r2 struct{}

func (r2) Name() string         { return "r2" }
func (r2) HigherIsBetter() bool { return true }

func (r2) Eval(in Input) float64 {
	if in.Outputs != 1 {
		return math.NaN()
	}
	if !labelsDiffer(in.Labels, in.Weights) {
		return math.NaN()
	}
	sum, weight := weightedSums(&in, labelsOf)
	if !(weight > 0) {
		return math.NaN()
	}
	center := sum / weight
	residual, _ := weightedSums(&in, squaredError)
	spread, _ := weightedSums(&in, func(in *Input, lo, hi int, out []float64) {
		for i := range out {
			d := in.Labels[lo+i] - center
			out[i] = d * d
		}
	})
	if !(spread > 0) {
		return math.NaN()
	}
	return 1 - residual/spread
}

func labelsOf(in *Input, lo, hi int, out []float64) { copy(out, in.Labels[lo:hi]) }

// labelsDiffer reports whether the rows that count have different labels. The spread about
// a rounded mean cannot tell.
func labelsDiffer(labels, weights []float64) bool {
	first := math.NaN()
	for i, y := range labels {
		switch {
		case weights != nil && weights[i] == 0:
		case math.IsNaN(first):
			first = y
		case y != first:
			return true
		}
	}
	return false
}
