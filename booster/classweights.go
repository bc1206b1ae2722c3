package booster

import (
	"errors"
	"fmt"

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

// weighClasses returns the weights of the rows in training. The weights that there are (nil for all 1) have been checked.
func (tg *target) weighClasses(p *Params, classOf, weights []float64) ([]float64, error) {
	key := map[bool]string{false: "objective.class_weight", true: "objective.scale_pos_weight"}[p.PositiveWeight > 0]
	table := p.ClassWeight
	switch {
	case tg.classes == nil:
		return nil, fmt.Errorf("%w: %s: objective %s has no classes", ErrParams, key, p.Objective)
	case p.PositiveWeight > 0 && len(tg.classes) != 2:
		return nil, fmt.Errorf("%w: %s is for two classes, and there are %d: use objective.class_weight", ErrParams, key, len(tg.classes))
	case p.PositiveWeight > 0:
		table = map[string]float64{tg.classes[1]: p.PositiveWeight}
	}
	weighed, err := labels.Weigh(tg.classes, table, classOf, weights)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrParams, err)
	}
	return weighed, nil
}
