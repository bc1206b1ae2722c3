package search

import (
	"boost/booster"
	"boost/internal/detmath"
)

// Fixed returns parameters that train the first rounds of those that p trains, without early stopping.
func Fixed(p booster.Params, rounds int) booster.Params {
	p = p.OrDefaults()
	if rates := RatesOf(p, rounds); rates != nil {
		p.Rates, p.RateSchedule, p.RateEnd = rates, booster.ConstantRate, 0
	}
	p.Rounds, p.EarlyStopping, p.MinDelta, p.Retrain = rounds, 0, 0, false
	return p
}

// RatesOf returns the learning rates of the first rounds of p's schedule, as train.learning_rate_schedule says; nil where they are
// the same with as many for p.Rounds.
func RatesOf(p booster.Params, rounds int) []float64 {
	p = p.OrDefaults()
	if p.RateSchedule == booster.ConstantRate || rounds >= p.Rounds {
		return nil
	}
	rates := make([]float64, rounds)
	for round := range rates {
		left := 1 - float64(round)/float64(p.Rounds)
		if p.RateSchedule == booster.CosineRate {
			left = (1 - detmath.CosPi(left)) / 2
		}
		rates[round] = p.RateEnd + float64((p.LearningRate-p.RateEnd)*left)
	}
	return rates
}
