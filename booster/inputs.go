package booster

import (
	"fmt"
	"math"

	"boost/dataset"
)

// inputs are the sets of rows of a run.
type inputs struct {
	train   source     // the rows that are trained on
	whole   source     // the table that these are of
	valid   []validSet // judged on
	given   []validSet // of these, the sets that are not held out of whole
	schema  dataset.Schema
	inFiles bool // the training rows stay in files
}

// open checks that a table can be trained on, and brings it to the columns of the base model.
func (r *run) open(train source) (*inputs, error) {
	if r.baseModel != nil {
		var err error
		if train, err = follow(train, r.baseModel, "the base model"); err != nil {
			return nil, err
		}
	}
	switch n := train.metaColumns().NumRows(); {
	case n == 0:
		return nil, fmt.Errorf("%w: no rows to train on", dataset.ErrTable)
	case n > math.MaxInt32:
		return nil, fmt.Errorf("%w: %d rows; at most %d can be trained on", dataset.ErrTable, n, math.MaxInt32)
	}
	return &inputs{train: train, whole: train, valid: r.valid, given: r.valid, schema: train.schema(), inFiles: train.files() != nil}, nil
}
