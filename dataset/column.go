package dataset

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// Kind says how a column's values are held.
type Kind uint8

// The kinds of columns.
const (
	Float32  Kind = iota // numbers that are all exact in float32; NaN is missing
	Float64              // numbers; NaN is missing
	Category             // text or number levels, as indices into a dictionary
	Text                 // plain text of an id column, passed through to predictions
)

// Column is one named column of a Table. It is immutable.
type Column struct {
	name    string
	kind    Kind
	role    Role
	array   arrow.Array // Float32, Float64, Dictionary(Int32, String) or String
	levels  []string    // Category: the dictionary, in row order of first appearance
	missing int         // number of missing rows
}

// Name returns the column's name as it stands in the header.
func (c *Column) Name() string { return c.name }

// Kind returns how the values are held.
func (c *Column) Kind() Kind { return c.kind }

// Role returns what the column is for.
func (c *Column) Role() Role { return c.role }

// Len returns the number of rows.
func (c *Column) Len() int { return c.array.Len() }

// Missing returns the number of rows without a value.
func (c *Column) Missing() int { return c.missing }

// Array returns the Arrow array behind the column.
func (c *Column) Array() arrow.Array { return c.array }

// Float32s returns the values of a Float32 column, one per row, NaN where missing.
// The slice is the column's own memory and must not be changed.
func (c *Column) Float32s() []float32 { return c.array.(*array.Float32).Float32Values() }

// Float64s returns the values of a Float64 column, one per row, NaN where missing.
func (c *Column) Float64s() []float64 { return c.array.(*array.Float64).Float64Values() }

// Codes returns the dictionary indices of a Category column, one per row, -1 where missing.
func (c *Column) Codes() []int32 {
	return c.array.(*array.Dictionary).Indices().(*array.Int32).Int32Values()
}

// Levels returns the dictionary of a Category column. In a table read with a
// model's schema the model's levels come first, in the model's order, and levels
// that the model has not seen follow.
func (c *Column) Levels() []string { return c.levels }
