package booster

import (
	"cmp"
	"slices"

	"boost/internal/rng"
)

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

// holdout chooses the rows that early stopping is judged on: of every class, or of
// all rows if classes is 0, the ⌊n/10⌋ with the smallest draw, ties by row. If the rows belong to
// queries, whole queries are chosen instead: of n the ⌊n/10⌋ with the smallest draw of their number. groups is what
// dataset.Table.Groups returns. Both lists ascend.
func holdout(labels []float64, classes int, groups []int, seed uint64) (train, held []int32) {
	key := rng.Key(seed, rng.Holdout, 0, 0)
	out := make([]bool, len(labels))
	if groups != nil {
		queries := make([]int32, len(groups)-1)
		for q := range queries {
			queries[q] = int32(q)
		}
		for _, q := range tenth(queries, key) {
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
		for _, row := range tenth(rows, key) {
			out[row] = true
		}
	}
	return split(out)
}

// tenth returns the ⌊n/10⌋ of n numbers with the smallest draw.
func tenth(numbers []int32, key uint64) []int32 {
	byDraw := slices.Clone(numbers)
	slices.SortFunc(byDraw, func(a, b int32) int {
		return cmp.Or(cmp.Compare(rng.Draw(key, uint64(a)), rng.Draw(key, uint64(b))), cmp.Compare(a, b))
	})
	return byDraw[:len(numbers)/10]
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
