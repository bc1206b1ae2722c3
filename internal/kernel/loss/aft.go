package loss

import (
	"math"

	"boost/internal/detmath"
)

// Distribution is that of the errors of accelerated failure times: of z, where log(time) = score + scale·z.
type Distribution int

// The distributions, by their densities.
const (
	NormalErrors   Distribution = iota // e^(−z²/2)/√(2π)
	LogisticErrors                     // e^z/(1 + e^z)²
	ExtremeErrors                      // e^z·e^(−e^z)
)

// Bounds of what a row counts for, as in XGBoost.
const (
	mostSlope      = 15
	leastBend      = 1e-16
	mostBend       = 15
	leastLikeliest = 1e-12
)

// AFT is the negative log likelihood of times. A label is a time, negative (-0 too) where the row is censored then: its time is longer.
type AFT struct {
	Distribution Distribution
	Scale        float64
}

// Row returns the first and second derivative of a row's loss by its score, within XGBoost's bounds.
func (a AFT) Row(score, label float64) (grad, hess float64) {
	censored := math.Signbit(label)
	if label == 0 && censored { // every time is longer
		return 0, leastBend
	}
	z := (detmath.Log(math.Abs(label)) - score) / a.Scale // -Inf of an event at 0
	var slope, bend float64                               // of log(density), or of log(chance of a longer time), by -z
	switch a.Distribution {
	case NormalErrors:
		slope, bend = -z, 1
		if censored {
			hazard, over := normalHazard(z)
			slope, bend = -hazard, hazard*over
		}
	case LogisticErrors:
		p := detmath.Sigmoid(z)
		slope, bend = 1-float64(2*p), 2*p*(1-p)
		if censored {
			slope, bend = -p, p*(1-p)
		}
	default:
		w := detmath.Exp(z)
		slope, bend = 1-w, w
		if censored {
			slope = -w
		}
	}
	return bounded(slope/a.Scale, bend/(a.Scale*a.Scale))
}

// Likelihood returns the density of a row's time, or of a censored row the chance of a longer one; at least 1e-12, as in XGBoost.
func (a AFT) Likelihood(score, label float64) float64 {
	time := math.Abs(label)
	switch {
	case time == 0 && math.Signbit(label):
		return 1
	case time == 0:
		return leastLikeliest
	}
	z := (detmath.Log(time) - score) / a.Scale
	var density, longer float64
	switch a.Distribution {
	case NormalErrors:
		density, longer = normalDensity(z), (1-detmath.Erf(z/math.Sqrt2))/2
	case LogisticErrors:
		longer = detmath.Sigmoid(-z)
		density = detmath.Sigmoid(z) * longer
	default:
		w := detmath.Exp(z)
		longer = detmath.Exp(-w)
		if density = w * longer; longer == 0 {
			density = 0
		}
	}
	if math.Signbit(label) {
		return max(longer, leastLikeliest)
	}
	return max(density/(a.Scale*time), leastLikeliest)
}

func normalDensity(z float64) float64 {
	const root = 2.50662827463100050241576528481104525 // of 2π
	return detmath.Exp(-z*z/2) / root
}

// normalHazard returns the density of the normal distribution at z over the chance of more, and that less z.
func normalHazard(z float64) (hazard, over float64) {
	if z < 3 {
		hazard = normalDensity(z) / ((1 - detmath.Erf(z/math.Sqrt2)) / 2)
		return hazard, hazard - z
	}
	// Laplace's continued fraction: z + 1/(z + 2/(z + 3/(z + …))).
	for n := 60; n > 0; n-- {
		over = float64(n) / (z + over)
	}
	return z + over, over
}
