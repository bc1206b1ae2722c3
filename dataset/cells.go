package dataset

import (
	"math"
	"unicode/utf8"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/inmemory"
)

// CellReader reads single cells as FromColumns with As(schema) reads columns.
type CellReader struct {
	options *chunk.Options
	targets map[string]chunk.Target // by name, for the form of numbers
}

// NewCellReader returns a reader of the cells of a model's columns.
func NewCellReader(s Schema) (*CellReader, error) {
	o, err := newOptions([]Option{As(s)})
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range s.Columns {
		if s.Columns[i].Role != IDRole { // a feature may stand there as an id, too
			names = append(names, s.Columns[i].Name)
		}
	}
	targets, err := o.Resolve(names)
	if err != nil {
		return nil, err
	}
	r := &CellReader{options: o, targets: make(map[string]chunk.Target, len(targets))}
	for _, t := range targets {
		r.targets[t.Name] = t
	}
	return r, nil
}

// Cell is what one cell means in a column: a number, NaN if it is missing, or in a Category column
// the name of a level, "" with the number NaN if it is missing.
type Cell struct {
	Number float64
	Level  string
}

// missingCell is a cell without a value.
var missingCell = Cell{Number: math.NaN()}

// Number reads a number; NaN means missing.
func (r *CellReader) Number(c *ColumnSchema, v float64) Cell {
	for _, missing := range r.options.MissingNumbers {
		if v == missing {
			return missingCell
		}
	}
	if c.Kind != Category || v != v {
		return Cell{Number: v}
	}
	return Cell{Level: FormatNumber(v)}
}

// Text reads a text. In a numeric column a text that is not a number, a truth value, a date or a word for
// a missing value, is an error that wraps ErrTable.
func (r *CellReader) Text(c *ColumnSchema, text string) (Cell, error) {
	switch {
	case r.options.IsMissing([]byte(text)):
		return missingCell, nil
	case !utf8.ValidString(text):
		return missingCell, chunk.Errorf("column %q: %q is not UTF-8", c.Name, chunk.Excerpt([]byte(text)))
	case c.Kind == Category && !c.NumericLevels:
		return Cell{Level: text}, nil
	}
	target := r.targets[c.Name]
	v, _, ok := target.ValueOf(text, r.options.Decimal)
	switch {
	case ok:
		return r.Number(c, v), nil
	case c.Kind == Category:
		return Cell{Level: text}, nil
	}
	return missingCell, chunk.Errorf("column %q: %q is not a number, and the model has numbers in this column", c.Name, chunk.Excerpt([]byte(text)))
}

// Integer returns a whole number as a float64. One that float64 cannot hold exactly is an error that
// wraps ErrTable.
func (r *CellReader) Integer(c *ColumnSchema, v int64) (float64, error) {
	f, exact := inmemory.ExactInt(v)
	if !exact {
		return f, chunk.Errorf("column %q: float64 cannot hold %d exactly; give it as text", c.Name, v)
	}
	return f, nil
}
