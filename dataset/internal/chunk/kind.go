package chunk

import (
	"fmt"
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

var kindNames = [...]string{"float32", "float64", "category", "text"}

// String returns "float32", "float64", "category" or "text".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Numeric reports whether values of the kind are numbers.
func (k Kind) Numeric() bool { return k == Float32 || k == Float64 }
