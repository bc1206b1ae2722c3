package parts_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"boost/gradients"
	"boost/histogram"
	"boost/internal/cpu"
	"boost/internal/paired"
	"boost/parallel"
)

// sides builds the same nodes in every way that counts: 16-bit codes by the two builders
// that the trainer chooses from, and floats by these and with narrow sums.
type sides struct {
	t       *bench
	ints    *gradients.Storage
	floats  *gradients.Storage
	columns *histogram.Builder
	rows    *histogram.Builder
	narrow  *narrow
	hist    histogram.Histogram
	histF   histogram.Histogram
}

// The order of what times returns.
const (
	intColumns = iota
	intRows
	floatColumns
	floatRows
	narrowColumns
	nSides
)

func newSides(t *bench) *sides {
	return &sides{
		t:       t,
		ints:    gradients.NewStorage(t.rows, gradients.Settings{Mode: gradients.I16}),
		floats:  gradients.NewStorage(t.rows, gradients.Settings{Mode: gradients.F32}),
		columns: histogram.New(t.matrix, nil, t.pool, histogram.FeatureParallel),
		rows:    histogram.New(t.matrix, t.mirror, t.pool, histogram.RowParallel),
		narrow:  newNarrow(t.matrix, t.grad, t.hess, t.pool),
	}
}

// times builds all nodes by each side in turn and returns the shortest times.
func (s *sides) times(nodes [][]uint32) [nSides]time.Duration {
	ints, floats := make([][]histogram.Run, len(nodes)), make([][]histogram.Run, len(nodes))
	for i, rows := range nodes {
		ints[i], floats[i] = runs(s.ints, rows), runs(s.floats, rows)
	}
	by := func(builder *histogram.Builder, h *histogram.Histogram, st *gradients.Storage, nodes [][]histogram.Run) func() {
		return func() {
			for _, node := range nodes {
				builder.Build(h, st, node)
			}
		}
	}
	t := paired.Times(0,
		by(s.columns, &s.hist, s.ints, ints), by(s.rows, &s.hist, s.ints, ints),
		by(s.columns, &s.histF, s.floats, floats), by(s.rows, &s.histF, s.floats, floats),
		func() {
			for _, node := range floats {
				s.narrow.build(s.t.pool, node)
			}
		})
	return [nSides]time.Duration(t)
}

// ratio is how many times longer the fastest side of floats takes than that of codes.
func ratio(t [nSides]time.Duration) float64 {
	return min(t[floatColumns], t[floatRows], t[narrowColumns]).Seconds() / min(t[intColumns], t[intRows]).Seconds()
}

// byColumns is how many times longer floats take than codes by the feature-parallel builder.
func byColumns(t [nSides]time.Duration) float64 {
	return t[floatColumns].Seconds() / t[intColumns].Seconds()
}

// byRows is how many times longer floats take than codes by the row-parallel builder.
func byRows(t [nSides]time.Duration) float64 { return t[floatRows].Seconds() / t[intRows].Seconds() }

// BenchmarkHistQuantVsF32 holds the histograms of 16-bit codes to a multiple of the speed of
// those of floats, by each builder and of the fastest beside the fastest, whichever of the float variants
// that is (S2.30, S2.31, S2.32): all
// histograms of trees of 31 leaves, and those of the roots alone. Of the 20 trees of a run
// every fifth is timed; all are grown, so that these are of its course.
//
// Where memory does not hold 10M × 100 with its codes by rows and by columns, a table of fewer
// rows stands in, and its name says so.
func BenchmarkHistQuantVsF32(b *testing.B) {
	for _, c := range []struct {
		id, name string
		rows     int
		bar      float64
	}{
		{"S2.30", "100kx100", 100_000, 1.2},
		{"S2.31", "1Mx100", 1_000_000, 1.5},
		{"S2.32", "10Mx100", 10_000_000, 1.8},
	} {
		name := c.name + "/" + c.id
		if limit := cpu.MemoryLimit(); limit > 0 && limit < int64(c.rows)*1200 { // bytes a row while codes are made
			c.rows = int(limit / 1200)
			name += fmt.Sprintf("/only_%dk_rows", c.rows/1000)
		}
		b.Run(name, func(b *testing.B) {
			pool := parallel.NewPool(runtime.GOMAXPROCS(0))
			defer pool.Close()
			t := newBench(b, c.rows, 100, pool)
			for b.Loop() {
				all, roots := t.course(b, 20, 5)
				for i, part := range []struct {
					name  string
					times [nSides]time.Duration
				}{{"trees", all}, {"roots", roots}} {
					x, columns, rows := ratio(part.times), byColumns(part.times), byRows(part.times)
					b.ReportMetric(x, "x_f32_"+part.name)
					b.ReportMetric(columns, "x_by_columns_"+part.name)
					b.ReportMetric(rows, "x_by_rows_"+part.name)
					if i == 0 {
						updates := float64(c.rows) * 100
						b.ReportMetric(1e9*min(roots[intColumns], roots[intRows]).Seconds()/updates/4, "ns/update_root")
					}
					if least := min(x, columns, rows); least < c.bar {
						b.Errorf("%s: codes are %.2f times as fast as floats, want %v; %v", part.name, least, c.bar, part.times)
					}
				}
			}
		})
	}
}

