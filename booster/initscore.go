package booster

import (
	"fmt"

	"boost/dataset"
)

// baseScore returns what a row's raw score starts from where it has no init score: the
// objective's base score, or 0 in training from init scores, or that of the base model.
func (r *run) baseScore(ex *examples) ([]float64, error) {
	if r.baseModel != nil {
		return r.baseModel.Contents().BaseScore, nil
	}
	if ex.initial != nil {
		return make([]float64, ex.outputs), nil
	}
	base, err := ex.objective.BaseScore(ex.Rows)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", dataset.ErrTable, err)
	}
	return base, nil
}
