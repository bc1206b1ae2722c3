package write

import (
	"math"
	"strconv"
)

// Column is one column: texts, numbers, or levels by their codes.
type Column struct {
	Name string

	Texts []string // by row; "" is none

	// Floats and Ints hold numbers, those of several columns side by side: the number of a row stands at
	// row·Stride + At. A stride of 0 is 1.
	Floats []float64
	Ints   []int32
	Stride int
	At     int

	Codes         []int32 // by row, into Levels; -1 is none
	Levels        []string
	NumericLevels bool

	Whole bool // all texts, or levels, are whole numbers: see ResolveWhole
}

// Table is columns of so many rows each.
type Table struct {
	Columns []Column
	Rows    int
}

// Names returns the names of columns.
func Names(columns []Column) []string {
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].Name
	}
	return names
}

// columnType is what a column is in a format that has types.
type columnType uint8

const (
	floatType columnType = iota // float64
	int32Type                   // int32
	int64Type                   // int64, missing where there is no id
	textType                    // text, missing where there is no id
)

func (c *Column) typ() columnType {
	switch {
	case c.Ints != nil:
		return int32Type
	case c.Whole:
		return int64Type
	case c.Texts != nil, c.Codes != nil && !c.NumericLevels:
		return textType
	}
	return floatType
}

// float returns the cell of an floatType column.
func (c *Column) float(row int) float64 {
	if c.Codes == nil {
		return c.Floats[c.place(row)]
	}
	v, err := strconv.ParseFloat(c.level(row), 64)
	if err != nil { // no level
		return math.NaN()
	}
	return v
}

// int returns the cell of an int32Type column.
func (c *Column) int(row int) int32 { return c.Ints[c.place(row)] }

// place returns where the number of a row stands.
func (c *Column) place(row int) int { return row*max(c.Stride, 1) + c.At }

// text returns the cell of an textType or int64Type column as it is written out; "" is none.
func (c *Column) text(row int) string {
	if c.Texts != nil {
		return c.Texts[row]
	}
	return c.level(row)
}

// level returns the text of a row's level, "" where it has none.
func (c *Column) level(row int) string {
	if code := c.Codes[row]; code >= 0 {
		return c.Levels[code]
	}
	return ""
}

// wholeNumber returns the cell of an int64Type column, and whether there is one.
func (c *Column) wholeNumber(row int) (int64, bool) {
	v, err := strconv.ParseInt(c.text(row), 10, 64)
	return v, err == nil
}