// course grows trees and times every nth of them: all histograms, and the roots'.
func (t *bench) course(b *testing.B, trees, nth int) (all, roots [nSides]time.Duration) {
	b.Helper()
	clear(t.scores)
	s, grower := newSides(t), t.grower()
	for i := range trees {
		t.differentiate()
		t.quantize(b, s.ints)
		t.quantize(b, s.floats)
		made, err := grower.Grow(s.ints, nil, i, 0)
		if err != nil {
			b.Fatal(err)
		}
		grower.AddLeafValues(&made, t.scores)
		if i%nth != 0 {
			continue
		}
		nodes := t.nodes(&made)
		root, rest := s.times(nodes[:1]), s.times(nodes[1:])
		for side := range all {
			roots[side] += root[side]
			all[side] += root[side] + rest[side]
		}
	}
	return all, roots
}

// BenchmarkHistQuantGrid reports the same ratio by shape, of a first tree's histograms, for
// each builder and thread count (S2.33).
func BenchmarkHistQuantGrid(b *testing.B) {
	for _, threads := range slices.Compact([]int{1, runtime.GOMAXPROCS(0)}) {
		pool := parallel.NewPool(threads)
		defer pool.Close()
		for _, rows := range []int{100_000, 1_000_000} {
			for _, features := range []int{10, 100, 500} {
				b.Run(fmt.Sprintf("S2.33/threads=%d/rows=%d/features=%d", threads, rows, features), func(b *testing.B) {
					t := newBench(b, rows, features, pool)
					for b.Loop() {
						all, _ := t.course(b, 1, 1)
						b.ReportMetric(byColumns(all), "x_by_columns")
						b.ReportMetric(byRows(all), "x_by_rows")
						b.ReportMetric(ratio(all), "x_fastest")
					}
				})
			}
		}
	}
}

// BenchmarkQuantizeShare holds making the codes to 3 % of a round at 1M × 100 (S2.38): the
// gradients' quantization beside growing a tree with it and adding its values to the
// scores. What else is in a round (the loss, metrics) would only make the share less.
func BenchmarkQuantizeShare(b *testing.B) {
	const rows, features, bar = 1_000_000, 100, 3.0
	for _, threads := range slices.Compact([]int{1, runtime.GOMAXPROCS(0)}) {
		b.Run(fmt.Sprintf("1Mx100/S2.38/threads=%d", threads), func(b *testing.B) {
			pool := parallel.NewPool(threads)
			defer pool.Close()
			t := newBench(b, rows, features, pool)
			t.differentiate()
			st, grower := gradients.NewStorage(rows, gradients.Settings{Mode: gradients.I16}), t.grower()
			for b.Loop() {
				times := paired.Times(3*time.Second, func() { t.quantize(b, st) }, func() {
					made, err := grower.Grow(st, nil, 0, 0)
					if err != nil {
						b.Fatal(err)
					}
					grower.AddLeafValues(&made, t.scores)
				})
				share := 100 * times[0].Seconds() / (times[0] + times[1]).Seconds()
				b.ReportMetric(share, "%_of_round")
				b.ReportMetric(1e9*times[0].Seconds()/rows, "ns/row")
				if share > bar {
					b.Errorf("quantizing is %.2f %% of a round, want at most %v %%", share, bar)
				}
			}
		})
	}
}
