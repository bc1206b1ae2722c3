package labels

import (
	"fmt"

	"boost/dataset"
)

// InitScores returns the raw scores that a table gives its rows to start from,
// output-major, or nil where it gives none. objective names the loss in errors.
func InitScores(table *dataset.Table, objective string, outputs int) ([]float64, error) {
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
