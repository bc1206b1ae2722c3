package dataset

import (
	"fmt"
	"math"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/dictionary"
)

// ClassesOf returns the classes of a label column, those that occur in its rows:
// numbers in ascending order under their shortest decimal names, or texts in byte
// order. numeric tells which.
func ClassesOf(c *Column) (classes []string, numeric bool) {
	classes, numeric, _ = FewClasses(c, math.MaxInt)
	return classes, numeric
}

// FewClasses is ClassesOf for a column that may hold quantities: where it has more than most distinct
// numbers, ok is false and there are no classes.
func FewClasses(c *Column, most int) (classes []string, numeric, ok bool) {
	c = c.dense()
	if !c.kind.Numeric() {
		classes, numeric = dictionary.Classes(c.Codes(), c.Levels(), c.NumericLevels())
		return classes, numeric, true
	}
	numbers := dictionary.NewClassNumbers(most)
	for row := range c.Len() {
		if !numbers.Add(c.number(row)) {
			return nil, true, false
		}
	}
	return numbers.Names(), true, true
}

// EncodeClasses returns the index of every row's label among classes, as ClassesOf
// orders and names them. A label that is missing or no class is an error that
// names the first such row; so is a table without a label column.
func (t *Table) EncodeClasses(classes []string, numeric bool) ([]float64, error) {
	c := t.LabelColumn()
	if c == nil {
		return nil, t.noLabel()
	}
	encoded := make([]float64, t.rows)
	if c.kind.Numeric() {
		if err := t.checkExact(c, "a class"); err != nil {
			return nil, err
		}
		index := dictionary.NewClassIndex(classes, numeric)
		for row := range encoded {
			class, ok := index.Of(c.number(row))
			if !ok {
				return nil, t.badLabel(c, row, classes)
			}
			encoded[row] = class
		}
		return encoded, nil
	}
	byLevel := dictionary.ClassCodes(c.Levels(), classes, numeric)
	for row, code := range c.Codes() {
		if code < 0 || byLevel[code] < 0 {
			return nil, t.badLabel(c, row, classes)
		}
		encoded[row] = byLevel[code]
	}
	return encoded, nil
}

// EncodeLabels returns the labels as training counts them: EncodeClasses, or NumericLabels if classes is nil.
// Where the table has an event column, the labels are times, and those of censored rows are negative: a censored row of time 0
// has -0. A time below 0, and an event that is not 0 or 1, is then an error that names the first such row.
func (t *Table) EncodeLabels(classes []string, numeric bool) ([]float64, error) {
	switch {
	case classes == nil && t.EventColumn() != nil:
		return t.survivalLabels()
	case classes == nil:
		return t.NumericLabels()
	}
	return t.EncodeClasses(classes, numeric)
}

// NumericLabels returns the labels as numbers, for regression. A label that is
// missing, text or infinite is an error that names the first such row; so is a
// table without a label column.
func (t *Table) NumericLabels() ([]float64, error) {
	c := t.LabelColumn()
	if c == nil {
		return nil, t.noLabel()
	}
	return t.numericLabels(c)
}

func (t *Table) numericLabels(c *Column) ([]float64, error) {
	labels := make([]float64, t.rows)
	if c.kind.Numeric() {
		for row := range labels {
			labels[row] = c.number(row)
		}
	} else {
		values := make([]float64, len(c.Levels()))
		for i, level := range c.Levels() {
			v, ok := dictionary.Number(level)
			if !ok {
				v = math.NaN()
			}
			values[i] = v
		}
		for row, code := range c.Codes() {
			labels[row] = math.NaN()
			if code >= 0 {
				labels[row] = values[code]
			}
		}
	}
	for row, v := range labels {
		if v != v || math.IsInf(v, 0) {
			fix := `set train.objective = "multiclass" for classes`
			switch {
			case v == v:
				fix = "leave the row out, or give the largest number that can be"
			case c.cell(row) == "":
				fix = `fill it in, or set on_bad_row = "skip" to leave such rows out`
			}
			return nil, t.badNumber(c, row, "a finite number, which the label of a regression has to be", fix)
		}
	}
	return labels, nil
}

// Weights returns the row weights, or nil if the table has no weight column. A
// weight that is missing, negative or infinite is an error that names its row.
func (t *Table) Weights() ([]float64, error) {
	c := t.withRole(WeightRole)
	if c == nil {
		return nil, nil
	}
	weights := make([]float64, t.rows)
	for row := range weights {
		w := math.NaN()
		if c.kind.Numeric() {
			w = c.number(row)
		}
		if !(w >= 0) || math.IsInf(w, 0) {
			return nil, t.badNumber(c, row, "a weight: a finite number of at least 0", "")
		}
		weights[row] = w
	}
	return weights, nil
}

func (t *Table) noLabel() error {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	return chunk.Errorf("the table has no label column; its columns are %s", chunk.NameList(names, 20))
}

func (t *Table) badLabel(c *Column, row int, classes []string) error {
	e := t.badNumber(c, row, "a class", "")
	if e.Value != "" {
		e.Want = fmt.Sprintf("one of the classes %s", chunk.NameList(classes, 10))
	}
	return e
}

// badNumber describes the cell of a row as its column now holds it.
func (t *Table) badNumber(c *Column, row int, want, fix string) *ParseError {
	e := &ParseError{Column: c.name, Value: c.cell(row), Want: want, Fix: fix}
	t.locations.Mark(e, row)
	return e
}

// cell returns the text of a row's value, empty where missing.
func (c *Column) cell(row int) string {
	switch {
	case c.kind.Numeric():
		if v := c.number(row); v == v {
			return FormatNumber(v)
		}
		return ""
	case c.kind == Category:
		if code := c.Codes()[row]; code >= 0 {
			return chunk.Excerpt([]byte(c.Levels()[code]))
		}
		return ""
	}
	return chunk.Excerpt([]byte(c.Text(row)))
}
