package accuracy

import (
	"cmp"
	"slices"

	"boost/dataset"
	"boost/internal/rng"
)

const golden = 0x9E3779B97F4A7C15

// rowHash orders the rows of a split: mix(mix(split+1) + (row+1)·golden), which
// benchmarks/python/split.py computes too.
func rowHash(split, row int) uint64 {
	return rng.Mix(rng.Mix(uint64(split)+1) + (uint64(row)+1)*golden)
}

// Split parts rows 0 … len(classes)-1 into 80 % to train on and 20 % held out, both
// ascending. Of every class the ⌊n/5⌋ rows with the smallest hash are held out, equal
// hashes by row; for regression all classes are one and the same number. Classes are
// kept apart so that no part lacks one that the other has five rows of.
func Split(split int, classes []float64) (train, held []int32) {
	rows := make([]int32, len(classes))
	for i := range rows {
		rows[i] = int32(i)
	}
	return parts(split, rows, classes, 5)
}

// SplitTable parts the rows of a set's training table as Split does.
func SplitTable(s *Set, t *dataset.Table, split int) (train, held *dataset.Table) {
	rest, out := Split(split, classKeys(s, t))
	return t.Take(rest), t.Take(out)
}

// parts holds out one in so many of the rows of each class, which ascend.
func parts(split int, rows []int32, classes []float64, of int) (train, held []int32) {
	byClass := map[float64][]int32{}
	for i, row := range rows {
		byClass[classes[i]] = append(byClass[classes[i]], row)
	}
	for _, rows := range byClass {
		slices.SortFunc(rows, func(a, b int32) int {
			return cmp.Or(cmp.Compare(rowHash(split, int(a)), rowHash(split, int(b))), cmp.Compare(a, b))
		})
		n := len(rows) / of
		held, train = append(held, rows[:n]...), append(train, rows[n:]...)
	}
	slices.Sort(train)
	slices.Sort(held)
	return train, held
}

// splitQueries parts whole queries as Split parts rows. queries are the rows that they begin with, and the number of rows.
func splitQueries(split int, queries []int) (train, held []int32) {
	_, chosen := Split(split, make([]float64, len(queries)-1))
	for q := range len(queries) - 1 {
		_, isHeld := slices.BinarySearch(chosen, int32(q))
		for row := queries[q]; row < queries[q+1]; row++ {
			if isHeld {
				held = append(held, int32(row))
			} else {
				train = append(train, int32(row))
			}
		}
	}
	return train, held
}
