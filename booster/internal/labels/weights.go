package labels

import (
	"fmt"
	"maps"
	"slices"

	"boost/internal/detmath"
)

// Balanced is the entry of a table of class weights under which all classes come to the same weight in all: the sum of the rows' weights
// over the number of classes.
const Balanced = ""

// Weighing is how rows count by their class.
type Weighing struct {
	Objective string
	Classes   []string           // nil for none
	Positive  float64            // of the rows of the second of two classes, objective.scale_pos_weight; 0 for what Of says
	Of        map[string]float64 // objective.class_weight: 1 for classes that it leaves out
}

// Weigh returns the weights of rows in training: those that there are (nil for all 1), which have been checked, times that of their class. classOf
// holds class indices.
func Weigh(by Weighing, classOf, weights []float64) ([]float64, error) {
	key, table := "objective.class_weight", by.Of
	if by.Positive > 0 {
		key = "objective.scale_pos_weight"
	}
	switch {
	case by.Classes == nil:
		return nil, fmt.Errorf("%s: objective %s has no classes", key, by.Objective)
	case by.Positive > 0 && len(by.Classes) != 2:
		return nil, fmt.Errorf("%s is for two classes, and there are %d: use objective.class_weight", key, len(by.Classes))
	case by.Positive > 0:
		table = map[string]float64{by.Classes[1]: by.Positive}
	}
	factors, err := factorsOf(by.Classes, table, classOf, weights)
	if err != nil {
		return nil, err
	}
	weighed := make([]float64, len(classOf))
	for row, class := range classOf {
		weighed[row] = factors[int(class)] * weightOf(weights, row)
	}
	return weighed, nil
}

// factorsOf returns what the weights of each class's rows are multiplied by.
func factorsOf(classes []string, table map[string]float64, classOf, weights []float64) ([]float64, error) {
	factors := slices.Repeat([]float64{1}, len(classes))
	if _, balanced := table[Balanced]; balanced {
		sums := make([]detmath.Sum, len(factors))
		var all detmath.Sum
		for row, class := range classOf {
			sums[int(class)].Add(weightOf(weights, row))
			all.Add(weightOf(weights, row))
		}
		for class := range factors {
			if own := sums[class].Round(); own > 0 {
				factors[class] = all.Round() / (float64(len(factors)) * own)
			}
		}
		return factors, nil
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		class := slices.Index(classes, name)
		if class < 0 {
			return nil, fmt.Errorf("objective.class_weight names class %q: the classes are %s", name, Names(classes))
		}
		factors[class] = table[name]
	}
	return factors, nil
}

func weightOf(weights []float64, row int) float64 {
	if weights == nil {
		return 1
	}
	return weights[row]
}
