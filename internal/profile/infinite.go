package profile

import (
	"fmt"
	"math"

	"boost/dataset"
	"boost/internal/format"
)

// Infinities words for each numeric feature of a table that some of its cells are infinite, with the first of them:
// three columns, and how many more there are. No table, nil, has none.
func Infinities(t *dataset.Table) (notes []string) {
	if t == nil {
		return nil
	}
	more := 0
	for _, c := range t.Columns() {
		if c.Role() != dataset.Feature || !c.Kind().Numeric() {
			continue
		}
		cells, first := infinitiesOf(c)
		switch {
		case cells == 0:
		case len(notes) == 3:
			more++
		default:
			place := t.Place(first)
			if place != "" {
				place = ", the first in " + place
			}
			notes = append(notes, fmt.Sprintf("column %q has %s%s: the text inf and numbers beyond ±1.8e308 are read so", c.Name(), format.Counted(cells, "infinite cell"), place))
		}
	}
	if more > 0 {
		notes = append(notes, fmt.Sprintf("%s more with infinite cells: boost inspect names them", format.Counted(more, "column")))
	}
	return notes
}

// infinitiesOf returns how many cells of a column of numbers are infinite, and the row of the first.
func infinitiesOf(c *dataset.Column) (cells, first int) {
	switch s := c.Sparse(); {
	case s != nil:
		if cells, first = infinitiesAmong(s.F32); cells == 0 {
			cells, first = infinitiesAmong(s.F64)
		}
		if cells > 0 {
			first = int(s.Rows[first])
		}
		return cells, first
	case c.Kind() == dataset.Float32:
		return infinitiesAmong(c.Float32s())
	}
	return infinitiesAmong(c.Float64s())
}

func infinitiesAmong[T float32 | float64](values []T) (cells, first int) {
	for i, v := range values {
		if math.Abs(float64(v)) > math.MaxFloat64 {
			if cells == 0 {
				first = i
			}
			cells++
		}
	}
	return cells, first
}
