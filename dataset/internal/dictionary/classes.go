package dictionary

import (
	"slices"

	"boost/dataset/internal/plain"
)

// Classes returns the levels of a label column that occur in codes, as classes: numbers in ascending order if all of
// them are numbers, else texts in byte order. numericLevels reports whether the levels are names of numbers.
func Classes(codes []int32, levels []string, numericLevels bool) (classes []string, numeric bool) {
	used := make([]bool, len(levels))
	for _, code := range codes {
		if code >= 0 {
			used[code] = true
		}
	}
	var values []float64
	for i, level := range levels {
		if !used[i] {
			continue
		}
		classes = append(classes, level)
		if v, ok := Number(level); ok {
			values = append(values, v)
		}
	}
	// A schema's levels are numbers, but the levels that a file adds need not be.
	if numericLevels && len(values) == len(classes) {
		return NumberNames(values), true
	}
	slices.Sort(classes)
	return classes, false
}

// NumberNames sorts the values of classes and returns their shortest decimal names.
func NumberNames(values []float64) []string {
	slices.Sort(values)
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = plain.FormatNumber(v)
	}
	return names
}

// ClassCodes returns the class index of every level, -1 for a level that is not a class.
func ClassCodes(levels, classes []string, numeric bool) []float64 {
	index := make(map[string]float64, len(classes))
	for i, class := range classes {
		index[class] = float64(i)
	}
	codes := make([]float64, len(levels))
	for i, level := range levels {
		if v, ok := Number(level); ok && numeric {
			level = plain.FormatNumber(v)
		}
		code, ok := index[level]
		if !ok {
			code = -1
		}
		codes[i] = code
	}
	return codes
}
