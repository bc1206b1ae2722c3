package chunk

import (
	"fmt"
	"slices"

	"boost/dataset/internal/plain"
)

// Role says what a column is for.
type Role uint8

// The roles of columns.
const (
	Feature Role = iota
	LabelRole
	WeightRole
	IDRole
	GroupRole     // the query that a row belongs to
	InitScoreRole // the raw score that training starts from, one column per output
	EventRole     // whether the event came at the row's time
	UpperRole     // the time up to which an event came, where the label is the one from which on
	PositionRole  // where the row was shown in its query
)

var roleNames = [...]string{"feature", "label", "weight", "id", "group", "init_score", "event", "label_upper", "position"}

// String returns "feature", "label", "weight", "id", "group", "init_score", "event", "label_upper" or "position".
func (r Role) String() string {
	if int(r) < len(roleNames) {
		return roleNames[r]
	}
	return fmt.Sprintf("Role(%d)", uint8(r))
}

// Schema describes the columns a model was trained on, in table order, ignored
// columns left out. It is stored in the model; a table read with As(schema) has
// its columns matched by name and its types taken from here, not inferred.
type Schema struct {
	Columns []ColumnSchema `json:"columns"`
	Written Written        `json:"written,omitzero"`
}

// ColumnSchema describes one column.
type ColumnSchema struct {
	Name string `json:"name"`
	Role Role   `json:"role"`
	Kind Kind   `json:"kind"`
	// Levels is the dictionary of a Category column; queries are no levels, and a column
	// of text that names them has none here.
	Levels []string `json:"levels,omitempty"`
	// NumericLevels reports whether levels are compared by value: 1, 1.0, 01 and true are "1".
	NumericLevels bool `json:"numeric_levels,omitempty"`
	// Written is the form in which numbers and dates were written where that is not the plain one, as
	// an example such as "1,234.5 $"; see Parse.
	Written string `json:"written,omitempty"`
	// Dates reports whether the numbers were dates or times, in seconds since 1970 UTC.
	Dates bool `json:"dates,omitempty"`
	// Crossed names the column whose values, or the two whose pairs of values, are the levels of this one, which tables
	// do not hold.
	Crossed []string `json:"crossed,omitempty"`
}

// Inputs returns the schema less the columns that predictions do not need: labels, with what belongs to them, and weights.
func (s Schema) Inputs() Schema {
	s.Columns = slices.DeleteFunc(slices.Clone(s.Columns), func(c ColumnSchema) bool {
		return c.Role == LabelRole || c.Role == UpperRole || c.Role == EventRole || c.Role == WeightRole
	})
	return s
}

// CrossedFeatures returns of how many columns each feature, in order, is made, 0 for one of its own.
func (s *Schema) CrossedFeatures() (crossed []int) {
	for i := range s.Columns {
		if c := &s.Columns[i]; c.Role == Feature {
			crossed = append(crossed, len(c.Crossed))
		}
	}
	return crossed
}

// HasLevel reports whether a text is a level or class of any column, spaces around the
// level not counting, so training cannot have taken the text for a missing value.
func (s *Schema) HasLevel(text string) bool {
	for i := range s.Columns {
		if slices.ContainsFunc(s.Columns[i].Levels, func(level string) bool { return string(plain.Trim([]byte(level))) == text }) {
			return true
		}
	}
	return false
}

// named returns the schema's column of that name that is not an id, or nil.
func (s *Schema) named(name string) *ColumnSchema {
	for i := range s.Columns {
		if s.Columns[i].Name == name && s.Columns[i].Role != IDRole {
			return &s.Columns[i]
		}
	}
	return nil
}

// PutBlanks gives names that were read without the blanks around them those of the schema's columns that have some.
func (s *Schema) PutBlanks(names []string) {
	for i := range s.Columns {
		name := s.Columns[i].Name
		bare := TrimText(name)
		if bare == name || slices.Contains(names, name) || s.named(bare) != nil {
			continue
		}
		if at := slices.Index(names, bare); at >= 0 {
			names[at] = name
		}
	}
}

// RoleNames returns the names of the columns of a role, in order.
func (s *Schema) RoleNames(role Role) []string {
	var names []string
	for i := range s.Columns {
		if s.Columns[i].Role == role {
			names = append(names, s.Columns[i].Name)
		}
	}
	return names
}
