package booster

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"boost/dataset"
	"boost/internal/rng"
)

// holdOut splits off the rows that early stopping is judged on, as the set "valid", and returns the
// labels of the others.
func (r *run) holdOut(in *inputs, target *target, labels []float64) ([]float64, error) {
	groups, err := in.train.metaColumns().Groups()
	if err != nil {
		return nil, err
	}
	var train, held []int32
	if r.p.ValidBy != "" {
		train, held, err = marked(in.train.metaColumns(), r.p.ValidBy)
	} else {
		train, held = holdout(labels, len(target.classes), groups, r.p.Seed, r.p.shareOf)
	}
	if err != nil {
		return nil, err
	}
	if len(held) == 0 {
		what := "too few rows to hold any out: early stopping is off"
		switch {
		case groups != nil:
			what = "too few queries to hold any out: early stopping is off"
		case target.classes != nil:
			what = "each class has too few rows to hold any out: early stopping is off"
		}
		r.log.Warn(what, "rows", len(labels))
		r.p.EarlyStopping = 0
		return labels, nil
	}
	r.log.Debug("rows held out for validation", "rows", len(held), "of", len(labels))
	in.valid, r.report.HeldOut = []validSet{{"valid", in.whole.take(held)}}, held
	kept := make([]float64, len(train))
	for i, row := range train {
		kept[i] = labels[row]
	}
	in.train = in.whole.take(train)
	return kept, nil
}

// HoldsOut reports whether rows of the training table are held out as the validation set, where
// so many other sets are given.
func (p *Params) HoldsOut(sets int) bool {
	return sets == 0 && (p.EarlyStopping > 0 || p.ValidShare > 0 || p.ValidBy != "")
}

func (p *Params) checkHoldout() []error {
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

// marks are what the cells of a column say that marks rows for validation.
var marks = map[string]bool{
	"valid": true, "validation": true, "true": true, "yes": true, "1": true,
	"train": false, "training": false, "false": false, "no": false, "0": false,
}

// marked returns the rows that a column marks for training and for validation. Both lists ascend.
func marked(t *dataset.Table, column string) (train, held []int32, err error) {
	c := t.Column(column)
	if c == nil || c.Role() != dataset.IDRole {
		return nil, nil, fmt.Errorf("%w: there is no id column %q, which marks rows for validation (train.valid_by)", dataset.ErrTable, column)
	}
	out := make([]bool, t.NumRows())
	for row := range out {
		is, known := marks[strings.ToLower(strings.TrimSpace(c.Text(row)))]
		if !known {
			return nil, nil, fmt.Errorf("%w: %s: column %q marks rows for validation (train.valid_by), and %q says neither: expected valid, true, yes or 1, or for the rows to train on train, false, no or 0",
				dataset.ErrTable, t.Place(row), column, c.Text(row))
		}
		out[row] = is
	}
	train, held = split(out)
	if len(train) == 0 || len(held) == 0 {
		return nil, nil, fmt.Errorf("%w: column %q marks %d of %d rows for validation (train.valid_by): expected some, and some to train on",
			dataset.ErrTable, column, len(held), len(out))
	}
	return train, held, nil
}

// holdout chooses the rows that a model is judged on: of every class, or of
// all rows if classes is 0, the share(n) of n with the smallest draw, ties by row. If the rows belong to
// queries, whole queries are chosen instead, by the draw of their number. groups is what
// dataset.Table.Groups returns. Both lists ascend.
func holdout(labels []float64, classes int, groups []int, seed uint64, share func(n int) int) (train, held []int32) {
	key := rng.Key(seed, rng.Holdout, 0, 0)
	out := make([]bool, len(labels))
	if groups != nil {
		queries := make([]int32, len(groups)-1)
		for q := range queries {
			queries[q] = int32(q)
		}
		for _, q := range smallest(queries, key, share) {
			for row := groups[q]; row < groups[q+1]; row++ {
				out[row] = true
			}
		}
		return split(out)
	}
	byClass := make([][]int32, max(classes, 1))
	for row, label := range labels {
		g := 0
		if classes > 0 {
			g = int(label)
		}
		byClass[g] = append(byClass[g], int32(row))
	}
	for _, rows := range byClass {
		for _, row := range smallest(rows, key, share) {
			out[row] = true
		}
	}
	return split(out)
}

// smallest returns the share(n) of n numbers with the smallest draw.
func smallest(numbers []int32, key uint64, share func(n int) int) []int32 {
	byDraw := slices.Clone(numbers)
	slices.SortFunc(byDraw, func(a, b int32) int {
		return cmp.Or(cmp.Compare(rng.Draw(key, uint64(a)), rng.Draw(key, uint64(b))), cmp.Compare(a, b))
	})
	return byDraw[:share(len(numbers))]
}

// split lists the rows that are not out, and those that are.
func split(out []bool) (train, held []int32) {
	for row, is := range out {
		if is {
			held = append(held, int32(row))
		} else {
			train = append(train, int32(row))
		}
	}
	return train, held
}
