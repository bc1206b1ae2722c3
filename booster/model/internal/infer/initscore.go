package infer

import (
	"fmt"

	"boost/dataset"
)

// FromInitScores reports whether the model was trained from init scores.
func (h *Head) FromInitScores() bool {
	for i := range h.contents.Schema.Columns {
		if h.contents.Schema.Columns[i].Role == dataset.InitScoreRole {
			return true
		}
	}
	return false
}

// LacksInitScores reports whether the model was trained from init scores and the table has none.
func (h *Head) LacksInitScores(t *dataset.Table) bool {
	if !h.FromInitScores() {
		return false
	}
	for _, c := range t.Columns() {
		if c.Role() == dataset.InitScoreRole {
			return false
		}
	}
	return true
}

// initScores returns the table's init scores, rows × outputs, or nil.
func (h *Head) initScores(t *dataset.Table) ([]float64, error) {
	scores, outputs, err := t.InitScores()
	if err != nil {
		return nil, err
	}
	if outputs != 0 && outputs != h.contents.Outputs {
		return nil, fmt.Errorf("%w: the table has %d of the %d init score columns that the model was trained from", dataset.ErrTable, outputs, h.contents.Outputs)
	}
	return scores, nil
}
