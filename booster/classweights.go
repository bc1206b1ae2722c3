package booster

import (
	"errors"

	"boost/booster/internal/labels"
)

// Balanced is the entry of Params.ClassWeight under which all classes come to the same weight in all: the sum of the rows' weights over
// the number of classes.
const Balanced = labels.Balanced

// weighsClasses reports whether rows count by their class.
func (p *Params) weighsClasses() bool {
	return len(p.ClassWeight) > 0 || p.PositiveWeight > 0 && p.PositiveWeight != 1
}

// checkClassWeights returns what does not go together.
func (p *Params) checkClassWeights() []error {
	_, balanced := p.ClassWeight[Balanced]
	switch {
	case len(p.ClassWeight) > 0 && p.PositiveWeight > 0:
		return []error{errors.New("objective.class_weight and objective.scale_pos_weight both weigh classes: leave one of them out")}
	case balanced && len(p.ClassWeight) > 1:
		return []error{errors.New("objective.class_weight: \"balanced\" gives all classes their weights: leave the others out")}
	}
	return nil
}
