package booster_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/internal/testenv"
)

// plansTable is large enough for several threads and blocks of rows, and has columns of
// 4, 8 and 16 bits.
func plansTable(t *testing.T) *dataset.Table {
	t.Helper()
	const rows = 70_000
	r := rand.New(rand.NewPCG(41, 42))
	label := make([]float64, rows)
	var columns []dataset.ColumnData
	for f, values := range []int{10, 200, 9, 250, 1000, 14} {
		column := make([]float64, rows)
		for row := range column {
			column[row] = float64(r.IntN(values))
			label[row] += column[row] / float64(values) * float64(1+f%3)
		}
		columns = append(columns, dataset.ColumnData{Name: fmt.Sprintf("f%d", f), Values: column})
	}
	return mustColumns(t, append(columns, dataset.ColumnData{Name: "y", Values: label}))
}

func plansParams() booster.Params {
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Threads, p.Verify = "regression", 3, 3, true
	p.Tree.Leaves, p.Binning.MaxBin = 12, 1000
	return p
}

// Every builder gives the model that the one by columns gives, over every layout that it reads.
func TestBuildersGiveOneModel(t *testing.T) {
	table := plansTable(t)
	modes := []string{"i16", "f32", "i32", "i8"}
	if testing.Short() {
		modes = modes[:1]
	}
	for _, mode := range modes {
		p := plansParams()
		p.Gradients, p.Binning.Layout, p.Builder = mode, "col", "feature"
		want := hash(t, p, table)
		for _, layout := range []string{"auto", "both", "col", "row", "csr"} {
			for _, builder := range []string{"auto", "sequential", "row", "feature"} {
				if builder == "feature" && (layout == "row" || layout == "csr") || mode == "f32" && layout == "csr" {
					continue // refused, which other tests see
				}
				workers := []int{1, 3}
				if !testenv.Soak() && (mode != "i16" || testing.Short()) {
					workers = workers[1:]
				}
				for _, threads := range workers {
					p.Binning.Layout, p.Builder, p.Threads = layout, builder, threads
					var report booster.Report
					if got := hash(t, p, table, booster.WithReport(&report)); got != want {
						t.Errorf("%s, layout %s, builder %s, %d threads: another model", mode, layout, builder, threads)
					}
					if builder != "auto" && report.Builder != builder {
						t.Errorf("builder %q was asked for, %q was used", builder, report.Builder)
					}
				}
			}
		}
	}
}
