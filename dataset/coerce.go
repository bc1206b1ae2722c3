package dataset

import (
	"math"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/dictionary"
	"boost/dataset/internal/libsvm"
)

// As returns the table as a model with the given schema sees it: the schema's
// columns in its order, found by name, and the table's id columns. What already
// matches is shared, not copied. How its text was written stays the table's own, and so do the words for missing values: numbers among
// those of the model (Missing) are numbers here, where the table was not read with As(s) or with these words. The label and the weight may be absent. A
// feature that is absent, or whose values cannot be brought into the schema's
// kind exactly, is an error that wraps ErrTable and names the column.
func (t *Table) As(s Schema) (*Table, error) {
	o := &chunk.Options{Schema: &s, Dialect: chunk.Dialect{Decimal: '.'}}
	most := max(len(t.columns), len(s.Columns))
	names, inputs := make([]string, 0, most), make([]*Column, 0, most)
	for _, c := range t.columns {
		if t.Crossed(c) == nil && (c.role != IDRole || t.onlyID(c.name)) {
			names, inputs = append(names, c.name), append(inputs, c)
		}
		if c.role == IDRole {
			o.IDs = append(o.IDs, c.name)
		}
	}
	for i := range s.Columns {
		if c := &s.Columns[i]; t.implies(c) {
			names, inputs = append(names, c.Name), append(inputs, sparseColumn(c.Name, Feature, t.rows, t.absent))
		}
	}
	targets, err := o.Resolve(names)
	if err != nil {
		return nil, err
	}
	coerced := *t
	coerced.columns, coerced.index = make([]*Column, 0, len(targets)), new(nameIndex)
	coerced.forms, coerced.crossed, coerced.dates = nil, nil, nil
	if t.written == nil {
		coerced.written = &s.Written
	}
	for i := range s.Columns {
		c := &s.Columns[i]
		if c.Dates {
			coerced.dates = append(coerced.dates, c.Name)
		}
		if c.Written != "" {
			if coerced.forms == nil {
				coerced.forms = make(map[string]string)
			}
			coerced.forms[c.Name] = c.Written
		}
	}
	for _, target := range targets {
		c := inputs[target.Source]
		if target.Role == IDRole {
			if c = t.idColumn(target.Name); c == nil {
				continue // the model's id columns are of no use here
			}
		} else if target.Role == GroupRole {
			if c, err = c.group(target.Name); err != nil {
				return nil, err
			}
		} else if c, err = t.conform(c, target.Schema); err != nil {
			return nil, err
		}
		coerced.columns = append(coerced.columns, c)
	}
	NewCrosser(s).addTo(&coerced)
	return &coerced, nil
}

// group returns the column as the one that names the queries.
func (c *Column) group(name string) (*Column, error) {
	if c.kind == Text {
		return nil, chunk.Errorf("column %q was read as an id, the model has it as the group; read the table with dataset.As(model.Schema())", name)
	}
	return c.as(name, GroupRole), nil
}

// implies reports whether the table has a feature without storing any of its cells: that
// of a LibSVM file with an index beyond those that its rows name.
func (t *Table) implies(c *ColumnSchema) bool {
	if t.absent == nil || c.Role != Feature || t.Column(c.Name) != nil {
		return false
	}
	_, ok := libsvm.FeatureIndex(c.Name)
	return ok
}

// onlyID reports whether the name belongs to an id column and to no other.
func (t *Table) onlyID(name string) bool {
	for _, c := range t.columns {
		if c.name == name && c.role != IDRole {
			return false
		}
	}
	return true
}

func (t *Table) idColumn(name string) *Column {
	for _, c := range t.columns {
		if c.name == name && c.role == IDRole {
			return c
		}
	}
	return nil
}

// conform brings a column into the kind, role and dictionary of a schema's column.
func (t *Table) conform(c *Column, s *ColumnSchema) (*Column, error) {
	switch {
	case c.kind == Text:
		return nil, chunk.Errorf("column %q was read as an id, the model has it as a %s; read the table with dataset.As(model.Schema())",
			s.Name, s.Role)
	case s.Kind == Category && c.kind == Category:
		return t.conformLevels(c, s)
	case s.Kind == Category:
		return t.numbersToLevels(c, s)
	case c.kind == Category:
		return t.levelsToNumbers(c, s)
	}
	return c.as(s.Name, s.Role), nil
}

func (t *Table) conformLevels(c *Column, s *ColumnSchema) (*Column, error) {
	if c.NumericLevels() == s.NumericLevels && startsWith(c.Levels(), s.Levels) {
		return c.as(s.Name, s.Role), nil
	}
	if c.NumericLevels() && !s.NumericLevels && c.missing < t.rows {
		return nil, chunk.Errorf("the levels of column %q were read as numbers, the model has them as text; read the table with dataset.As(model.Schema())", s.Name)
	}
	codes, levels := dictionary.OfSchema(append([]int32(nil), c.Codes()...), c.Levels(), s, '.')
	return categoryColumn(s.Name, s.Role, codes, levels, s.NumericLevels), nil
}

func startsWith(levels, prefix []string) bool {
	if len(levels) < len(prefix) {
		return false
	}
	for i, level := range prefix {
		if levels[i] != level {
			return false
		}
	}
	return true
}

// numbersToLevels names numbers by their shortest decimal form. The texts behind
// them are lost, so levels that are compared by their bytes cannot be found.
func (t *Table) numbersToLevels(c *Column, s *ColumnSchema) (*Column, error) {
	if !s.NumericLevels && c.missing < t.rows {
		return nil, chunk.Errorf("column %q was read as numbers, the model has it as text; read the table with dataset.As(model.Schema())", s.Name)
	}
	c = c.dense()
	codes := make([]int32, t.rows)
	index := make(map[float64]int32)
	var levels []string
	for row := range codes {
		v := c.number(row)
		if v != v {
			codes[row] = chunk.MissingCode
			continue
		}
		code, ok := index[v]
		if !ok {
			code = int32(len(levels))
			index[v] = code
			levels = append(levels, FormatNumber(v))
		}
		codes[row] = code
	}
	codes, levels = dictionary.OfSchema(codes, levels, s, '.')
	return categoryColumn(s.Name, s.Role, codes, levels, s.NumericLevels), nil
}

func (t *Table) levelsToNumbers(c *Column, s *ColumnSchema) (*Column, error) {
	numbers, odd := make([]float64, len(c.Levels())), make([]bool, len(c.Levels()))
	for i, level := range c.Levels() {
		number, ok := dictionary.SchemaNumber(level, s)
		numbers[i], odd[i] = number, !ok
	}
	values := make([]float64, t.rows)
	for row, code := range c.Codes() {
		switch {
		case code < 0:
			values[row] = math.NaN()
		case odd[code]:
			return nil, t.badNumber(c, row, "a number, and the model has numbers in this column",
				"read the table with dataset.As(model.Schema()) and leave the column out of dataset.Categorical")
		default:
			values[row] = numbers[code]
		}
	}
	return numberColumn(s.Name, s.Role, values), nil
}
