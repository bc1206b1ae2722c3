package search

import (
	"boost/booster"
	"boost/internal/detmath"
)

// Fixed returns parameters that train the first rounds of those that p trains, without early stopping. They name the learning rates
// of a schedule, which for fewer rounds would have others.
func Fixed(p booster.Params, rounds int) booster.Params {
	p = p.OrDefaults()
	if p.RateSchedule != booster.ConstantRate && rounds < p.Rounds {
		p.Rates = make([]float64, rounds)
		for round := range p.Rates { // as train.learning_rate_schedule says
			left := 1 - float64(round)/float64(p.Rounds)
			if p.RateSchedule == booster.CosineRate {
				left = (1 - detmath.CosPi(left)) / 2
			}
			p.Rates[round] = p.RateEnd + float64((p.LearningRate-p.RateEnd)*left)
		}
		p.RateSchedule, p.RateEnd = booster.ConstantRate, 0
	}
	p.Rounds, p.EarlyStopping, p.MinDelta, p.Retrain = rounds, 0, 0, false
	return p
}
