package profile

import "math"

// sentinel is a number that may stand for "no value".
type sentinel struct {
	value     float64
	cells     int
	low, high float64 // of all other values
}

// findSentinel looks at the least and the greatest value of a column. One of nines, such as -999 and 9999, that occurs more
// than once is taken for a sentinel if it lies as far from all others as these lie apart, or is the only one below 0.
func findSentinel[K uint32 | uint64](values *sorted[K]) *sentinel {
	var first, second, last, before sentinel
	distinct := 0
	values.runs(func(key K, cells int) {
		run := sentinel{value: valueOf(key), cells: cells}
		distinct++
		switch distinct {
		case 1:
			first = run
		case 2:
			second = run
		}
		before, last = last, run
	})
	if distinct < 3 {
		return nil
	}
	first.low, first.high = second.value, last.value
	last.low, last.high = first.value, before.value
	switch {
	case first.repeatsNines() && first.value < 0 && (second.value >= 0 || first.isFar(second.value-first.value)):
		return &first
	case last.repeatsNines() && last.value > 0 && last.isFar(last.value-before.value):
		return &last
	}
	return nil
}

// repeatsNines reports whether a value is one of two or more nines, in more than one cell.
func (s *sentinel) repeatsNines() bool {
	if s.cells < 2 {
		return false
	}
	for nines := 99.0; nines < 1e12; nines = nines*10 + 9 {
		if math.Abs(s.value) == nines {
			return true
		}
	}
	return false
}

// isFar reports whether a gap to the other values is at least as wide as these are apart.
func (s *sentinel) isFar(gap float64) bool { return gap >= s.high-s.low }
