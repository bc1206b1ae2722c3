package binning

import "math"

// midpoint32 returns the cut between two neighbouring values: halfway, rounded so
// that lower ≤ cut < upper, or the lower value itself beside an infinity. lower must
// be less than upper; neither may be NaN.
func midpoint32(lower, upper float32) float32 {
	// The sum of two float32 cannot overflow a float64.
	return settle(lower, upper, float32((float64(lower)+float64(upper))/2))
}

// midpoint64 is midpoint32 for float64.
func midpoint64(lower, upper float64) float64 {
	middle := (lower + upper) / 2
	if math.IsInf(lower+upper, 0) {
		middle = float64(lower/2) + float64(upper/2)
	}
	return settle(lower, upper, middle)
}

// settle returns middle if it can be a cut, else lower, and never −0.
func settle[V float32 | float64](lower, upper, middle V) V {
	if math.IsInf(float64(lower), 0) || math.IsInf(float64(upper), 0) || middle >= upper {
		middle = lower
	}
	if middle == 0 {
		return 0
	}
	return middle
}
