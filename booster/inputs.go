package booster

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"boost/dataset"
	"boost/gradients"
	"boost/objectives"
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

// examples are what is learned from: the target, and of each training row what is known beside its
// features.
type examples struct {
	*target
	objectives.Rows
	n       int       // rows
	initial []float64 // init scores, output-major; nil without
	storing gradients.Settings
}

// examples finds what is to be learned from the training rows, after rows were held out for early
// stopping.
func (r *run) examples(in *inputs) (*examples, error) {
	table := in.train.metaColumns()
	target, err := r.target(in, table)
	if err != nil {
		return nil, err
	}
	if err := r.refuse(in, target, table.NumRows()); err != nil {
		return nil, err
	}
	labels, err := target.labels(table)
	if err != nil {
		return nil, err
	}
	if value := labels[0]; target.classes == nil && !slices.ContainsFunc(labels, func(v float64) bool { return v != value }) {
		r.log.Warn("every row has the same label: so will every prediction", "label", value)
	}
	r.usePool(table.NumRows() * featureCount(in.schema) * target.outputs)
	if r.p.EarlyStopping > 0 && len(in.valid) == 0 {
		if labels, err = r.holdOut(in, target, labels); err != nil {
			return nil, err
		}
		table = in.train.metaColumns()
	}
	ex, err := newExamples(target, table, labels, r.p.Objective)
	if err != nil {
		return nil, err
	}
	ex.storing, err = r.chooseGradients(ex.n, target.outputs, in.inFiles)
	return ex, err
}

// newExamples takes what is known of the rows from a table, and checks it. objective names the loss in
// errors.
func newExamples(target *target, table *dataset.Table, labels []float64, objective string) (*examples, error) {
	weights, err := table.Weights()
	if err != nil {
		return nil, err
	}
	initial, err := initScores(table, objective, target.outputs)
	if err != nil {
		return nil, err
	}
	ex := &examples{target: target, Rows: objectives.Rows{Labels: labels, Weights: weights}, n: table.NumRows(), initial: initial}
	if err := target.objective.Check(ex.Rows); err != nil {
		return nil, atRow(table, err)
	}
	return ex, nil
}

// refuse returns early why a run cannot succeed, nil if it may.
func (r *run) refuse(in *inputs, target *target, rows int) error {
	if r.p.EarlyStopping > 0 && len(in.valid) == 0 {
		rows -= rows/10 + 1 // they may be held out
	}
	if err := r.p.memoryLimit().check(leastMemory(&r.p, rows, target.outputs)); err != nil {
		return err
	}
	if in.inFiles && r.p.Gradients == gradients.F32.String() {
		return errFloatsInFiles(`"f32"`)
	}
	if featureCount(in.schema) == 0 {
		return fmt.Errorf("%w: no feature columns are left beside the label (columns are %s)", dataset.ErrTable, columnNames(in.schema))
	}
	return nil
}

// atRow puts the location of a refused label or weight before the error.
func atRow(table *dataset.Table, err error) error {
	var row *objectives.RowError
	if errors.As(err, &row) {
		return fmt.Errorf("%w: %s: %w", dataset.ErrTable, table.Place(row.Row), err)
	}
	return fmt.Errorf("%w: %w", dataset.ErrTable, err)
}

// holdOut splits off the rows that early stopping is judged on, as the set "valid", and returns the
// labels of the others.
func (r *run) holdOut(in *inputs, target *target, labels []float64) ([]float64, error) {
	groups, err := in.train.metaColumns().Groups()
	if err != nil {
		return nil, err
	}
	train, held := holdout(labels, len(target.classes), groups, r.p.Seed)
	if len(held) == 0 {
		what := "too few rows to hold any out: early stopping is off"
		switch {
		case groups != nil:
			what = "fewer than ten queries, of which none can be held out: early stopping is off"
		case target.classes != nil:
			what = "no class has the ten rows of which one could be held out: early stopping is off"
		}
		r.log.Warn(what, "rows", len(labels))
		r.p.EarlyStopping = 0
		return labels, nil
	}
	r.log.Info("rows held out for early stopping", "rows", len(held), "of", len(labels))
	in.valid, r.report.HeldOut = []validSet{{"valid", in.whole.take(held)}}, held
	kept := make([]float64, len(train))
	for i, row := range train {
		kept[i] = labels[row]
	}
	in.train = in.whole.take(train)
	return kept, nil
}
