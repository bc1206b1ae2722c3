package codes_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"boost/benchmarks/paired"
	"boost/binning"
	"boost/histogram"
	"boost/parallel"
)

// BenchmarkLinearCost holds the time per cell of building the matrix and of a root
// histogram at 0.1M, 1M and 10M rows to ±25 % of their mean (S1.24). The columns are the
// same at every size: longer tables repeat the rows of the shortest. All sizes make the
// same number of cells a run, the short ones by running several times; so noise has the
// same chance at each.
func BenchmarkLinearCost(b *testing.B) {
	const features, least, bound = 8, 100_000, 0.25
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
			builder := histogram.New(matrix, nil, pool, histogram.FeatureParallel)
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
					times := paired.Times(5*time.Second, sides...)
					mean := 0.0
					for i, t := range times {
						cost := float64(t.Nanoseconds()) / float64(features*sizes[len(sizes)-1])
						b.ReportMetric(cost, fmt.Sprintf("ns/cell_at_%gM", float64(sizes[i])/1e6))
						mean += cost / float64(len(times))
					}
					worst := 0.0
					for _, t := range times {
						cost := float64(t.Nanoseconds()) / float64(features*sizes[len(sizes)-1])
						worst = max(worst, math.Abs(cost/mean-1))
					}
					b.ReportMetric(100*worst, "%_off_mean")
					if worst > bound {
						b.Errorf("a cell's time is up to %.0f %% off the mean of the sizes, want %.0f %%", 100*worst, 100*bound)
					}
				}
			})
		}
	}
}
