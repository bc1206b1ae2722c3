package objectives

import "boost/internal/kernel/loss"

// Survival is what metrics need to know of a loss of times, as metrics.Survival has it.
type Survival struct {
	Hazards bool     // predictions are hazards: the higher one means the earlier event; else they are times
	Errors  loss.AFT // the distribution of times, where predictions are such
}

// SurvivalOf returns what metrics need to know of a built-in loss of times, nil for others.
func SurvivalOf(o Objective) *Survival {
	if o, ok := o.(interface{ survival() Survival }); ok {
		s := o.survival()
		return &s
	}
	return nil
}
