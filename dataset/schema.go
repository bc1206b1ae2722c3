package dataset

// Role says what a column is for.
type Role uint8

// The roles of columns.
const (
	Feature Role = iota
	LabelRole
	WeightRole
	IDRole
)

// Schema describes the columns a model was trained on, in table order, ignored
// columns left out. It is stored in the model; a table read with As(schema) has
// its columns matched by name and its types taken from here, not inferred.
type Schema struct {
	Columns []ColumnSchema `json:"columns"`
}

// ColumnSchema describes one column.
type ColumnSchema struct {
	Name string `json:"name"`
	Role Role   `json:"role"`
	Kind Kind   `json:"kind"`
	// Levels is the dictionary of a Category column.
	Levels []string `json:"levels,omitempty"`
	// NumericLevels says that levels are compared by value: 1, 1.0 and 01 are "1".
	NumericLevels bool `json:"numeric_levels,omitempty"`
}
