package dataset

import (
	"boost/dataset/internal/build"
	"boost/dataset/internal/chunk"
	"boost/dataset/internal/inmemory"
)

// ColumnData is one column of a table in memory.
type ColumnData struct {
	Name string
	// Values is one of []float64, []float32, []int, []int64, []int32, []bool,
	// []string, Sparse, *Sparse and arrow.Array (see FromArrow). NaN and the missing tokens are
	// missing. Text is read like the cells of a file: a column whose texts all are numbers is numeric.
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
	converted := chunk.NewColumns(len(targets))
	for i, t := range targets {
		p, err := inmemory.Column(o, t, rows, columns[t.Source].Values)
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
	rows, from := inmemory.UnknownRows, ""
	for _, t := range targets {
		c := &columns[t.Source]
		n, err := inmemory.Rows(c.Name, c.Values, c.Rows)
		switch {
		case err != nil:
			return 0, err
		case n == inmemory.UnknownRows:
		case rows == inmemory.UnknownRows:
			rows, from = n, c.Name
		case n != rows:
			return 0, chunk.Errorf("column %q has %d rows, column %q has %d", from, rows, c.Name, n)
		}
	}
	for i := 0; i < len(columns) && rows == inmemory.UnknownRows; i++ {
		if n, err := inmemory.Rows(columns[i].Name, columns[i].Values, columns[i].Rows); err == nil {
			rows = n
		}
	}
	switch {
	case rows == inmemory.UnknownRows:
		return 0, chunk.Errorf("no column tells how many rows there are; set ColumnData.Rows")
	case rows > most:
		return 0, chunk.Errorf("the table has %d rows; up to %d can be read", rows, most)
	}
	return rows, nil
}

// newMemoryTable makes a table of one chunk that never was text.
func newMemoryTable(o *chunk.Options, rows int, converted []chunk.ColumnChunk, targets []chunk.Target) (*Table, error) {
	a := &build.Builder{Options: o, Whole: true, Chunks: []*chunk.Chunk{{Rows: rows, Columns: converted}}}
	return tableOf(a, targets, nil)
}
