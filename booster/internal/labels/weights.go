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

// Weigh returns the weights of rows in training: those that there are (nil for all 1) times what the table has for their class, 1 for classes that it
// leaves out. classOf holds class indices.
func Weigh(classes []string, table map[string]float64, classOf, weights []float64) ([]float64, error) {
	factors, err := factorsOf(classes, table, classOf, weights)
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
