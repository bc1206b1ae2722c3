package dataset

import (
	"maps"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/array"

	"boost/dataset/internal/crossed"
)

// CrossedName returns the name of a crossed column of two others, and of one that is of a single column: of its counts.
func CrossedName(of ...string) string {
	if len(of) == 1 {
		return "count(" + of[0] + ")"
	}
	return crossed.Name(crossed.Text(of[0]), crossed.Text(of[1]))
}

// OrderedName returns the name of the column of one feature whose levels are put in the order of their share of a class, "" =
// of their mean label.
func OrderedName(of, class string) string {
	if class == "" {
		return "mean(" + of + ")"
	}
	return "share(" + of + ", " + class + ")"
}

// CrossedColumn is a column that is made of others: its levels are the values of one feature, or the pairs of two.
type CrossedColumn = crossed.Column

// CrossedLevel returns the level of a crossed column that the cells of its columns are: a missing one counts as a value.
func CrossedLevel(of ...Cell) string {
	texts := make([]string, len(of))
	for i, c := range of {
		texts[i] = c.crossedText()
	}
	return crossed.Name(texts...)
}

func (c Cell) crossedText() string {
	switch {
	case c.Level != "":
		return crossed.Text(c.Level)
	case c.Number != c.Number:
		return crossed.Missing
	}
	return FormatNumber(c.Number)
}

// Crossed returns the names of the columns whose values or pairs of values are the levels of a feature, nil for one of
// its own.
func (t *Table) Crossed(c *Column) []string {
	if len(t.crossed) == 0 || c.role != Feature {
		return nil
	}
	return t.crossed[c.name]
}

// Cross returns the table with crossed columns behind its others, as features. A name that a column has already is an error.
func (t *Table) Cross(columns []CrossedColumn) (*Table, error) {
	if err := crossed.Check(columns, func(name string) bool { return t.Column(name) != nil }); err != nil {
		return nil, err
	}
	wider := *t
	wider.columns, wider.index, wider.crossed = slices.Clone(t.columns), new(nameIndex), maps.Clone(t.crossed)
	values := crossed.NewColumns(t.crossedValues)
	for _, c := range columns {
		codes, levels := crossed.Fit(values.Of(c.Of))
		wider.addCrossed(c.Of, categoryColumn(c.Name, Feature, codes, levels, false))
	}
	return &wider, nil
}

// Crosser adds the crossed columns of a schema to tables that have its other columns.
type Crosser struct {
	schema  *Schema
	columns []crossing
}

type crossing struct {
	*ColumnSchema
	index crossed.Index // of its levels
	texts *array.String
}

// NewCrosser is for tables of a schema.
func NewCrosser(s Schema) *Crosser {
	c := &Crosser{schema: &s}
	for i := range s.Columns {
		if column := &s.Columns[i]; column.Crossed != nil {
			c.columns = append(c.columns, crossing{column, crossed.NewIndex(column.Levels), levelArray(column.Levels)})
		}
	}
	return c
}

// Cross returns a table with the crossed columns, in the order of the schema. Levels that the schema does not name are missing.
func (c *Crosser) Cross(t *Table) *Table {
	wider := *t
	wider.columns, wider.index, wider.crossed = slices.Clone(t.columns), new(nameIndex), nil
	c.addTo(&wider)
	return &wider
}

func (c *Crosser) addTo(t *Table) {
	if len(c.columns) == 0 {
		return
	}
	values := crossed.NewColumns(t.crossedValues)
	for i := range c.columns {
		of := &c.columns[i]
		t.addCrossed(of.Crossed, codedColumn(of.Name, Feature, crossed.As(values.Of(of.Crossed), of.index), of.Levels, of.texts, false))
	}
	t.orderAs(c.schema)
}

// orderAs puts the columns of a schema into its order, and others behind them.
func (t *Table) orderAs(s *Schema) {
	type named struct {
		name string
		isID bool
	}
	place := make(map[named]int, len(s.Columns))
	for i, c := range s.Columns {
		place[named{c.Name, c.Role == IDRole}] = i
	}
	of := func(c *Column) int {
		if at, ok := place[named{c.name, c.role == IDRole}]; ok {
			return at
		}
		return len(s.Columns)
	}
	slices.SortStableFunc(t.columns, func(a, b *Column) int { return of(a) - of(b) })
}

func (t *Table) addCrossed(of []string, column *Column) {
	if t.crossed == nil {
		t.crossed = map[string][]string{}
	}
	t.crossed[column.name] = of
	t.columns = append(t.columns, column)
}

// Few returns the values of a feature in some rows, nil for all, as numbers from 0 on, and how many there are: the levels of
// a category, or the different numbers if they are at most most; else ok is false. A missing value counts as one.
func (c *Column) Few(rows []int32, most int) (codes []int32, n int, ok bool) {
	if rows != nil {
		c = c.dense().take(rows)
	}
	v, ok := c.crossedValues(most)
	return v.Codes, v.N, ok
}

func (c *Column) crossedValues(most int) (crossed.Values, bool) {
	if c.kind == Category {
		return crossed.Levels(c.Codes(), c.Levels(), c.missing), true
	}
	return crossed.Numbers(c.Len(), c.dense().number, most)
}

func (t *Table) crossedValues(column string) crossed.Values {
	values, _ := t.Column(column).crossedValues(0)
	return values
}
