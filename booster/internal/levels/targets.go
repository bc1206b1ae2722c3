package levels

import "slices"

// Target is what levels are ordered by: the mean of values.
type Target struct {
	Class  string    // whose share it is, "" = labels as they are
	Values []float64 // by row
}

// mostClasses is the most classes that levels are ordered by.
const mostClasses = 8

// Targets returns what levels are ordered by: the labels where there are no classes; the share of the second of two classes; the
// shares of the most frequent of several, the most frequent one first and equal ones as they come. Labels of classes are their
// numbers. A share takes 8 bytes a row.
func Targets(labels []float64, classes []string) []Target {
	if classes == nil {
		return []Target{{Values: labels}}
	}
	rows, order := make([]int, len(classes)), make([]int, len(classes))
	for c := range order {
		order[c] = c
	}
	for _, class := range labels {
		rows[int(class)]++
	}
	if len(order) == 2 {
		order = order[1:]
	}
	slices.SortStableFunc(order, func(a, b int) int { return rows[b] - rows[a] })
	targets := make([]Target, min(len(order), mostClasses))
	for i, class := range order[:len(targets)] {
		targets[i] = Target{classes[class], make([]float64, len(labels))}
		for row, label := range labels {
			if label == float64(class) {
				targets[i].Values[row] = 1
			}
		}
	}
	return targets
}
