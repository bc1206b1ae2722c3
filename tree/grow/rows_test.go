package grow

import (
	"testing"

	"boost/histogram"
	"boost/internal/kernel/hist"
	"boost/parallel"
)

// Rows are added up as they come where no block holds more than one and a half times a worker's
// share of the leaf.
func TestEven(t *testing.T) {
	const block = hist.BlockRows
	for _, c := range []struct {
		threads int
		blocks  []int // rows of the leaf in each
		want    bool
	}{
		{2, []int{block, block}, true},
		{2, []int{block, block/3 + 1}, true}, // at least 21,845.3
		{2, []int{block, block / 3}, false},  // a short last block
		{2, []int{0, 500, 0, 0}, false},      // a table in the order of the splits
		{2, []int{500, 500, 0, 0}, true},
		{4, []int{500, 500, 0, 0}, false},
		{16, []int{900, 1000, 1100, 1000, 900, 1000, 1100, 1000, 900, 1000, 1100, 1000, 900, 1000, 1100, 100}, true},
	} {
		pool := parallel.NewPool(c.threads)
		g := &splitter{Grower: &Grower{}, pool: pool}
		var runs []histogram.Run
		rows := 0
		for b, n := range c.blocks {
			runs = append(runs, histogram.Run{First: b * block, Entries: make([]uint64, n)})
			rows += n
		}
		g.rows.byNode = [][]histogram.Run{nil, runs}
		if got := g.even(g.rows.most(1), rows); got != c.want {
			t.Errorf("%d threads, %v rows: even %v", c.threads, c.blocks, got)
		}
		pool.Close()
	}
}
