package dataset

import "boost/dataset/internal/chunk"

// ColumnData is one column of a table in memory.
type ColumnData struct {
	Name string
	// Values is one of []float64, []float32, []int, []int64, []int32, []bool,
	// []string, Sparse and *Sparse. NaN and the missing tokens are missing. Text is read
	// like the cells of a file: a column whose texts all are numbers is numeric.
	Values any
	// Rows is the number of rows, which Values of type Sparse do not tell. It is needed
	// where all columns are sparse; 0 takes the length of the others.
	Rows int
}

// FromColumns makes a table of columns in memory. Options that are about files
// (Separator, Header, Encoding, Threads, NoSpool) have no effect. It returns an
// error that wraps ErrTable for columns of different lengths or unknown types, no
// rows, and what Open returns errors for.
//
// Float slices that need no conversion are used as they are, not copied, and must
// not be changed afterwards.
func FromColumns(columns []ColumnData, opts ...Option) (*Table, error) {
	o, err := newOptions(opts)
	if err != nil {
		return nil, err
	}
	o.Encoding = nil
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	targets, err := o.Resolve(names)
	if err != nil {
		return nil, err
	}
	rows, err := memoryRows(columns, targets, o.MostRows)
	if err != nil {
		return nil, err
	}
	converted := make([]chunk.ColumnChunk, len(targets))
	for i, t := range targets {
		p, err := memoryColumn(o, t, rows, columns[t.Source].Values)
		if err != nil {
			return nil, err
		}
		converted[i] = *p
	}
	return newMemoryTable(o, rows, converted, targets)
}

// memoryRows returns the number of rows that the targets' columns agree on, or where
// these do not tell it, the other columns.
func memoryRows(columns []ColumnData, targets []chunk.Target, most int) (int, error) {
	rows, from := unknownRows, ""
	for _, t := range targets {
		c := &columns[t.Source]
		n, err := c.rows()
		switch {
		case err != nil:
			return 0, err
		case n == unknownRows:
		case rows == unknownRows:
			rows, from = n, c.Name
		case n != rows:
			return 0, chunk.Errorf("column %q has %d rows, column %q has %d", from, rows, c.Name, n)
		}
	}
	for i := 0; i < len(columns) && rows == unknownRows; i++ {
		if n, err := columns[i].rows(); err == nil {
			rows = n
		}
	}
	switch {
	case rows == unknownRows:
		return 0, chunk.Errorf("no column tells how many rows there are; set ColumnData.Rows")
	case rows > most:
		return 0, chunk.Errorf("the table has %d rows; up to %d can be read", rows, most)
	}
	return rows, nil
}

// unknownRows stands for a number of rows that a column does not tell.
const unknownRows = -1

// rows returns how many rows the column says it has.
func (c *ColumnData) rows() (int, error) {
	n := 0
	switch v := c.Values.(type) {
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
	case Sparse, *Sparse:
		if v == (*Sparse)(nil) {
			return 0, chunk.Errorf("column %q has no values", c.Name)
		}
		if c.Rows == 0 {
			return unknownRows, nil
		}
		return c.Rows, nil
	default:
		return 0, chunk.Errorf("column %q has values of type %T; use []float64, []float32, []int, []int64, []int32, []bool, []string or Sparse",
			c.Name, c.Values)
	}
	if c.Rows != 0 && c.Rows != n {
		return 0, chunk.Errorf("column %q has %d values, and Rows says %d", c.Name, n, c.Rows)
	}
	return n, nil
}

// newMemoryTable makes a table of one chunk that never was text.
func newMemoryTable(o *chunk.Options, rows int, converted []chunk.ColumnChunk, targets []chunk.Target) (*Table, error) {
	a := &tableBuilder{Options: o, whole: true, chunks: []*chunk.Chunk{{Rows: rows, Columns: converted}}}
	return a.table(targets)
}

// memoryColumn turns one column in memory of a table of so many rows into a column chunk.
func memoryColumn(o *chunk.Options, t chunk.Target, rows int, values any) (*chunk.ColumnChunk, error) {
	switch v := values.(type) {
	case []float64:
		return o.FromNumbers(t, v)
	case []float32:
		if v != nil && t.Want != chunk.WantCategory && t.Want != chunk.WantText {
			v = chunk.WithoutNumbers(v, o.MissingNumbers)
			return &chunk.ColumnChunk{F32: v, Present: chunk.Present(v), Typed: true}, nil
		}
		return o.FromNumbers(t, chunk.Widened(v))
	case []int:
		return exactColumn(o, t, len(v), func(i int) (float64, bool) { return exactInt(int64(v[i])) })
	case []int64:
		return exactColumn(o, t, len(v), func(i int) (float64, bool) { return exactInt(v[i]) })
	case []int32:
		return exactColumn(o, t, len(v), func(i int) (float64, bool) { return float64(v[i]), true })
	case []bool:
		return exactColumn(o, t, len(v), func(i int) (float64, bool) {
			if v[i] {
				return 1, true
			}
			return 0, true
		})
	case []string:
		return o.FromTexts(t, len(v), func(i int) (string, bool) { return v[i], !o.IsMissing([]byte(v[i])) })
	case *Sparse:
		return sparseInMemory(o, t, rows, v)
	case Sparse:
		return sparseInMemory(o, t, rows, &v)
	}
	panic("dataset: ColumnData.rows lets other types through")
}

// exactColumn takes n numbers, NaN where missing. at reports false where float64 has no
// such number.
func exactColumn(o *chunk.Options, t chunk.Target, n int, at func(i int) (v float64, exact bool)) (*chunk.ColumnChunk, error) {
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

// sparseInMemory takes stored cells; columns that are no numeric features take them densely.
func sparseInMemory(o *chunk.Options, t chunk.Target, rows int, s *Sparse) (*chunk.ColumnChunk, error) {
	if wrong := s.Check(); wrong != "" {
		return nil, chunk.Errorf("column %q %s", t.Name, wrong)
	}
	if n := len(s.Rows); n > 0 && int(s.Rows[n-1]) >= rows {
		return nil, chunk.Errorf("column %q stores a value of row %d, and the table has %d rows", t.Name, s.Rows[n-1], rows)
	}
	if t.Role != Feature || t.Want == chunk.WantCategory {
		return o.FromNumbers(t, s.Expand64(rows))
	}
	s = s.WithoutNumbers(o.MissingNumbers).WithoutFill()
	return &chunk.ColumnChunk{Sparse: s, Present: rows - s.Missing(rows), Typed: true}, nil
}

// exactInt reports false for integers that float64 would round.
func exactInt(v int64) (float64, bool) {
	f := float64(v)
	// 2⁶³ itself is what the largest integers round up to; it has no way back.
	return f, f < 1<<63 && int64(f) == v
}
