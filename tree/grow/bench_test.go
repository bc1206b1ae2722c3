package grow_test

import (
	"fmt"
	"testing"
	"time"

	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/paired"
	"boost/internal/rng"
	"boost/parallel"
	"boost/tree/grow"
)

const benchRows, benchFeatures = 1 << 20, 28

// benchTable makes dense random codes with a signal in the first features.
func benchTable(b *testing.B) (m *binning.Matrix, fs []binning.Feature, all []int, grad, hess []float32) {
	b.Helper()
	const rows, features = benchRows, benchFeatures
	columns, nCodes := make([][]uint32, features), make([]uint32, features)
	for f := range columns {
		columns[f], nCodes[f] = make([]uint32, rows), 255
		key := rng.Key(1, 90, uint64(f), 0)
		for i := range columns[f] {
			columns[f][i] = uint32(rng.Unit(rng.Draw(key, uint64(i))) * 255)
		}
	}
	m, err := binning.FromCodes(columns, nCodes, "adaptive")
	if err != nil {
		b.Fatal(err)
	}
	grad, hess = make([]float32, rows), make([]float32, rows)
	key := rng.Key(2, 91, 0, 0)
	for i := range grad {
		p := rng.Unit(rng.Draw(key, uint64(i)))
		grad[i] = float32(p - 0.5)
		for f := range 8 {
			grad[i] += float32(columns[f][i])/255*float32(columns[(f+1)%8][i])/255 - 0.25
		}
		hess[i] = float32(p * (1 - p))
	}
	fs = make([]binning.Feature, features)
	all = make([]int, features)
	for f := range fs {
		fs[f].Regular, all[f] = 255, f
	}
	return m, fs, all, grad, hess
}

// BenchmarkGrow times one tree of 31 leaves.
func BenchmarkGrow(b *testing.B) {
	const rows, features = benchRows, benchFeatures
	m, fs, all, grad, hess := benchTable(b)
	for _, threads := range []int{1, 2} {
		for _, s := range []histogram.Strategy{histogram.RowParallel, histogram.FeatureParallel} {
			b.Run(fmt.Sprintf("rows=%d/features=%d/threads=%d/builder=%s", rows, features, threads, s), func(b *testing.B) {
				pool := parallel.NewPool(threads)
				defer pool.Close()
				st := gradients.NewStorage(rows, gradients.Settings{Mode: gradients.I16})
				var rowMajor *binning.RowMajor
				if s == histogram.RowParallel {
					rowMajor = binning.NewRowMajor(m, all, pool)
				}
				g := grow.New(grow.Config{Matrix: m, RowMajor: rowMajor, Features: fs, Pool: pool, Strategy: s, Params: grow.Defaults(), LearningRate: 0.1})
				scores := make([]float64, rows)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := st.Quantize(pool, grad, hess, nil, 0, 0); err != nil {
						b.Fatal(err)
					}
					t, err := g.Grow(st, nil, 0, 0)
					if err != nil {
						b.Fatal(err)
					}
					g.AddLeafValues(&t, scores)
				}
			})
		}
	}
}

// BenchmarkAddLeafValues sets adding a tree's values to scores, leaf by leaf, beside the same
// bytes in the order of memory, which is its bound: an entry, and a score each way, 24 bytes a
// row.
func BenchmarkAddLeafValues(b *testing.B) {
	m, fs, _, grad, hess := benchTable(b)
	pool := parallel.NewPool(1)
	defer pool.Close()
	st := gradients.NewStorage(benchRows, gradients.Settings{Mode: gradients.I16})
	g := grow.New(grow.Config{Matrix: m, Features: fs, Pool: pool, Params: grow.Defaults(), LearningRate: 0.1})
	if _, err := st.Quantize(pool, grad, hess, nil, 0, 0); err != nil {
		b.Fatal(err)
	}
	t, err := g.Grow(st, nil, 0, 0)
	if err != nil {
		b.Fatal(err)
	}
	scores, words := make([]float64, benchRows), make([]uint64, benchRows)
	var took []time.Duration
	for b.Loop() {
		took = paired.Times(2*time.Second, func() { g.AddLeafValues(&t, scores) }, func() {
			for i, word := range words {
				scores[i] += float64(word)
			}
		})
	}
	b.ReportMetric(float64(took[0].Nanoseconds())/benchRows, "ns/row")
	b.ReportMetric(float64(took[1].Nanoseconds())/benchRows, "ns/row_in_order")
}
