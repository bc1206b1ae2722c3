package booster_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/internal/testenv"
)

// sparseTable has rows of about six values each, and one row that has all.
func sparseTable(t *testing.T, rows, features int) *dataset.Table {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(rows), uint64(features)))
	columns := make([]dataset.ColumnData, features)
	label := make([]float64, rows)
	for f := range columns {
		stored := dataset.Sparse{F64: []float64{}}
		for row := r.IntN(2 * features / 6); row < rows; row += 1 + r.IntN(2*features/6) {
			if row == rows/2 {
				continue
			}
			value := float64(1 + r.IntN(9))
			stored.Rows, stored.F64 = append(stored.Rows, int32(row)), append(stored.F64, value)
			label[row] += value * float64(f%5)
		}
		at := 0
		for at < len(stored.Rows) && int(stored.Rows[at]) < rows/2 {
			at++
		}
		stored.Rows = append(stored.Rows[:at:at], append([]int32{int32(rows / 2)}, stored.Rows[at:]...)...)
		stored.F64 = append(stored.F64[:at:at], append([]float64{3}, stored.F64[at:]...)...)
		columns[f] = dataset.ColumnData{Name: fmt.Sprintf("f%d", f), Values: stored}
	}
	return mustColumns(t, append(columns, dataset.ColumnData{Name: "y", Values: label}))
}

