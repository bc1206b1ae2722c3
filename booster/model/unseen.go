package model

import (
	"boost/binning"
	"boost/dataset"
)

// Unseen says what of one categorical column the model has not seen in training.
type Unseen = binning.Unseen

// Unseen returns, for each categorical feature of a table that has such rows, how
// many of them have a level that the trees have not seen: one that is not in the
// model's dictionary, or that stood only in rows held out of training. Predictions
// take such a level for a missing value. Neither the table nor the model is changed.
// Errors are those of Predict.
func (m *Model) Unseen(t *dataset.Table) ([]Unseen, error) {
	t, err := t.As(m.contents.Schema)
	if err != nil {
		return nil, err
	}
	return m.contents.Cuts.Unseen(t)
}
