package objectives

import (
	"errors"
	"fmt"
	"math"

	"boost/internal/detmath"
	"boost/internal/kernel/loss"
)

// ErrRows is wrapped by every error that says what is wrong with labels or weights.
var ErrRows = errors.New("rows that the objective cannot train on")

// A RowError names the first row that a loss is not defined for.
type RowError struct {
	Row   int     // number of the row, from 0
	What  string  // "label" or "weight"
	Value float64 // what was found
	Want  string  // what the loss takes
}

func (e *RowError) Error() string {
	return fmt.Sprintf("row %d: %s", e.Row, e.Reason())
}

// Reason is the error without the row.
func (e *RowError) Reason() string { return fmt.Sprintf("%s %v, want %s", e.What, e.Value, e.Want) }

// Unwrap makes errors.Is(err, ErrRows) true.
func (e *RowError) Unwrap() error { return ErrRows }

// mostWeight bounds weights, so that their products with derivatives and what sampling multiplies them by stay far below the largest
// float32, 3.4e38.
const mostWeight = 1e30

// CheckWeights reports rows without weight and the first weight that is none.
func CheckWeights(rows Rows) error {
	if len(rows.Labels) == 0 {
		return fmt.Errorf("%w: there are none", ErrRows)
	}
	if rows.Weights == nil {
		return nil
	}
	if len(rows.Weights) != len(rows.Labels) {
		return fmt.Errorf("%w: %d labels but %d weights", ErrRows, len(rows.Labels), len(rows.Weights))
	}
	positive := false
	for i, w := range rows.Weights {
		if !(w >= 0 && w <= mostWeight) {
			return &RowError{i, "weight", w, "a number from 0 to 1e30 (divide all by one number, and tree.min_child_weight too)"}
		}
		positive = positive || w > 0
	}
	if !positive {
		return fmt.Errorf("%w: all weights are 0", ErrRows)
	}
	return nil
}

// CheckJudged reports the first label with a weight that metrics of a probability, the link's, are not defined for. two is one that tells two
// classes apart, "" where there is none.
func CheckJudged(link Link, two string, rows Rows) error {
	if link != Logistic && link != Softplus {
		return nil
	}
	want := "a chance from 0 to 1"
	if two != "" {
		want = "0 or 1, as metric " + two + " tells two classes apart"
	}
	targets := rows.Targets
	if targets == nil {
		targets = [][]float64{rows.Labels}
	}
	for k, labels := range targets {
		for i, y := range labels {
			if y == 0 || y == 1 || y > 0 && y < 1 && two == "" || rows.Weights != nil && rows.Weights[i] == 0 {
				continue
			}
			what := "label"
			if rows.Targets != nil {
				what = fmt.Sprintf("label %d of %d:", k+1, len(targets))
			}
			return &RowError{i, what, y, want}
		}
	}
	return nil
}

// checkClasses reports the first label that is not a whole number in [0, classes).
func checkClasses(rows Rows, classes int) error {
	if err := CheckWeights(rows); err != nil {
		return err
	}
	for i, y := range rows.Labels {
		if !(y >= 0 && y < float64(classes) && y == math.Floor(y)) {
			return &RowError{i, "label", y, fmt.Sprintf("a class index from 0 to %d", classes-1)}
		}
	}
	return nil
}

// mean returns the weighted mean of the labels: exact sums, rounded once each.
func mean(rows Rows) (float64, error) {
	var sum, weight detmath.Sum
	if rows.Weights == nil {
		loss.AddUp(&sum, rows.Labels)
	}
	for i, w := range rows.Weights {
		sum.AddWeighted(w, rows.Labels[i])
	}
	loss.AddUp(&weight, rows.Weights)
	total := float64(len(rows.Labels))
	if rows.Weights != nil {
		total = weight.Round()
	}
	if !(total > 0) {
		return 0, fmt.Errorf("%w: the weights sum to %v", ErrRows, total)
	}
	return sum.Round() / total, nil
}
