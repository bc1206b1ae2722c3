package dataset

import "slices"

// Table is a set of equally long columns; see Open, FromColumns, FromArrow and FromMatrix.
// It is immutable and safe for concurrent use.
type Table struct {
	rows    int
	columns []*Column
	places  places
	skipped int
	notes   []string
	mixed   []*ParseError
}

// NumRows returns the number of rows.
func (t *Table) NumRows() int { return t.rows }

// Columns returns all columns in file order, ignored ones left out. In a table
// read with a schema they stand in the schema's order.
func (t *Table) Columns() []*Column { return t.columns }

// Column returns the named column, or nil.
func (t *Table) Column(name string) *Column {
	for _, c := range t.columns {
		if c.name == name {
			return c
		}
	}
	return nil
}

// Features returns the columns with role Feature, in table order.
func (t *Table) Features() []*Column {
	var features []*Column
	for _, c := range t.columns {
		if c.role == Feature {
			features = append(features, c)
		}
	}
	return features
}

// LabelColumn returns the column with role LabelRole, or nil.
func (t *Table) LabelColumn() *Column { return t.withRole(LabelRole) }

// WithoutFeatures returns the table without its features: label, weight, ids and what
// else is told of the rows, with their places. It shares the table's memory.
func (t *Table) WithoutFeatures() *Table {
	rest := *t
	rest.columns = nil
	for _, c := range t.columns {
		if c.role != Feature {
			rest.columns = append(rest.columns, c)
		}
	}
	return &rest
}

func (t *Table) withRole(role Role) *Column {
	for _, c := range t.columns {
		if c.role == role {
			return c
		}
	}
	return nil
}

// Skipped returns the number of rows that SkipBadRows left out.
func (t *Table) Skipped() int { return t.skipped }

// Notes returns what a person should be told once about how the table was read:
// columns left out, dates read as seconds, rows skipped.
func (t *Table) Notes() []string { return slices.Clone(t.notes) }

// Mixed returns the first odd cell of each column that LenientTypes kept as
// categories although most of its cells are numbers.
func (t *Table) Mixed() []*ParseError { return slices.Clone(t.mixed) }

// Locate returns the file and the line, from 1, on which a row begins. Tables
// made in memory have an empty file name and count rows from 1.
func (t *Table) Locate(row int) (file string, line int) { return t.places.locate(row) }

// Take returns a table of the given rows, in that order, with the same
// dictionaries, notes and places. A row may be taken more than once.
func (t *Table) Take(rows []int32) *Table {
	taken := *t
	taken.rows = len(rows)
	taken.columns = make([]*Column, len(t.columns))
	for i, c := range t.columns {
		taken.columns[i] = c.take(rows)
	}
	taken.places = t.places.take(rows)
	return &taken
}

func (c *Column) take(rows []int32) *Column {
	switch c.kind {
	case Float32:
		return float32Column(c.name, c.role, pick(c.Float32s(), rows))
	case Float64:
		return float64Column(c.name, c.role, pick(c.Float64s(), rows))
	case Category:
		return categoryColumn(c.name, c.role, pick(c.Codes(), rows), c.levels, c.numericLevels)
	}
	var text []byte
	offsets := make([]int32, 1, len(rows)+1)
	for _, row := range rows {
		text = append(text, c.Text(int(row))...)
		offsets = append(offsets, int32(len(text)))
	}
	return textColumn(c.name, c.role, text, offsets)
}

func pick[T any](values []T, rows []int32) []T {
	picked := make([]T, len(rows))
	for i, row := range rows {
		picked[i] = values[row]
	}
	return picked
}
