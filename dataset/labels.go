package dataset

import (
	"fmt"
	"math"

	"boost/dataset/internal/chunk"
)

// Labels are the labels of rows as training counts them.
type Labels struct {
	// Columns holds them by label column: one of numbers, class indices or times, negative where censored, or several of numbers.
	Columns [][]float64
	// Upper is the time up to which the event came, in (0, +Inf], where the label is that from which on; nil where no row
	// has an interval.
	Upper []float64
}

// Several returns the columns where there is more than one, nil for one.
func (l Labels) Several() [][]float64 {
	if len(l.Columns) == 1 {
		return nil
	}
	return l.Columns
}

// Take returns the labels of some rows.
func (l Labels) Take(rows []int32) Labels {
	taken := Labels{Columns: make([][]float64, len(l.Columns))}
	for k, column := range l.Columns {
		taken.Columns[k] = chunk.Pick(column, rows)
	}
	if l.Upper != nil {
		taken.Upper = chunk.Pick(l.Upper, rows)
	}
	return taken
}

// Targets returns the labels of a model that has so many label columns: of one EncodeLabels, or where there are several the numbers of
// each. A table with another number of label columns, and a row without one of them, are errors.
func (t *Table) Targets(want int, classes []string, numeric bool) (Labels, error) {
	columns := t.LabelColumns()
	switch {
	case len(columns) == 1 && want == 1 && t.UpperColumn() != nil:
		return t.intervals(columns[0], t.UpperColumn())
	case len(columns) <= 1 && want == 1:
		labels, err := t.EncodeLabels(classes, numeric)
		return Labels{Columns: [][]float64{labels}}, err
	case len(columns) != want:
		names := make([]string, len(columns))
		for i, c := range columns {
			names[i] = c.name
		}
		return Labels{}, chunk.Errorf("the table has %d of the %d label columns (%s): all of them are needed", len(names), want, chunk.NameList(names, 10))
	}
	targets := make([][]float64, len(columns))
	for i, c := range columns {
		var err error
		if targets[i], err = t.numericLabels(c); err != nil {
			return Labels{}, err
		}
	}
	return Labels{Columns: targets}, nil
}

// UpperColumn returns the column of the times up to which events came, nil without one.
func (t *Table) UpperColumn() *Column { return t.withRole(UpperRole) }

// intervals returns times between two columns. Where all of them are known, or open above, they are told as with an event
// column, by their signs.
func (t *Table) intervals(lower, upper *Column) (Labels, error) {
	from, to := make([]float64, t.rows), make([]float64, t.rows)
	plain := true
	for row := range t.rows {
		a, b := math.NaN(), math.NaN()
		if lower.kind.Numeric() {
			a = lower.number(row)
		}
		if upper.kind.Numeric() {
			b = upper.number(row)
		}
		if math.IsInf(a, -1) {
			a = 0
		}
		if b != b { // no upper bound is known
			b = math.Inf(1)
		}
		switch {
		case !(a >= 0) || math.IsInf(a, 1):
			return Labels{}, t.badNumber(lower, row, "a finite time of 0 or more, from which on the event came, or -inf", "")
		case !(b >= a):
			return Labels{}, t.badNumber(upper, row, fmt.Sprintf("a time that is not before the %s of column %q, or inf, or no value", FormatNumber(a), lower.name), "")
		}
		from[row], to[row] = a+0, b
		plain = plain && (a == b || math.IsInf(b, 1))
	}
	if !plain {
		return Labels{Columns: [][]float64{from}, Upper: to}, nil
	}
	for row, b := range to {
		if math.IsInf(b, 1) {
			from[row] = math.Copysign(from[row], -1)
		}
	}
	return Labels{Columns: [][]float64{from}}, nil
}
