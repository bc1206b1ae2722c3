package binning_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"boost/binning"
	"boost/dataset"
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

// BenchmarkQuantize times Fit and Build, and the row-major copy. The rows of
// S0.19 are rows=1000000/features=100: threads=1 against all cores.
func BenchmarkQuantize(b *testing.B) {
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
