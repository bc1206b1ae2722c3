package booster

import (
	"fmt"

	"boost/dataset"
)

// initScores returns the raw scores that a table gives its rows to start from,
// output-major, or nil where it gives none. objective names the loss in errors.
func initScores(table *dataset.Table, objective string, outputs int) ([]float64, error) {
	given, columns, err := table.InitScores()
	if err != nil || columns == 0 {
		return nil, err
	}
	if columns != outputs {
		return nil, fmt.Errorf("%w: the number of init score columns is %d, objective %s needs %d, one per output",
			dataset.ErrTable, columns, objective, outputs)
	}
	n := table.NumRows()
	scores := make([]float64, len(given))
	for row := range n {
		for k := range outputs {
			scores[k*n+row] = given[row*outputs+k]
		}
	}
	return scores, nil
}

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
