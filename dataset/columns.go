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
	rows, err := memoryRows(columns, targets)
	if err != nil {
		return nil, err
	}
	pieces := make([]chunk.Piece, len(targets))
	for i, t := range targets {
		p, err := memoryPiece(o, t, rows, columns[t.Source].Values)
		if err != nil {
			return nil, err
		}
		pieces[i] = *p
	}
	return newMemoryTable(o, rows, pieces, targets)
}

// memoryRows returns the number of rows that the targets' columns agree on, or where
// these do not tell it, the other columns.
func memoryRows(columns []ColumnData, targets []chunk.Target) (int, error) {
	rows, from := untold, ""
	for _, t := range targets {
		c := &columns[t.Source]
		n, err := c.rows()
		switch {
		case err != nil:
			return 0, err
		case n == untold:
		case rows == untold:
			rows, from = n, c.Name
		case n != rows:
			return 0, chunk.Errorf("column %q has %d rows, column %q has %d", from, rows, c.Name, n)
		}
	}
	for i := 0; i < len(columns) && rows == untold; i++ {
		if n, err := columns[i].rows(); err == nil {
			rows = n
		}
	}
	switch {
	case rows == untold:
		return 0, chunk.Errorf("no column tells how many rows there are; set ColumnData.Rows")
	case rows > chunk.MostRows:
		return 0, chunk.Errorf("the table has %d rows; up to %d can be read", rows, chunk.MostRows)
	}
	return rows, nil
}

// untold stands for a number of rows that a column does not tell.
const untold = -1

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
			return untold, nil
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

// memoryTable makes a table of one chunk that never was text.
func newMemoryTable(o *chunk.Options, rows int, pieces []chunk.Piece, targets []chunk.Target) (*Table, error) {
	a := &assembly{Options: o, whole: true, chunks: []*chunk.Chunk{{Rows: rows, Pieces: pieces}}}
	return a.table(targets)
}

// memoryPiece turns one column in memory of a table of so many rows into a piece.
func memoryPiece(o *chunk.Options, t chunk.Target, rows int, values any) (*chunk.Piece, error) {
	switch v := values.(type) {
	case []float64:
		return o.FromNumbers(t, v)
	case []float32:
		if v != nil && t.Want != chunk.WantCategory && t.Want != chunk.WantText {
			v = chunk.WithoutNumbers(v, o.MissingNumbers)
			return &chunk.Piece{F32: v, Present: chunk.Present(v)}, nil
		}
		return o.FromNumbers(t, chunk.Widened(v))
	case []int:
		return exactPiece(o, t, len(v), func(i int) (float64, bool) { return exactInt(int64(v[i])) })
	case []int64:
		return exactPiece(o, t, len(v), func(i int) (float64, bool) { return exactInt(v[i]) })
	case []int32:
		return exactPiece(o, t, len(v), func(i int) (float64, bool) { return float64(v[i]), true })
	case []bool:
		return exactPiece(o, t, len(v), func(i int) (float64, bool) {
			if v[i] {
				return 1, true
			}
			return 0, true
		})
	case []string:
		return o.FromTexts(t, len(v), func(i int) (string, bool) { return v[i], !o.IsMissing([]byte(v[i])) })
	case *Sparse:
		return sparsePiece(o, t, rows, v)
	case Sparse:
		return sparsePiece(o, t, rows, &v)
	}
	panic("dataset: ColumnData.rows lets other types through")
}

// exactPiece takes n numbers, NaN where missing. at reports false where float64 has no
// such number.
func exactPiece(o *chunk.Options, t chunk.Target, n int, at func(i int) (v float64, exact bool)) (*chunk.Piece, error) {
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

// sparsePiece takes stored cells; columns that are no numeric features take them densely.
func sparsePiece(o *chunk.Options, t chunk.Target, rows int, s *Sparse) (*chunk.Piece, error) {
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
	return &chunk.Piece{Sparse: s, Present: rows - s.Missing(rows)}, nil
}

// exactInt reports false for integers that float64 would round.
func exactInt(v int64) (float64, bool) {
	f := float64(v)
	// 2⁶³ itself is what the largest integers round up to; it has no way back.
	return f, f < 1<<63 && int64(f) == v
}
