package booster

import (
	"fmt"
	"maps"
	"slices"

	"boost/booster/internal/labels"
	"boost/internal/detmath"
)

// Balanced is the entry of Params.ClassWeight under which all classes come to the same weight in all: the sum of the rows' weights over
// the number of classes.
const Balanced = ""

// weighsClasses reports whether rows count by their class.
func (p *Params) weighsClasses() bool { return len(p.ClassWeight) > 0 || p.PositiveWeight > 0 }

// checkClassWeights returns what does not go together.
func (p *Params) checkClassWeights() []error {
	_, balanced := p.ClassWeight[Balanced]
	switch {
	case len(p.ClassWeight) > 0 && p.PositiveWeight > 0:
		return []error{fmt.Errorf("objective.class_weight and objective.scale_pos_weight both weigh classes: leave one of them out")}
	case balanced && len(p.ClassWeight) > 1:
		return []error{fmt.Errorf("objective.class_weight: \"balanced\" gives all classes their weights: leave the others out")}
	}
	return nil
}

// weighClasses returns the weights of the rows in training. The weights that there are (nil for all 1) have been checked.
func (tg *target) weighClasses(p *Params, classOf, weights []float64) ([]float64, error) {
	factors, err := tg.classFactors(p, classOf, weights)
	if err != nil {
		return nil, err
	}
	weighed := make([]float64, len(classOf))
	for row, class := range classOf {
		weighed[row] = factors[int(class)]
		if weights != nil {
			weighed[row] *= weights[row]
		}
	}
	return weighed, nil
}

// classFactors returns what the weights of each class's rows are multiplied by.
func (tg *target) classFactors(p *Params, classOf, weights []float64) ([]float64, error) {
	key := "objective.class_weight"
	if p.PositiveWeight > 0 {
		key = "objective.scale_pos_weight"
	}
	if tg.classes == nil {
		return nil, fmt.Errorf("%w: %s: objective %s has no classes", ErrParams, key, p.Objective)
	}
	factors := slices.Repeat([]float64{1}, len(tg.classes))
	if p.PositiveWeight > 0 {
		if len(tg.classes) != 2 {
			return nil, fmt.Errorf("%w: %s is for two classes, and there are %d: use objective.class_weight", ErrParams, key, len(tg.classes))
		}
		factors[1] = p.PositiveWeight
		return factors, nil
	}
	if _, balanced := p.ClassWeight[Balanced]; balanced {
		sums := make([]detmath.Sum, len(factors))
		var all detmath.Sum
		for row, class := range classOf {
			w := 1.0
			if weights != nil {
				w = weights[row]
			}
			sums[int(class)].Add(w)
			all.Add(w)
		}
		for class := range factors {
			if own := sums[class].Round(); own > 0 {
				factors[class] = all.Round() / (float64(len(factors)) * own)
			}
		}
		return factors, nil
	}
	for _, name := range slices.Sorted(maps.Keys(p.ClassWeight)) {
		class := slices.Index(tg.classes, name)
		if class < 0 {
			return nil, fmt.Errorf("%w: %s names class %q: the classes are %s", ErrParams, key, name, labels.Names(tg.classes))
		}
		factors[class] = p.ClassWeight[name]
	}
	return factors, nil
}
