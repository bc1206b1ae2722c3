package booster

import (
	"cmp"
	"slices"

	"boost/internal/rng"
)

// holdout chooses the rows that early stopping is judged on: of every class, or of
// all rows where classes is 0, the ⌊n/10⌋ with the smallest draw, ties by row
// (DESIGN §10). Both lists ascend.
func holdout(labels []float64, classes int, seed uint64) (train, held []int32) {
	key := rng.Key(seed, rng.Holdout, 0, 0)
	groups := make([][]int32, max(classes, 1))
	for row, label := range labels {
		g := 0
		if classes > 0 {
			g = int(label)
		}
		groups[g] = append(groups[g], int32(row))
	}
	out := make([]bool, len(labels))
	for _, rows := range groups {
		byDraw := slices.Clone(rows)
		slices.SortFunc(byDraw, func(a, b int32) int {
			return cmp.Or(cmp.Compare(rng.Draw(key, uint64(a)), rng.Draw(key, uint64(b))), cmp.Compare(a, b))
		})
		for _, row := range byDraw[:len(rows)/10] {
			out[row] = true
		}
	}
	for row, is := range out {
		if is {
			held = append(held, int32(row))
		} else {
			train = append(train, int32(row))
		}
	}
	return train, held
}
