package profile

import (
	"fmt"
	"math"

	"boost/dataset"
	"boost/internal/format"
	"boost/internal/kernel/bin"
)

// sentinel is a number that may stand for "no value".
type sentinel struct {
	value     float64
	cells     int
	low, high float64 // of all other values
}

// sentinelRows is how many rows of a column are looked at before all are.
const sentinelRows = 10_000

// Sentinels words for each numeric feature of a table which of its numbers may stand for "no value", as Of finds
// it: three of them, and how many more there are. A column is looked at as a whole only if its first rows have
// such a number at either end. No table, nil, has none.
func Sentinels(t *dataset.Table) (notes []string) {
	if t == nil {
		return nil
	}
	more := 0
	for _, c := range t.Columns() {
		if c.Role() != dataset.Feature || !c.Kind().Numeric() || c.Sparse() != nil {
			continue
		}
		var s *sentinel
		if c.Kind() == dataset.Float32 {
			s = sentinelAmong(c.Float32s())
		} else {
			s = sentinelAmong(c.Float64s())
		}
		switch {
		case s != nil && len(notes) == 3:
			more++
		case s != nil:
			notes = append(notes, fmt.Sprintf("column %q %v", c.Name(), s))
		}
	}
	if more > 0 {
		notes = append(notes, fmt.Sprintf("%s more with such a number: boost inspect names them", format.Counted(more, "column")))
	}
	return notes
}

func sentinelAmong[T float32 | float64](values []T) *sentinel {
	low, _, _, high := endsOf(values[:min(len(values), sentinelRows)])
	if !isNines(low.value) && !isNines(high.value) {
		return nil
	}
	first, second, before, last := endsOf(values)
	if !(second.value < last.value) {
		return nil // of two values none is the odd one
	}
	return choose(first, second, before, last)
}

// endsOf returns the two least and the two greatest of different values; NaN is none.
func endsOf[T float32 | float64](values []T) (first, second, before, last sentinel) {
	inf := T(math.Inf(1))
	least, less, more, most := inf, inf, -inf, -inf
	atLeast, atMost := 0, 0
	for _, v := range values {
		if v <= least {
			if v < least {
				least, less, atLeast = v, least, 0
			}
			atLeast++
		} else if v < less {
			less = v
		}
		if v >= most {
			if v > most {
				more, most, atMost = most, v, 0
			}
			atMost++
		} else if v > more {
			more = v
		}
	}
	return sentinel{value: float64(least), cells: atLeast}, sentinel{value: float64(less)}, sentinel{value: float64(more)}, sentinel{value: float64(most), cells: atMost}
}

// String says where the number is, and what to do.
func (s *sentinel) String() string {
	value := dataset.FormatNumber(s.value)
	return fmt.Sprintf("is %s in %d rows, and between %s and %s in all others: set missing = [%q] if that means no value",
		value, s.cells, format.SixDigits(s.low), format.SixDigits(s.high), value)
}

// findSentinel looks at the least and the greatest value of a column. One of nines, such as -999 and 9999, that occurs more
// than once is taken for a sentinel if it lies as far from all others as these lie apart, or is the only one below 0.
func findSentinel[K bin.Key](values *sorted[K]) *sentinel {
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
	return choose(first, second, before, last)
}

// choose returns the one of the least and the greatest value that is a sentinel beside the others.
func choose(first, second, before, last sentinel) *sentinel {
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
func (s *sentinel) repeatsNines() bool { return s.cells >= 2 && isNines(s.value) }

func isNines(v float64) bool {
	for nines := 99.0; nines < 1e12; nines = nines*10 + 9 {
		if math.Abs(v) == nines {
			return true
		}
	}
	return false
}

// isFar reports whether a gap to the other values is at least as wide as these are apart.
func (s *sentinel) isFar(gap float64) bool { return gap >= s.high-s.low }
