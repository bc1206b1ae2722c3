package dataset

import (
	"fmt"
	"math"
)

// survivalLabels is EncodeLabels of a table with an event column.
func (t *Table) survivalLabels() ([]float64, error) {
	labels, err := t.NumericLabels()
	if err != nil {
		return nil, err
	}
	c := t.EventColumn()
	for row, time := range labels {
		event := math.NaN()
		if c.kind.Numeric() {
			event = c.number(row)
		}
		switch {
		case event != 0 && event != 1:
			return nil, t.badNumber(c, row, "an event: 1 if it came at the row's time, 0 if the row is censored", "")
		case time < 0:
			return nil, t.badNumber(t.LabelColumn(), row, fmt.Sprintf("a time of 0 or more: the column %q tells which rows are censored", c.name), "")
		case event == 0:
			labels[row] = math.Copysign(time, -1)
		default:
			labels[row] = math.Abs(time) // -0 with an event is 0
		}
	}
	return labels, nil
}

// EventColumn returns the column of events, 1 where the event came and 0 where not, nil without one.
func (t *Table) EventColumn() *Column { return t.withRole(EventRole) }
