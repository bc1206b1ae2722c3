package parts_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"boost/binning"
	"boost/histogram"
	"boost/internal/paired"
	"boost/parallel"
)

// BenchmarkLinearCost holds the time per cell of building the matrix and of a root
// histogram at 0.1M, 1M and 10M rows to ±25 % of their mean (S1.24). The columns are the
// same at every size: longer tables repeat the rows of the shortest. All sizes make the
// same number of cells a run, the short ones by running several times; so noise has the
// same chance at each.
func BenchmarkLinearCost(b *testing.B) {
	const features, least, bound = 16, 100_000, 0.25
	sizes := []int{least, 10 * least, 100 * least}
	for _, threads := range slices.Compact([]int{1, runtime.GOMAXPROCS(0)}) {
		pool := parallel.NewPool(threads)
		defer pool.Close()
		var building, adding []func()
		for _, rows := range sizes {
			d := generate(b, least, features).repeated(b, rows/least)
			cuts := d.cuts(b, pool)
			matrix := d.matrix(b, cuts, pool)
			storage, runs := d.root(b, pool)
			all := make([]int, features)
			for f := range all {
				all[f] = f
			}
			builder := histogram.New(matrix, binning.NewRowMajor(matrix, all, pool), pool, histogram.RowParallel)
			h := &histogram.Histogram{}
			times := sizes[len(sizes)-1] / rows
			building = append(building, func() {
				for range times {
					if _, err := binning.Build(context.Background(), cuts, d.table, binning.Defaults(), pool); err != nil {
						b.Fatal(err)
					}
				}
			})
			adding = append(adding, func() {
				for range times {
					builder.Build(h, storage, runs)
				}
			})
		}
		for name, sides := range map[string][]func(){"building": building, "histogram": adding} {
			b.Run(fmt.Sprintf("S1.24/threads=%d/%s", threads, name), func(b *testing.B) {
				for b.Loop() {
					costs, mean := perCell(paired.Times(0, sides...), features*sizes[len(sizes)-1])
					worst := 0.0
					for i, cost := range costs {
						b.ReportMetric(cost, fmt.Sprintf("ns/cell_at_%gM", float64(sizes[i])/1e6))
						worst = max(worst, math.Abs(cost/mean-1))
					}
					b.ReportMetric(100*worst, "%_off_mean")
					if worst > bound {
						b.Errorf("a cell takes %.2f ns at %v rows: %.0f %% off the mean, want %.0f %%", costs, sizes, 100*worst, 100*bound)
					}
				}
			})
		}
	}
}

// perCell returns nanoseconds per cell, and their mean.
func perCell(times []time.Duration, cells int) (costs []float64, mean float64) {
	for _, t := range times {
		cost := float64(t.Nanoseconds()) / float64(cells)
		costs = append(costs, cost)
		mean += cost / float64(len(times))
	}
	return costs, mean
}
