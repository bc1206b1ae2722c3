// Package holdout chooses the training rows that a model is judged on.
//
// In: labels, queries and a seed, or a column that marks rows. Out: the rows to train on and the rows held out.
// It must not know objectives, parameters or models.
package holdout

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"boost/dataset"
	"boost/internal/rng"
)

// marks are what the cells of a column say that marks rows for validation.
var marks = map[string]bool{
	"valid": true, "validation": true, "true": true, "yes": true, "1": true,
	"train": false, "training": false, "false": false, "no": false, "0": false,
}

// Marked returns the rows that a column marks for training and for validation. Both lists ascend.
// groups is what dataset.Table.Groups returns: the rows of a query have to be marked alike.
func Marked(t *dataset.Table, column string, groups []int) (train, held []int32, err error) {
	c := t.Column(column)
	if c == nil || c.Role() != dataset.IDRole {
		return nil, nil, fmt.Errorf("%w: there is no id column %q, which marks rows for validation (train.valid_by)", dataset.ErrTable, column)
	}
	out := make([]bool, t.NumRows())
	for row := range out {
		is, known := marks[strings.ToLower(strings.TrimSpace(c.Text(row)))]
		if !known {
			return nil, nil, fmt.Errorf("%w: %s: column %q marks rows for validation (train.valid_by), and %q is no mark: expected valid, true, yes or 1 for validation, and train, false, no or 0 for training",
				dataset.ErrTable, t.Place(row), column, c.Text(row))
		}
		out[row] = is
	}
	for q := 1; q < len(groups); q++ {
		first := groups[q-1]
		for row := first + 1; row < groups[q]; row++ {
			if out[row] != out[first] {
				return nil, nil, fmt.Errorf("%w: %s: column %q has %q (train.valid_by), but %q in the first row of the same query%s: give all rows of a query the same mark",
					dataset.ErrTable, t.Place(row), column, c.Text(row), c.Text(first), queryName(t, row))
			}
		}
	}
	train, held = split(out)
	if len(train) == 0 || len(held) == 0 {
		return nil, nil, fmt.Errorf("%w: column %q marks %d of %d rows for validation (train.valid_by): expected some, and some to train on",
			dataset.ErrTable, column, len(held), len(out))
	}
	return train, held, nil
}

// queryName returns the name of a row's query, where the table has them in a column.
func queryName(t *dataset.Table, row int) string {
	for _, c := range t.Columns() {
		switch {
		case c.Role() != dataset.GroupRole:
		case c.Kind() == dataset.Category:
			return fmt.Sprintf(" (%s %q)", c.Name(), c.Levels()[c.Codes()[row]])
		case c.Kind() == dataset.Float32:
			return fmt.Sprintf(" (%s %s)", c.Name(), dataset.FormatNumber(float64(c.Float32s()[row])))
		case c.Kind() == dataset.Float64:
			return fmt.Sprintf(" (%s %s)", c.Name(), dataset.FormatNumber(c.Float64s()[row]))
		}
	}
	return ""
}

// Draw chooses the rows that a model is judged on: of every class, or of
// all rows if classes is 0, the share(n) of n with the smallest draw, ties by row. If the rows belong to
// queries, whole queries are chosen instead, by the draw of their number. groups is what
// dataset.Table.Groups returns. Both lists ascend.
func Draw(labels []float64, classes int, groups []int, seed uint64, share func(n int) int) (train, held []int32) {
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

// smallest returns the share(n) of n numbers with the smallest draw, ties by number.
func smallest(numbers []int32, key uint64, share func(n int) int) []int32 {
	type drawn struct {
		draw   uint64
		number int32
	}
	n := share(len(numbers))
	// Draws spread evenly, so that the smallest are below this bound but for rare cases.
	bound := math.Ldexp(float64(float64(n)*1.1)+100, 64) / float64(len(numbers))
	var low []drawn
	for ; len(low) < n; bound *= 2 {
		low = low[:0]
		for _, number := range numbers {
			if d := rng.Draw(key, uint64(number)); float64(d) <= bound {
				low = append(low, drawn{d, number})
			}
		}
	}
	slices.SortFunc(low, func(a, b drawn) int { return cmp.Or(cmp.Compare(a.draw, b.draw), cmp.Compare(a.number, b.number)) })
	chosen := make([]int32, n)
	for i := range chosen {
		chosen[i] = low[i].number
	}
	return chosen
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
