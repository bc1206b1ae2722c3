package dataset

import (
	"slices"
	"sync"

	"boost/dataset/internal/chunk"
)

// Table is a set of equally long columns; see Open, FromColumns, FromArrow and FromMatrix.
// It is immutable and safe for concurrent use.
type Table struct {
	rows      int
	columns   []*Column
	locations chunk.RowLocations
	skipped   int
	notes     []string
	mixed     []*ParseError
	index     *nameIndex // of the columns
	dates     []string
	dropped   []string            // features that DropTextLike left out
	written   *Written            // nil: the table was no text
	forms     map[string]string   // by column: how its numbers are written where that is not plainly
	crossed   map[string][]string // by crossed column: the two that it is made of
	absent    *Sparse             // the cells of features beyond the columns, nil where there are none
}

// nameIndex finds columns by name. It is made at the first search, and only for
// tables wide enough for it.
type nameIndex struct {
	once sync.Once
	at   map[string]int
}

// indexedFrom is the number of columns from which an index beats looking at them all.
const indexedFrom = 32

// NumRows returns the number of rows.
func (t *Table) NumRows() int { return t.rows }

// Columns returns all columns in file order, ignored ones left out. In a table
// read with a schema they stand in the schema's order.
func (t *Table) Columns() []*Column { return t.columns }

// Column returns the named column, or nil.
func (t *Table) Column(name string) *Column {
	if t.index != nil && len(t.columns) >= indexedFrom {
		t.index.once.Do(t.indexNames)
		if i, ok := t.index.at[name]; ok {
			return t.columns[i]
		}
		return nil
	}
	for _, c := range t.columns {
		if c.name == name {
			return c
		}
	}
	return nil
}

func (t *Table) indexNames() {
	t.index.at = make(map[string]int, len(t.columns))
	for i, c := range t.columns {
		if _, repeated := t.index.at[c.name]; !repeated { // an id column may stand for a feature, too
			t.index.at[c.name] = i
		}
	}
}

// Features returns the columns with role Feature, in table order.
func (t *Table) Features() []*Column {
	features := make([]*Column, 0, len(t.columns))
	for _, c := range t.columns {
		if c.role == Feature {
			features = append(features, c)
		}
	}
	return features
}

// LabelColumn returns the column with role LabelRole, the first of several, or nil.
func (t *Table) LabelColumn() *Column { return t.withRole(LabelRole) }

// LabelColumns returns all columns with role LabelRole, in the order in which they were named.
func (t *Table) LabelColumns() []*Column {
	return slices.DeleteFunc(slices.Clone(t.columns), func(c *Column) bool { return c.role != LabelRole })
}

// WithLabel returns the table with the named column as the one to be predicted. A column that was the
// label before becomes a feature. A column that is absent or not a feature, or a row without a value in
// it, is an error that wraps ErrTable. The tables share their memory.
func (t *Table) WithLabel(name string) (*Table, error) {
	var label *Column
	for _, c := range t.columns {
		if c.name == name && (label == nil || c.role != IDRole) { // an id may stand for a feature, too
			label = c
		}
	}
	switch {
	case label == nil:
		return nil, chunk.Errorf("there is no column %q to be the label (columns are %s)", name, chunk.NameList(t.columnNames(), 10))
	case label.role != Feature && label.role != LabelRole:
		return nil, chunk.Errorf("column %q cannot be the label: it was read as the %s", name, label.role)
	}
	label = label.as(name, LabelRole)
	for row := range t.rows {
		if label.missing > 0 && label.isMissing(row) {
			return nil, chunk.Errorf("%s: label %q is empty", t.Place(row), name)
		}
	}
	labelled := *t
	labelled.index, labelled.columns = new(nameIndex), slices.Clone(t.columns)
	for i, c := range labelled.columns {
		switch {
		case c.name == name && c.role != IDRole:
			labelled.columns[i] = label
		case c.role == LabelRole:
			labelled.columns[i] = c.as(c.name, Feature)
		}
	}
	return &labelled, nil
}

func (t *Table) columnNames() []string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	return names
}

// WithoutFeatures returns the table without its features: label, weight, ids and what
// else is told of the rows, with their locations. It shares the table's memory.
func (t *Table) WithoutFeatures() *Table {
	others := *t
	others.index, others.columns = new(nameIndex), nil
	for _, c := range t.columns {
		if c.role != Feature {
			others.columns = append(others.columns, c)
		}
	}
	return &others
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

// Dropped returns the names of the features that DropTextLike left out.
func (t *Table) Dropped() []string { return slices.Clone(t.dropped) }

// Dates returns the names of the numeric columns whose cells were dates or times, or were in the schema of As, and
// whose values therefore are seconds since 1970 UTC.
func (t *Table) Dates() []string { return slices.Clone(t.dates) }

// Locate returns the file and the line, from 1, on which a row begins. Tables
// made in memory have an empty file name and count rows from 1, as the rows of Parquet and
// Arrow files are counted.
func (t *Table) Locate(row int) (file string, line int) { return t.locations.Locate(row) }

// Place words where a row stands, for a message: "file:line", "file: row 3" of files that
// have rows and no lines, "row 3" of a table made in memory.
func (t *Table) Place(row int) string {
	var e ParseError
	t.locations.Mark(&e, row)
	return e.Place()
}

// Take returns a table of the given rows, in that order, with the same
// dictionaries, notes and row locations. A row may be taken more than once.
func (t *Table) Take(rows []int32) *Table {
	taken := *t
	taken.rows = len(rows)
	taken.columns = make([]*Column, len(t.columns))
	var chosen *chunk.RowSelection
	for i, c := range t.columns {
		if c.sparse == nil {
			taken.columns[i] = c.take(rows)
			continue
		}
		if chosen == nil {
			chosen = chunk.NewRowSelection(rows, t.rows)
		}
		taken.columns[i] = sparseColumn(c.name, c.role, len(rows), chosen.Take(c.sparse))
	}
	taken.locations = t.locations.Take(rows)
	return &taken
}

func (c *Column) take(rows []int32) *Column {
	switch c.kind {
	case Float32:
		return float32Column(c.name, c.role, chunk.Pick(c.Float32s(), rows))
	case Float64:
		return float64Column(c.name, c.role, chunk.Pick(c.Float64s(), rows))
	case Category:
		return codedColumn(c.name, c.role, chunk.Pick(c.Codes(), rows), c.Levels(), c.levelTexts(), c.NumericLevels())
	}
	var text []byte
	offsets := make([]int32, 1, len(rows)+1)
	for _, row := range rows {
		text = append(text, c.Text(int(row))...)
		offsets = append(offsets, int32(len(text)))
	}
	return textColumn(c.name, c.role, text, offsets)
}

// Schema describes the table's columns. The level lists are shared with the table.
func (t *Table) Schema() Schema {
	s := Schema{Columns: make([]ColumnSchema, len(t.columns))}
	if t.written != nil {
		s.Written = *t.written
	}
	for i, c := range t.columns {
		s.Columns[i] = columnSchema(c)
		s.Columns[i].Crossed = t.Crossed(c)
		if c.kind.Numeric() {
			s.Columns[i].Written, s.Columns[i].Dates = t.forms[c.name], slices.Contains(t.dates, c.name)
		}
	}
	return s
}

func columnSchema(c *Column) ColumnSchema {
	s := ColumnSchema{Name: c.name, Role: c.role, Kind: c.kind}
	if c.role != GroupRole {
		s.Levels, s.NumericLevels = c.Levels(), c.NumericLevels()
	}
	return s
}
