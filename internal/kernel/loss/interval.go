package loss

import (
	"math"

	"boost/internal/detmath"
)

// narrow is the width of an interval, in units of the scale, below which it counts as the point in its middle: there the
// difference of two chances would lose more digits than that does.
const narrow = 1e-5

// asLabel returns an interval as a label of Row where it is one: an event, or a censored row.
func asLabel(lower, upper float64) (label float64, is bool) {
	switch {
	case lower == upper:
		return lower, true
	case math.IsInf(upper, 1):
		return math.Copysign(lower, -1), true
	}
	return 0, false
}

// RowBetween is Row of an event that came between two times: lower is 0 or more, upper not less, and +Inf where the row is censored.
func (a AFT) RowBetween(score, lower, upper float64) (grad, hess float64) {
	if label, is := asLabel(lower, upper); is {
		return a.Row(score, label)
	}
	v := a.between(score, lower, upper)
	switch {
	case v.to-v.from < narrow:
		return a.Row(score, detmath.Exp((detmath.Log(lower)+detmath.Log(upper))/2))
	case v.chance > 0 && !math.IsInf(v.from, -1):
		slope := (v.density[1] - v.density[0]) / v.chance // of log(chance), by -score/scale
		bend := float64(slope*slope) - (v.steep[1]-v.steep[0])/v.chance
		return bounded(slope/a.Scale, bend/(a.Scale*a.Scale))
	case v.from > 0: // far above the score: what matters is the lower end
		return a.Row(score, math.Copysign(lower, -1))
	}
	// Far below the score, or open below: what matters is the upper end.
	var slope, bend float64
	switch z := v.to; a.Distribution {
	case NormalErrors:
		hazard, over := normalHazard(-z) // the normal distribution is the same from both sides
		slope, bend = hazard, hazard*over
	case LogisticErrors:
		p := detmath.Sigmoid(-z)
		slope, bend = p, p*(1-p)
	default:
		switch w := detmath.Exp(z); {
		case w < 1e-4:
			slope, bend = 1-float64(w/2), w/2
		case w < 700:
			grown := expm1(w)
			slope = w / grown
			bend = slope * (float64(w*(grown+1)) - grown) / grown
		}
	}
	return bounded(slope/a.Scale, bend/(a.Scale*a.Scale))
}

func bounded(grad, hess float64) (float64, float64) {
	return min(max(grad, -mostSlope), mostSlope), min(max(hess, leastBend), mostBend)
}

// LikelihoodBetween is Likelihood of an event that came between two times: its chance; at least 1e-12, as in XGBoost.
func (a AFT) LikelihoodBetween(score, lower, upper float64) float64 {
	if label, is := asLabel(lower, upper); is {
		return a.Likelihood(score, label)
	}
	v := a.between(score, lower, upper)
	if v.to-v.from < narrow {
		v.chance = float64((v.to - v.from) * (v.density[0] + v.density[1]) / 2)
	}
	return max(v.chance, leastLikeliest)
}

// interval is one of log(time), in units of the scale about the score.
type interval struct {
	from, to       float64 // from is -Inf where it is open below
	chance         float64
	density, steep [2]float64 // at both ends, and their slopes
}

// between returns the interval of two different times, the upper one finite.
func (a AFT) between(score, lower, upper float64) (v interval) {
	v.from, v.to = (detmath.Log(lower)-score)/a.Scale, (detmath.Log(upper)-score)/a.Scale
	if lower == 0 {
		v.from = math.Inf(-1)
	}
	var below, above [2]float64 // chances on both sides of the ends
	for i, z := range [2]float64{v.from, v.to} {
		if math.IsInf(z, -1) {
			above[i] = 1
			continue
		}
		below[i], above[i], v.density[i], v.steep[i] = a.at(z)
	}
	// The difference of the smaller chances keeps more digits.
	if v.chance = below[1] - below[0]; v.from > 0 {
		v.chance = above[0] - above[1]
	}
	return v
}

// at returns the chances below and above a point, the density there, and its slope.
func (a AFT) at(z float64) (below, above, density, steep float64) {
	switch a.Distribution {
	case NormalErrors:
		density = normalDensity(z)
		if z > 3 {
			hazard, _ := normalHazard(z)
			above = density / hazard
		} else {
			above = (1 - detmath.Erf(z/math.Sqrt2)) / 2
		}
		if below = (1 + detmath.Erf(z/math.Sqrt2)) / 2; z < -3 {
			hazard, _ := normalHazard(-z)
			below = density / hazard
		}
		return below, above, density, float64(-z * density)
	case LogisticErrors:
		below, above = detmath.Sigmoid(z), detmath.Sigmoid(-z)
		density = float64(below * above)
		return below, above, density, float64(density * (above - below))
	}
	w := detmath.Exp(z)
	above, below = detmath.Exp(-w), OneMinusExp(w)
	if density = w * above; above == 0 {
		return below, 0, 0, 0
	}
	return below, above, float64(density), float64(density * (1 - w))
}
