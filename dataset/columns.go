package dataset

import (
	"math"

	"boost/dataset/internal/chunk"
)

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
		b := &memoryColumn{Options: o, Target: t, rows: rows}
		p, _, err := b.piece(columns[t.Source].Values)
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

// memoryColumn turns one column in memory into a piece.
type memoryColumn struct {
	*chunk.Options
	chunk.Target
	rows int // of the table, for sparse values
}

func (b *memoryColumn) piece(values any) (p *chunk.Piece, rows int, err error) {
	switch v := values.(type) {
	case []float64:
		return b.floats(v)
	case []float32:
		if v != nil && b.Want != chunk.WantCategory && b.Want != chunk.WantText {
			v = chunk.WithoutNumbers(v, b.MissingNumbers)
			return &chunk.Piece{F32: v, Present: chunk.Present(v)}, len(v), nil
		}
		return b.numbers(len(v), func(i int) (float64, bool) { return float64(v[i]), true })
	case []int:
		return b.numbers(len(v), func(i int) (float64, bool) { return exactInt(int64(v[i])) })
	case []int64:
		return b.numbers(len(v), func(i int) (float64, bool) { return exactInt(v[i]) })
	case []int32:
		return b.numbers(len(v), func(i int) (float64, bool) { return float64(v[i]), true })
	case []bool:
		return b.numbers(len(v), func(i int) (float64, bool) {
			if v[i] {
				return 1, true
			}
			return 0, true
		})
	case []string:
		p, err := b.texts(len(v), func(i int) (string, bool) { return v[i], !b.IsMissing([]byte(v[i])) })
		return p, len(v), err
	case *Sparse:
		return b.sparse(v)
	case Sparse:
		return b.sparse(&v)
	}
	panic("dataset: ColumnData.rows lets other types through")
}

// sparse takes stored cells; columns that are no numeric features take them densely.
func (b *memoryColumn) sparse(s *Sparse) (*chunk.Piece, int, error) {
	if wrong := s.Check(); wrong != "" {
		return nil, 0, chunk.Errorf("column %q %s", b.Name, wrong)
	}
	if n := len(s.Rows); n > 0 && int(s.Rows[n-1]) >= b.rows {
		return nil, 0, chunk.Errorf("column %q stores a value of row %d, and the table has %d rows", b.Name, s.Rows[n-1], b.rows)
	}
	if b.Role != Feature || b.Want == chunk.WantCategory {
		return b.floats(s.Expand64(b.rows))
	}
	s = s.WithoutNumbers(b.MissingNumbers).WithoutFill()
	return &chunk.Piece{Sparse: s, Present: b.rows - s.Missing(b.rows)}, b.rows, nil
}

// exactInt reports false for integers that float64 would round.
func exactInt(v int64) (float64, bool) {
	f := float64(v)
	// 2⁶³ itself is what the largest integers round up to; it has no way back.
	return f, f < 1<<63 && int64(f) == v
}

// numbers takes n numbers, NaN where missing. at reports false where float64 has
// no such number.
func (b *memoryColumn) numbers(n int, at func(i int) (v float64, exact bool)) (*chunk.Piece, int, error) {
	values := make([]float64, n)
	for i := range values {
		v, exact := at(i)
		if !exact {
			return nil, 0, chunk.Errorf("row %d: column %q holds an integer that float64 cannot hold exactly; give it as text to use it as a category", i+1, b.Name)
		}
		values[i] = v
	}
	return b.floats(values)
}

// floats takes numbers as they are, NaN where missing.
func (b *memoryColumn) floats(values []float64) (*chunk.Piece, int, error) {
	n := len(values)
	if b.Want == chunk.WantCategory || b.Want == chunk.WantText {
		p, err := b.texts(n, func(i int) (string, bool) { return b.numberText(values[i]), values[i] == values[i] })
		return p, n, err
	}
	values = chunk.WithoutNumbers(values, b.MissingNumbers)
	p := &chunk.Piece{Present: chunk.Present(values)}
	if !chunk.AllExact(values) {
		p.F64 = values
		return p, n, nil
	}
	p.F32 = make([]float32, n)
	for i, v := range values {
		p.F32[i] = float32(v)
	}
	return p, n, nil
}

// numberText writes a number the way this table reads numbers.
func (b *memoryColumn) numberText(v float64) string {
	if v != v {
		return ""
	}
	text := []byte(FormatNumber(v))
	for i, c := range text {
		if c == '.' {
			text[i] = b.Decimal
		}
	}
	return string(text)
}

// texts takes n texts; at reports false where a row has none.
func (b *memoryColumn) texts(n int, at func(i int) (text string, present bool)) (*chunk.Piece, error) {
	p := &chunk.Piece{}
	if b.Want == chunk.WantText {
		p.Offsets = make([]int32, 1, n+1)
		for i := range n {
			text, _ := at(i)
			if len(p.Text)+len(text) > math.MaxInt32 {
				return nil, chunk.Errorf("column %q holds more than 2 GiB of text; leave it out of id", b.Name)
			}
			p.Text = append(p.Text, text...)
			p.Offsets = append(p.Offsets, int32(len(p.Text)))
		}
		return p, nil
	}
	d := chunk.NewDictionary()
	p.Dictionary = d
	p.Codes = make([]int32, n)
	for i := range p.Codes {
		text, present := at(i)
		if !present {
			p.Codes[i] = chunk.MissingCode
			continue
		}
		if p.Codes[i] = d.Code([]byte(text), b.Options); p.Codes[i] == chunk.BrokenCode {
			p.Odd.Add(i, []byte(text), b.SkipBadRows)
		}
	}
	p.NoteLevels(0)
	return p, nil
}
