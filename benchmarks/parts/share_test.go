package parts_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"boost/binning"
	"boost/booster"
	"boost/dataset"
	"boost/internal/paired"
	"boost/parallel"
)

// BenchmarkBinningShare reports what cuts and codes cost of a whole training run, and
// after how many histogram passes over all rows looking every cell up once has paid for
// itself: what a pass by search takes longer than one by codes is saved each time (S1.21).
func BenchmarkBinningShare(b *testing.B) {
	const rows, features = 200_000, 28
	d := generate(b, rows, features)
	for _, threads := range slices.Compact([]int{1, runtime.GOMAXPROCS(0)}) {
		pool := parallel.NewPool(threads)
		defer pool.Close()
		p := newPass(b, d, pool)
		b.Run(fmt.Sprintf("S1.21/threads=%d", threads), func(b *testing.B) {
			for b.Loop() {
				t := paired.Times(2*time.Second, p.bySearch, p.byCode, func() { d.matrix(b, d.cuts(b, pool), pool) })
				saved := (t[0] - t[1]).Seconds() * features / float64(len(p.columns)) // the pass leaves columns of few levels out
				r, _ := train(b, d.table, 100, threads, nil)
				b.ReportMetric(100*r.BinSeconds/(r.BinSeconds+r.TrainSeconds), "%_of_100_rounds")
				b.ReportMetric(t[2].Seconds(), "s_binning")
				b.ReportMetric(t[2].Seconds()/saved, "passes_to_pay_back")
			}
		})
	}
}

// BenchmarkBundleSpeed holds training with bundles to 5 times the speed of training on the
// same one-hot columns one by one, and the models to the same bytes. The figure against
// CSR, which stores each row's ones only, is reported.
func BenchmarkBundleSpeed(b *testing.B) {
	const rows, features, rounds, bar = 200_000, 500, 10, 5
	table := oneHot(b, rows, features)
	threads := runtime.GOMAXPROCS(0)
	b.Run(fmt.Sprintf("200kx500/threads=%d", threads), func(b *testing.B) {
		for b.Loop() {
			var models [3][]byte
			shortest := [3]float64{}
			for round := range paired.Least {
				for i, change := range []func(p *booster.Params){
					func(p *booster.Params) { p.Binning.Bundle = binning.BundleOn },
					func(p *booster.Params) {
						p.Binning.Bundle, p.Binning.Layout = binning.BundleOff, binning.LayoutBoth
					},
					func(p *booster.Params) {
						p.Binning.Bundle, p.Binning.Layout = binning.BundleOff, binning.LayoutCSR
					},
				} {
					r, model := train(b, table, rounds, threads, change)
					if round == 0 || r.TrainSeconds < shortest[i] {
						shortest[i] = r.TrainSeconds
					}
					models[i] = model
				}
			}
			ratio := shortest[1] / shortest[0]
			b.ReportMetric(ratio, "x_columns")
			b.ReportMetric(shortest[2]/shortest[0], "x_csr")
			if ratio < bar {
				b.Errorf("bundles are %.2f times as fast as columns one by one, want %d", ratio, bar)
			}
			if !bytes.Equal(models[0], models[1]) || !bytes.Equal(models[0], models[2]) {
				b.Error("the models differ")
			}
		}
	})
}

// train trains as the comparisons with other trainers do and returns the model's bytes.
func train(b *testing.B, table *dataset.Table, rounds, threads int, change func(p *booster.Params)) (booster.Report, []byte) {
	b.Helper()
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Threads = "binary", rounds, threads
	if change != nil {
		change(&p)
	}
	var r booster.Report
	m, err := booster.Train(context.Background(), p, table, booster.WithReport(&r))
	if err != nil {
		b.Fatal(err)
	}
	file, err := m.Encode()
	if err != nil {
		b.Fatal(err)
	}
	return r, file
}

// levelsOf1000 are the levels of the one-hot table's categorical columns where it has 1,000 columns.
var levelsOf1000 = [...]int{10, 10, 10, 12, 15, 15, 20, 20, 25, 30, 35, 40, 45, 50, 60, 70, 90, 110, 133, 200}

// oneHot is a seeded table of categorical columns with skewed levels, each level a 0/1 column.
func oneHot(b *testing.B, rows, features int) *dataset.Table {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	effects := make([]float64, features)
	for f := range effects {
		effects[f] = 0.3 * r.NormFloat64()
	}
	cells := make([]dataset.Sparse, features)
	labels := make([]float32, rows)
	for i := range rows {
		signal, first := 0.8*r.NormFloat64(), 0
		for c, levels := range levelsOf1000 {
			if levels = max(2, levels*features/1000); c == len(levelsOf1000)-1 {
				levels = features - first
			}
			u := r.Float64()
			f := first + int(float64(levels)*u*u)
			cells[f].Rows = append(cells[f].Rows, int32(i))
			cells[f].F32 = append(cells[f].F32, 1)
			signal += effects[f]
			first += levels
		}
		if signal > 0 {
			labels[i] = 1
		}
	}
	columns := []dataset.ColumnData{{Name: "label", Values: labels}}
	for f, c := range cells {
		columns = append(columns, dataset.ColumnData{Name: fmt.Sprint("f", f), Values: c})
	}
	table, err := dataset.FromColumns(columns, dataset.Label("label"))
	if err != nil {
		b.Fatal(err)
	}
	return table
}
