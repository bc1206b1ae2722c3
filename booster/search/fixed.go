package search

import "boost/booster"

// Fixed returns parameters that train the first rounds of those that p trains, without early stopping.
func Fixed(p booster.Params, rounds int) booster.Params {
	p = p.OrDefaults()
	if rates := RatesOf(p, rounds); rates != nil {
		p.Rates, p.RateSchedule, p.RateEnd = rates, booster.ConstantRate, 0
	}
	p.Rounds, p.EarlyStopping, p.MinDelta, p.Retrain, p.Blend = rounds, 0, 0, false, 0
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
		rates[round] = p.RateOf(round)
	}
	return rates
}
