package metrics

import (
	"math"

	"boost/internal/detmath"
)

// Deviances are twice the log likelihood that a prediction lacks of the best one, as scikit-learn
// defines them. They are NaN where the distribution does not have the label or the prediction.
var (
	poissonDevianceInfo = Info{
		Name:    "poisson_deviance",
		Aliases: []string{"mean_poisson_deviance"},
		Links:   numeric,
		build:   ofRows(poissonDeviance),
	}
	gammaDevianceInfo = Info{
		Name:    "gamma_deviance",
		Aliases: []string{"mean_gamma_deviance", "gamma-deviance"},
		Links:   numeric,
		build:   ofRows(gammaDeviance),
	}
	tweedieDevianceInfo = Info{
		Name:    "tweedie_deviance",
		Aliases: []string{"mean_tweedie_deviance"},
		Links:   numeric,
		Argument: &Argument{
			Means: "a power of at most 0 or at least 1", Example: "1.5",
			contains: func(p float64) bool { return p <= 0 && p >= -100 || p >= 1 && p <= 100 },
		},
		build: ofArgument(tweedieDeviance),
	}
)

// poissonDeviance is 2·(y·log(y/v) − y + v) for labels from 0 on and predictions above 0.
func poissonDeviance(in *Input, lo, hi int, out []float64) {
	for i := range out {
		y, v := in.Labels[lo+i], in.Values[lo+i]
		switch {
		case !(y >= 0 && v > 0):
			out[i] = math.NaN()
		case y == 0:
			out[i] = 2 * v
		default:
			out[i] = 2 * (float64(y*detmath.Log(y/v)) - y + v)
		}
	}
}

// gammaDeviance is 2·(log(v/y) + y/v − 1) for labels and predictions above 0.
func gammaDeviance(in *Input, lo, hi int, out []float64) {
	for i := range out {
		y, v := in.Labels[lo+i], in.Values[lo+i]
		if !(y > 0 && v > 0) {
			out[i] = math.NaN()
			continue
		}
		out[i] = 2 * (detmath.Log(v/y) + y/v - 1)
	}
}

// tweedieDeviance is 2·(y^(2−p)/((1−p)(2−p)) − y·v^(1−p)/(1−p) + v^(2−p)/(2−p)) for power p. The powers
// 0, 1 and 2 are the squared error and the deviances of Poisson and gamma. Predictions are above 0, save
// at power 0; labels may be any number up to power 0 (one below 0 counts as 0 in the first term), are not
// below 0 from 1 on, and above 0 from 2 on.
func tweedieDeviance(p float64) rowLosses {
	switch p {
	case 0:
		return squaredError
	case 1:
		return poissonDeviance
	case 2:
		return gammaDeviance
	}
	return func(in *Input, lo, hi int, out []float64) {
		for i := range out {
			y, v := in.Labels[lo+i], in.Values[lo+i]
			if !(v > 0) || p > 1 && !(y >= 0) || p > 2 && y == 0 {
				out[i] = math.NaN()
				continue
			}
			logV, first := detmath.Log(v), 0.0
			if y > 0 {
				first = detmath.Exp((2-p)*detmath.Log(y)) / float64((1-p)*(2-p))
			}
			middle := y * detmath.Exp((1-p)*logV) / (1 - p)
			out[i] = 2 * (first - middle + detmath.Exp((2-p)*logV)/(2-p))
		}
	}
}
