package booster

import (
	"errors"
	"fmt"
	"slices"

	"boost/booster/internal/holdout"
	"boost/dataset"
)

// holdOut splits off the rows that early stopping is judged on, as the set "valid", and returns the
// labels of the others.
func (r *run) holdOut(in *inputs, target *target, answers dataset.Labels) (dataset.Labels, error) {
	groups, err := in.train.MetaColumns().Groups()
	if err != nil {
		return answers, err
	}
	if in.inFiles && r.p.ValidBy != "" {
		return answers, fmt.Errorf("%w: train.valid_by needs the table in memory: give train.valid_share, or a validation set, to train out of core", ErrParams)
	}
	var train, held []int32
	if r.rows != nil {
		train, held = r.rows.Train, r.rows.Valid
	} else if r.p.ValidBy != "" {
		train, held, err = holdout.Marked(in.train.MetaColumns(), r.p.ValidBy, groups)
	} else {
		train, held = holdout.Draw(answers.Columns[0], len(target.classes), groups, r.p.Seed, r.p.shareOf)
	}
	if err != nil {
		return answers, err
	}
	if len(held) == 0 {
		what := "too few rows to hold any out: early stopping is off"
		switch {
		case groups != nil:
			what = "too few queries to hold any out: early stopping is off"
		case target.classes != nil:
			what = "each class has too few rows to hold any out: early stopping is off"
		}
		r.log.Warn(what, "rows", len(answers.Columns[0]))
		r.p.EarlyStopping, r.p.MinDelta, r.p.Retrain = 0, 0, false
		return answers, nil
	}
	r.log.Debug("rows held out for validation", "rows", len(held), "of", len(answers.Columns[0]))
	in.valid, r.report.HeldOut = []validSet{{"valid", in.whole.Take(held)}}, in.rowsGiven(held)
	in.train = in.whole.Take(train)
	return answers.Take(train), nil
}

// rowsGiven returns the rows of the table as it was given, in ascending order.
func (in *inputs) rowsGiven(rows []int32) []int32 {
	if in.order == nil {
		return rows
	}
	given := make([]int32, len(rows))
	for i, row := range rows {
		given[i] = in.order[row]
	}
	slices.Sort(given)
	return given
}

// HoldsOut reports whether rows of the training table are held out as the validation set, where
// so many other sets are given.
func (p *Params) HoldsOut(sets int) bool {
	return sets == 0 && (p.EarlyStopping > 0 || p.ValidShare > 0 || p.ValidBy != "")
}

func (p *Params) checkHoldout() []error {
	if p.MinDelta > 0 && p.EarlyStopping == 0 {
		return []error{fmt.Errorf("train.early_stopping_min_delta = %v, and early stopping is off: set train.early_stopping to a number of rounds, or leave it out", p.MinDelta)}
	}
	if p.ValidShare > 0 && p.ValidBy != "" {
		return []error{errors.New("train.valid_share and train.valid_by both say which rows are held out: leave one of them out")}
	}
	return nil
}

// shareOf returns how many of n rows are held out.
func (p *Params) shareOf(n int) int {
	if p.ValidShare == 0 {
		return n / 10
	}
	return int(float64(float64(n)*p.ValidShare) + 1e-6) // 29 of 100 for 0.29
}
