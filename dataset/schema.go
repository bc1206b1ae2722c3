package dataset

import (
	"boost/dataset/internal/chunk"

	"boost/dataset/internal/plain"
)

// Role is what a column is for.
type Role = chunk.Role

// The roles of columns.
const (
	Feature       = chunk.Feature
	LabelRole     = chunk.LabelRole
	WeightRole    = chunk.WeightRole
	IDRole        = chunk.IDRole
	GroupRole     = chunk.GroupRole     // the query that a row belongs to
	InitScoreRole = chunk.InitScoreRole // the raw score that training starts from, one column per output
	EventRole     = chunk.EventRole     // whether the event came at the row's time
	PositionRole  = chunk.PositionRole  // where the row was shown in its query
	UpperRole     = chunk.UpperRole     // the time up to which an event came, where the label is the one from which on
)

// Kind is how a column's values are held.
type Kind = chunk.Kind

// The kinds of columns.
const (
	Float32  = chunk.Float32  // numbers that are all exact in float32; NaN is missing
	Float64  = chunk.Float64  // numbers; NaN is missing
	Category = chunk.Category // text or number levels, as indices into a dictionary
	Text     = chunk.Text     // plain text of an id column, passed through to predictions
)

// Schema describes the columns a model was trained on, in table order, without ignored
// columns. It is stored in the model. A table that is read with As(schema) has its columns matched
// by name, and its types taken from the schema.
type Schema = chunk.Schema

// Written is how the text of a table was written, as far as it is not the usual way. A schema keeps it: a table that is
// read with As is read so, unless an option says another way.
type Written = chunk.Written

// ColumnSchema describes one column: Name, Role, Kind, and for a Category column its Levels and whether
// they are NumericLevels.
type ColumnSchema = chunk.ColumnSchema

// Sparse holds the stored cells of a sparse numeric column: Rows in ascending order, F32 or F64 with one
// value each. All other rows have the value Fill.
type Sparse = chunk.Sparse

// RowChooser chooses some rows of a table while it passes by, as binning.Sample does.
type RowChooser = chunk.RowChooser

// FormatNumber returns the shortest decimal form that reads back as v: "1", "0.1", "-2.5", with an exponent
// below 1e-6 and from 1e21 on. −0 is "0". Classes and levels have these names.
func FormatNumber(v float64) string { return plain.FormatNumber(v) }

// SecondsOf returns the seconds since 1970 UTC of an ISO 8601 date or time, as numeric columns have them.
func SecondsOf(date string) (seconds float64, ok bool) { return plain.ParseDate([]byte(date)) }