// Codes that would outgrow the limit, or the machine where no limit is set, are refused
// before they are made, and the error says what would do.
func TestLayoutBeyondMemory(t *testing.T) {
	testenv.Unraced(t)
	const rows, features = 20_000, 3000 // 10 codes: 30 MB in columns of half a byte
	table := sparseTable(t, rows, features)
	p := booster.Defaults()
	p.Objective, p.Rounds = "regression", 1
	const limit = 28 << 20
	for _, c := range []struct {
		name   string
		change func(p *booster.Params)
		says   []string
	}{
		{"floats", func(p *booster.Params) { p.Gradients = "f32" }, []string{"28.7 MiB", `train.gradients = "i16"`}},
		{"columns", func(p *booster.Params) { p.Binning.Layout, p.Binning.Bundle = "col", "off" }, []string{"28.7 MiB", `binning.layout = "auto"`}},
		// 3,008 bytes a row, a length at which rows touch the fewest cache lines, beside 3,000 columns of 10,048.
		{"both", func(p *booster.Params) { p.Binning.Layout, p.Binning.Bundle = "both", "off" }, []string{"86.1 MiB", `binning.layout = "auto"`}},
		{"rows", func(p *booster.Params) { p.Binning.Layout, p.Binning.Bundle = "row", "off" }, []string{"86.1 MiB", `binning.layout = "auto"`}},
		{"feature builder", func(p *booster.Params) { p.Builder, p.Binning.Bundle = "feature", "off" }, []string{`train.builder = "auto"`}},
		{"mask", func(p *booster.Params) { p.Binning.MissingAs = "mask" }, []string{`binning.missing_as = "sentinel"`}},
		// The dense row makes all rows 3,000 symbols long, of 15 bits: 107 MiB.
		{"ellpack", func(p *booster.Params) { p.Binning.Layout = "ellpack" }, []string{"107", `binning.layout = "auto"`}},
	} {
		for _, by := range []string{"train.memory_limit", "the memory of this machine"} {
			t.Run(c.name+"/"+by, func(t *testing.T) {
				q, opts := p, []booster.Option(nil)
				c.change(&q)
				if q.MemoryLimit = limit; by != "train.memory_limit" {
					q.MemoryLimit = 0
					opts = append(opts, booster.MachineMemory(limit))
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, err := booster.Train(context.Background(), q, table, opts...)
				runtime.ReadMemStats(&after)
				if !errors.Is(err, booster.ErrBudget) {
					t.Fatalf("Train: %v, want ErrBudget", err)
				}
				for _, word := range append(c.says, by) {
					if !strings.Contains(err.Error(), word) {
						t.Errorf("%v does not say %s", err, word)
					}
				}
				if took := after.TotalAlloc - before.TotalAlloc; took > limit {
					t.Errorf("%d bytes were taken before that", took)
				}
			})
		}
	}
	t.Run("auto fits", func(t *testing.T) {
		q := p
		q.MemoryLimit = limit
		if _, err := booster.Train(context.Background(), q, table); err != nil {
			t.Error(err)
		}
	})
}

// What training is said to take is what it takes: the heap after a round, for every
// layout, builder and form of gradients. The estimate bounds it, and by little.
func TestMemoryEstimate(t *testing.T) {
	testenv.Memory(t)
	const rows = 80_000
	r := rand.New(rand.NewPCG(31, 32))
	var columns []dataset.ColumnData
	label := make([]float64, rows)
	for f := range 24 {
		values := make([]float64, rows)
		for row := range values {
			switch {
			case f%3 == 0:
				values[row] = r.NormFloat64() // 255 codes
			case f%3 == 1:
				values[row] = float64(r.IntN(12)) // half a byte
			case r.IntN(20) == 0:
				values[row] = float64(r.IntN(300)) // mostly 0
			}
			label[row] += values[row] * float64(f%4)
		}
		columns = append(columns, dataset.ColumnData{Name: fmt.Sprintf("f%d", f), Values: values})
	}
	dense := mustColumns(t, append(columns, dataset.ColumnData{Name: "y", Values: label}))
	wide, hot := sparseTable(t, 80_000, 1200), oneHot(t, 70_000, 40)
	for i, c := range []struct {
		name                        string
		table                       *dataset.Table
		layout, builder, mode, more string
	}{
		{"both", dense, "both", "row", "i16", ""},
		{"both/sequential", dense, "both", "sequential", "i16", ""},
		{"both/i32", dense, "both", "row", "i32", ""},
		{"both/f32", dense, "both", "row", "f32", ""},
		{"col/feature", dense, "col", "feature", "i16", ""},
		{"col/feature/i32", dense, "col", "feature", "i32", ""},
		{"col/feature/f32", dense, "col", "feature", "f32", ""},
		{"col/row", dense, "col", "row", "i16", ""},
		{"row", dense, "row", "row", "i16", ""},
		{"row/sequential/i32", dense, "row", "sequential", "i32", ""},
		{"csr", dense, "csr", "row", "i16", ""},
		{"ellpack", dense, "ellpack", "row", "i16", ""},
		{"csr/sequential/i32", dense, "csr", "sequential", "i32", ""},
		{"mask", dense, "col", "feature", "i16", "mask"},
		{"bundles", hot, "both", "row", "i16", "bundle"},
		{"bundles/feature/i32", hot, "col", "feature", "i32", "bundle"},
		{"bag", dense, "both", "row", "i16", "bag"},
		{"minimal variance", dense, "both", "row", "i16", "mvs"},
		{"wide codes", dense, "both", "row", "i16", "codes"},
		{"reuse", dense, "both", "row", "i16", "reuse"},
		{"direct", wide, "csr", "auto", "i16", "bound"},
		{"wide/csr", wide, "csr", "row", "i16", ""},
	} {
		for _, threads := range []int{1, 2} {
			if !testenv.Soak() && i%2 != threads%2 && c.more != "bound" {
				continue // what threads add is the same in every other case
			}
			t.Run(fmt.Sprintf("%s/threads=%d", c.name, threads), func(t *testing.T) {
				p := booster.Defaults()
				p.Objective, p.Rounds, p.Threads = "regression", 2, threads
				p.Binning.Layout, p.Builder, p.Gradients, p.Binning.Bundle = c.layout, c.builder, c.mode, "off"
				switch c.more {
				case "mask":
					p.Binning.MissingAs = "mask"
				case "bundle":
					p.Binning.Bundle = "on"
				case "bag":
					p.RowFraction = 0.5
				case "mvs":
					p.MvsFraction = 0.3
				case "reuse":
					p.Tree.ReuseCut, p.Binning.MaxBin = 0.1, 1000
				case "codes":
					p.Binning.MaxBin = 1000
				}
				heap := func() int64 {
					runtime.GC()
					runtime.GC()
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					return int64(m.HeapAlloc)
				}
				var report booster.Report
				before, took := heap(), int64(0)
				_, err := booster.Train(context.Background(), p, c.table, booster.WithReport(&report), booster.OnRound(func(booster.Round) {
					took = max(took, heap()-before)
				}))
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%s: %d bytes, estimated %d: %+.1f %%", report.Builder, took, report.PeakBytes, 100*(float64(report.PeakBytes)/float64(took)-1))
				const small = 200_000 // trees, cuts, the schema
				// Two threads may split more nodes ahead of their turn than they do here.
				over := took/20 + int64(threads-1)*took/10
				if took > report.PeakBytes+report.PeakBytes/50+small || c.more != "bound" && report.PeakBytes > took+over+small {
					t.Errorf("%d bytes, estimated %d", took, report.PeakBytes)
				}
			})
		}
	}
}
