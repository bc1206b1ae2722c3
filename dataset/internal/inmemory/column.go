package inmemory

import (
	"boost/dataset/internal/chunk"
	"boost/dataset/internal/written"

	"github.com/apache/arrow/go/v17/arrow"
)

// UnknownRows stands for an unknown number of rows.
const UnknownRows = -1

// Rows returns how many rows a column of values has. said is the number that its owner gives, 0 for none.
func Rows(name string, values any, said int) (int, error) {
	if said < 0 {
		return 0, chunk.Errorf("column %q has %d rows, by Rows: give a number above 0, or 0 for that of the values", name, said)
	}
	n := 0
	switch v := values.(type) {
	case []float64:
		n = len(v)
	case []float32:
		n = len(v)
	case []int:
		n = len(v)
	case []int64:
		n = len(v)
	case []int32:
		n = len(v)
	case []bool:
		n = len(v)
	case []string:
		n = len(v)
	case arrow.Array:
		n = v.Len()
	case chunk.Sparse, *chunk.Sparse:
		if v == (*chunk.Sparse)(nil) {
			return 0, chunk.Errorf("column %q has no values", name)
		}
		if said == 0 {
			return UnknownRows, nil
		}
		return said, nil
	default:
		return 0, chunk.Errorf("column %q has values of type %T; use []float64, []float32, []int, []int64, []int32, []bool, []string, Sparse or arrow.Array",
			name, values)
	}
	if said != 0 && said != n {
		return 0, chunk.Errorf("column %q has %d values, and Rows says %d", name, n, said)
	}
	return n, nil
}

// Column turns the values of one column of a table of so many rows, which Rows has counted, into a column chunk.
// Slices of floats that need no conversion become the chunk's own. Numbers, but no missing values, are refused for a target whose
// numbers are written with a unit, a percent sign or as dates: what they mean is not known.
func Column(o *chunk.Options, t chunk.Target, rows int, values any) (*chunk.ColumnChunk, error) {
	c, err := column(o, t, rows, values)
	if err != nil || t.Form == nil || t.Form.Bare() || c.Present == 0 || isWritten(&t, values) {
		return c, err
	}
	return nil, chunk.Errorf("column %q holds plain numbers, where \"%v\" is expected: %s takes them as they are",
		t.Name, t.Form, chunk.ParseHint(map[string]string{t.Name: written.Plain.String()}))
}

// isWritten reports whether values are texts, or dates for a target that holds such.
func isWritten(t *chunk.Target, values any) bool {
	switch v := values.(type) {
	case []string:
		return true
	case arrow.Array:
		switch v.DataType().ID() {
		case arrow.STRING, arrow.LARGE_STRING, arrow.BINARY, arrow.LARGE_BINARY, arrow.STRING_VIEW, arrow.BINARY_VIEW, arrow.DICTIONARY:
			return true
		case arrow.TIMESTAMP, arrow.DATE32, arrow.DATE64:
			return t.Form.IsDate()
		}
	}
	return false
}

func column(o *chunk.Options, t chunk.Target, rows int, values any) (*chunk.ColumnChunk, error) {
	switch v := values.(type) {
	case []float64:
		return o.FromNumbers(t, v)
	case []float32:
		if v != nil && t.Want != chunk.WantCategory && t.Want != chunk.WantText {
			v = chunk.WithoutNumbers(v, o.MissingNumbers)
			p := chunk.NewColumn()
			p.F32, p.Present, p.Typed = v, chunk.Present(v), true
			return p, nil
		}
		return o.FromNumbers(t, chunk.Widened(v))
	case []int:
		return exactNumbers(o, t, len(v), func(i int) (float64, bool) { return ExactInt(int64(v[i])) })
	case []int64:
		return exactNumbers(o, t, len(v), func(i int) (float64, bool) { return ExactInt(v[i]) })
	case []int32:
		return exactNumbers(o, t, len(v), func(i int) (float64, bool) { return float64(v[i]), true })
	case []bool:
		return exactNumbers(o, t, len(v), func(i int) (float64, bool) {
			if v[i] {
				return 1, true
			}
			return 0, true
		})
	case []string:
		return o.FromTexts(t, len(v), func(i int) (string, bool) { return v[i], !o.IsMissing([]byte(v[i])) })
	case arrow.Array:
		return Arrow(o, t, v)
	case *chunk.Sparse:
		return sparse(o, t, rows, v)
	case chunk.Sparse:
		return sparse(o, t, rows, &v)
	}
	panic("inmemory: Rows lets other types through")
}

// exactNumbers takes n numbers, NaN where missing. at reports false where float64 has no
// such number.
func exactNumbers(o *chunk.Options, t chunk.Target, n int, at func(i int) (v float64, exact bool)) (*chunk.ColumnChunk, error) {
	values := make([]float64, n)
	for i := range values {
		v, exact := at(i)
		if !exact {
			return nil, chunk.Errorf("row %d: column %q holds an integer that float64 cannot hold exactly; give it as text to use it as a category", i+1, t.Name)
		}
		values[i] = v
	}
	return o.FromNumbers(t, values)
}

// sparse takes stored cells; columns other than numeric features take them densely.
func sparse(o *chunk.Options, t chunk.Target, rows int, s *chunk.Sparse) (*chunk.ColumnChunk, error) {
	if wrong := s.Check(); wrong != "" {
		return nil, chunk.Errorf("column %q %s", t.Name, wrong)
	}
	if n := len(s.Rows); n > 0 && int(s.Rows[n-1]) >= rows {
		return nil, chunk.Errorf("column %q stores a value of row %d, and the table has %d rows", t.Name, s.Rows[n-1], rows)
	}
	if t.Role != chunk.Feature || t.Want == chunk.WantCategory {
		return o.FromNumbers(t, s.Expand64(rows))
	}
	s = s.WithoutNumbers(o.MissingNumbers).WithoutFill()
	p := chunk.NewColumn()
	p.Sparse, p.Present, p.Typed = s, rows-s.Missing(rows), true
	return p, nil
}

// ExactInt returns a whole number as a float64. It reports false for integers that float64 would round.
func ExactInt(v int64) (float64, bool) {
	f := float64(v)
	// The largest integers round up to 2⁶³, which does not fit an int64.
	return f, f < 1<<63 && int64(f) == v
}
