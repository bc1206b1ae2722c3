package holdout

import (
	"fmt"
	"math"
	"slices"

	"boost/internal/rng"
)

// Lists are the rows that are trained on and those that are judged on. A nil *Lists stands for all rows.
type Lists struct{ Train, Valid []int32 }

// Check refuses lists that are not those of a table of n rows.
func (l *Lists) Check(n int) error {
	for _, rows := range [][]int32{l.Train, l.Valid} {
		last := int32(-1)
		for _, row := range rows {
			if row <= last {
				last = math.MaxInt32
				break
			}
			last = row
		}
		if last < 0 || int(last) >= n {
			return fmt.Errorf("OnRows needs ascending rows of the table's %d, some to train on and some to judge on", n)
		}
	}
	return nil
}

// Identity is a number that other rows hardly have.
func (l *Lists) Identity() uint64 {
	if l == nil {
		return 0
	}
	h := uint64(len(l.Train))
	for _, row := range slices.Concat(l.Train, l.Valid) {
		h = rng.Mix(h + uint64(row) + 1)
	}
	return h
}
