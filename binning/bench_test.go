package binning_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"boost/binning"
	"boost/dataset"
	"boost/internal/paired"
	"boost/parallel"
)

func normalTable(b *testing.B, rows, features int, wide bool) *dataset.Table {
	rng := rand.New(rand.NewPCG(12, 1))
	columns := make([]column, features)
	for f := range columns {
		if columns[f].name = fmt.Sprint(f); wide {
			columns[f].f64 = make([]float64, rows)
			for row := range rows {
				columns[f].f64[row] = rng.NormFloat64()
			}
			continue
		}
		columns[f].f32 = make([]float32, rows)
		for row := range rows {
			columns[f].f32[row] = float32(rng.NormFloat64())
		}
	}
	return table(b, columns...)
}

// BenchmarkQuantize holds what all cores make of cuts and codes together to 0.8 × their
// number × what one does: columns are independent.
func BenchmarkQuantize(b *testing.B) {
	const rows, features, bar = 1_000_000, 100, 0.8
	ctx, p := context.Background(), binning.Defaults()
	tab := normalTable(b, rows, features, false)
	quantize := func(workers *parallel.Pool) func() {
		return func() {
			cuts, _, err := binning.Fit(ctx, tab, nil, p, 1, workers)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := binning.Build(ctx, cuts, tab, p, workers); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("1Mx100/S0.19", func(b *testing.B) {
		cores := runtime.GOMAXPROCS(0)
		for b.Loop() {
			speedup := paired.Ratio(10*time.Second, quantize(pool(b, 1)), quantize(pool(b, cores)))
			b.ReportMetric(speedup/float64(cores), "x_per_core")
			if speedup < bar*float64(cores) {
				b.Errorf("%d cores are %.2f times as fast as one, want %.2f", cores, speedup, bar*float64(cores))
			}
		}
	})
}

// BenchmarkStages times Fit and Build, and the row-major copy.
func BenchmarkStages(b *testing.B) {
	for _, c := range []struct {
		rows, features int
		wide           bool
	}{{1_000_000, 28, false}, {1_000_000, 28, true}, {1_000_000, 2, false}, {1_000_000, 100, false}} {
		kind := map[bool]string{false: "f32", true: "f64"}[c.wide]
		b.Run(fmt.Sprintf("rows=%d/features=%d/type=%s", c.rows, c.features, kind), func(b *testing.B) {
			tab := normalTable(b, c.rows, c.features, c.wide)
			for _, threads := range []int{1, runtime.NumCPU()} {
				benchmarkStages(b, tab, threads)
			}
		})
	}
}

func benchmarkStages(b *testing.B, tab *dataset.Table, threads int) {
	workers, ctx, p := pool(b, threads), context.Background(), binning.Defaults()
	run := func(stage string, f func() error) {
		b.Run(fmt.Sprintf("threads=%d/stage=%s", threads, stage), func(b *testing.B) {
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	cuts := fit(b, tab, p)
	matrix := build(b, cuts, tab, p)
	features := make([]int, matrix.NFeatures())
	for f := range features {
		features[f] = f
	}
	run("fit", func() error { _, _, err := binning.Fit(ctx, tab, nil, p, 1, workers); return err })
	run("build", func() error { _, err := binning.Build(ctx, cuts, tab, p, workers); return err })
	run("rows", func() error { binning.NewRowMajor(matrix, features, workers); return nil })
}
