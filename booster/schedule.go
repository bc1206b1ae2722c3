package booster

import (
	"errors"
	"fmt"

	"boost/internal/detmath"
	"boost/internal/setting"
)

// Values of Params.RateSchedule.
const (
	ConstantRate = "constant"
	LinearRate   = "linear" // from LearningRate to RateEnd in equal steps
	CosineRate   = "cosine" // on half a wave, slowly at both ends
)

func scheduleSettings(p *Params) []setting.Setting {
	return []setting.Setting{
		{Name: "train.learning_rate_schedule", Value: &p.RateSchedule, Choices: []string{ConstantRate, LinearRate, CosineRate}, OmitDefault: true,
			Doc: "How the learning rate goes from learning_rate in the first round towards learning_rate_end, which the round after the last of train.rounds would have: \"constant\", it stays; \"linear\"; \"cosine\". Early stopping does not change it."},
		{Name: "train.learning_rate_end", Value: &p.RateEnd, Range: setting.Between(0, 10), OmitDefault: true,
			Doc: "Learning rate that a schedule goes towards."},
		{Name: "train.learning_rates", Value: &p.Rates, Range: setting.Above(0, 10), OmitDefault: true,
			Doc: "Learning rate of each round, in place of learning_rate and its schedule; the last one stays for rounds beyond. With train.init_model: of each new round."},
	}
}

// checkSchedule returns what does not go together in how the learning rate goes.
func (p *Params) checkSchedule() []error {
	scheduled := p.RateSchedule != ConstantRate
	switch {
	case scheduled && len(p.Rates) > 0:
		return []error{errors.New("train.learning_rates and train.learning_rate_schedule both say how the learning rate goes: leave one of them out")}
	case !scheduled && p.RateEnd != 0:
		return []error{fmt.Errorf("train.learning_rate_end = %v is for a schedule: set train.learning_rate_schedule to \"linear\" or \"cosine\"", p.RateEnd)}
	case p.Boosting == RandomForest && p.ratesDiffer():
		return []error{errors.New("train.boosting = \"rf\" has no learning rate: leave train.learning_rates and train.learning_rate_schedule out")}
	}
	return nil
}

// ratesDiffer reports whether rounds may have different learning rates.
func (p *Params) ratesDiffer() bool { return p.RateSchedule != ConstantRate || len(p.Rates) > 0 }

// RateOf returns the learning rate of a run's round, counted from 0.
func (p *Params) RateOf(round int) float64 {
	left := 1 - float64(round)/float64(p.Rounds)
	switch {
	case len(p.Rates) > 0:
		return p.Rates[min(round, len(p.Rates)-1)]
	case p.RateSchedule == LinearRate:
	case p.RateSchedule == CosineRate:
		left = (1 - detmath.CosPi(left)) / 2
	default:
		return p.LearningRate
	}
	return p.RateEnd + float64((p.LearningRate-p.RateEnd)*left)
}

// RateBy lets f choose the learning rate of each round, above 0 and at most 10, when the round before is known; before the first
// that is the zero Round. The model keeps the rates as train.learning_rates, so that it can be reproduced without f. It does not
// go with another schedule, with random forests, or with checkpoints.
func RateBy(f func(before Round) float64) Option { return func(o *options) { o.rateBy = f } }

// checkRateBy returns what RateBy does not go with.
func (r *run) checkRateBy() error {
	switch {
	case r.rateBy == nil:
	case r.p.ratesDiffer():
		return fmt.Errorf("%w: RateBy and train.learning_rates or train.learning_rate_schedule both say how the learning rate goes: leave one of them out", ErrParams)
	case r.p.Boosting == RandomForest:
		return fmt.Errorf("%w: RateBy: train.boosting = \"rf\" has no learning rate", ErrParams)
	case r.saves.Dir != "":
		return fmt.Errorf("%w: RateBy and output.checkpoint: what a function chooses cannot be gone on with: leave one of them out", ErrParams)
	}
	return nil
}

// chooseRate asks for the learning rate of a round.
func (b *boosting) chooseRate(round int) error {
	if b.rateBy == nil {
		return nil
	}
	rate := b.rateBy(b.before)
	if !(rate > 0 && rate <= 10) {
		return fmt.Errorf("%w: RateBy gives %v for round %d: must be above 0 and at most 10", ErrParams, rate, round)
	}
	b.p.Rates = append(b.p.Rates[:round-b.first], rate)
	return nil
}
