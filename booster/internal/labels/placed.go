package labels

import (
	"errors"
	"fmt"

	"boost/dataset"
	"boost/objectives"
	"boost/objectives/metrics"
)

// placed is the error of a row that is named by its place in the table.
type placed struct {
	*objectives.RowError
	text string
}

func (p placed) Error() string   { return p.text }
func (p placed) Unwrap() []error { return []error{dataset.ErrTable, p.RowError} }

// Judged returns the weights of a table whose predictions metrics judge, those of the objective where none are named. It checks that they are defined for
// the labels.
func Judged(table *dataset.Table, of dataset.Labels, o objectives.Objective, p objectives.Params, names []string) ([]float64, error) {
	weights, err := table.Weights()
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		names, _ = objectives.DefaultMetrics(o.Name(), o.Link(), p) // none of a caller's own loss
	}
	rows := objectives.Rows{Labels: of.Columns[0], Targets: of.Several(), Weights: weights}
	if err := objectives.CheckJudged(o.Link(), metrics.TellsTwo(names), rows); err != nil {
		return nil, AtRow(table, err)
	}
	return weights, nil
}

// Check checks that an objective, and the metrics that are named, are defined for the rows of a table.
func Check(table *dataset.Table, o objectives.Objective, rows objectives.Rows, names []string) error {
	err := o.Check(rows)
	if err == nil {
		err = objectives.CheckJudged(o.Link(), metrics.TellsTwo(names), rows)
	}
	if err != nil {
		return AtRow(table, err)
	}
	return nil
}

// AtRow puts the location of a refused label or weight before the error.
func AtRow(table *dataset.Table, err error) error {
	if row, ok := errors.AsType[*objectives.RowError](err); ok {
		return placed{row, fmt.Sprintf("%v: %s: %s", dataset.ErrTable, table.Place(row.Row), row.Reason())}
	}
	return fmt.Errorf("%w: %w", dataset.ErrTable, err)
}
