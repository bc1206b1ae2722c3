package labels

import (
	"errors"
	"fmt"

	"boost/dataset"
	"boost/objectives"
)

// placed is the error of a row that is named by its place in the table.
type placed struct {
	*objectives.RowError
	text string
}

func (p placed) Error() string   { return p.text }
func (p placed) Unwrap() []error { return []error{dataset.ErrTable, p.RowError} }

// AtRow puts the location of a refused label or weight before the error.
func AtRow(table *dataset.Table, err error) error {
	if row, ok := errors.AsType[*objectives.RowError](err); ok {
		return placed{row, fmt.Sprintf("%v: %s: %s", dataset.ErrTable, table.Place(row.Row), row.Reason())}
	}
	return fmt.Errorf("%w: %w", dataset.ErrTable, err)
}
