package booster

import (
	"fmt"

	"boost/dataset"
)

// initScores returns the raw scores that a table gives its rows to start from,
// output-major as the trainer keeps scores, or nil where it gives none.
func (t *trainer) initScores(table *dataset.Table) ([]float64, error) {
	given, outputs, err := table.InitScores()
	if err != nil || outputs == 0 {
		return nil, err
	}
	if outputs != t.outputs {
		return nil, fmt.Errorf("%w: the number of init score columns is %d, objective %s needs %d, one per output",
			dataset.ErrTable, outputs, t.p.Objective, t.outputs)
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

// startScores sets the raw scores of rows before the first round: their init scores,
// or the base score of each output.
func startScores(scores, initial, base []float64) {
	if initial != nil {
		copy(scores, initial)
		return
	}
	fillBase(scores, base)
}

// baseScore settles what a row's raw score starts from where it has no init score: the
// objective's base score, or 0 in training from init scores, or that of the base model.
func (t *trainer) baseScore() (err error) {
	if t.from != nil {
		t.base = t.from.Contents().BaseScore
		return nil
	}
	if t.initial != nil {
		t.base = make([]float64, t.outputs)
		return nil
	}
	if t.base, err = t.target.objective.BaseScore(t.rows); err != nil {
		return fmt.Errorf("%w: %w", dataset.ErrTable, err)
	}
	return nil
}

// setInitScores gives a validation set its own init scores.
func (t *trainer) setInitScores(s *evalSet, table *dataset.Table) (err error) {
	if t.initial == nil {
		return nil
	}
	if s.initial, err = t.initScores(table); err == nil && s.initial == nil {
		t.log.Warn("training starts from init scores, and this set has none: its scores start from 0", "set", s.name)
	}
	return err
}
