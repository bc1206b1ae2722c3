package dictionary

import (
	"boost/dataset/internal/chunk"
	"boost/dataset/internal/plain"
	"boost/dataset/internal/written"
)

// Number reads a level that is a number, a truth value or a date.
func Number(level string) (float64, bool) {
	v, _, ok := plain.ParseValue([]byte(level), '.')
	return v, ok
}

// IsDate reports whether a level is a date.
func IsDate(level string) bool {
	_, date, ok := plain.ParseValue([]byte(level), '.')
	return date && ok
}

// SchemaNumber reads a level as a number of a schema's column.
func SchemaNumber(level string, s *chunk.ColumnSchema) (float64, bool) {
	if s.Written != "" {
		if f, err := written.ParseForm(s.Written); err == nil {
			if v, ok := f.Parse(level); ok {
				return v, true
			}
		}
	}
	return Number(level)
}
