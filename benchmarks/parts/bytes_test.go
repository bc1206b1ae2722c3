package parts_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"boost/binning"
	"boost/dataset"
	"boost/parallel"
)

// BenchmarkLayoutBytes holds what the matrix is said to take in every layout to what the
// heap grows by, within 2 % (S1.19, S0.21). The table is that of the seeds: 1M × 100, half
// of the cells missing, 254 values and the missing code. CSR spends one byte on a column
// index at 100 columns, two at 1,000 and four at 70,000; the wider tables have as many
// stored cells.
func BenchmarkLayoutBytes(b *testing.B) {
	const rows, features, cells = 1_000_000, 100, 50_000_000
	pool := parallel.NewPool(runtime.GOMAXPROCS(0))
	defer pool.Close()
	b.Run("S0.21/f32", func(b *testing.B) {
		for b.Loop() {
			columns := make([][]float32, features)
			compare(b, 4*rows*features, 400, func() any {
				for f := range columns {
					columns[f] = make([]float32, rows)
				}
				return columns
			})
		}
	})
	t := halfMissing(b, rows, features, cells)
	for _, l := range []struct {
		id, layout, missingAs string
		megabytes             float64 // of the seeds' table; 0 where it names none
	}{
		{"S0.21/u8_columns", binning.LayoutCol, binning.Sentinel, 100},
		{"S1.19/u8_rows", binning.LayoutRow, binning.Sentinel, 0},
		{"S1.19/u8_columns_and_mask", binning.LayoutCol, binning.Mask, 112.5},
		{"S1.19/csr_u8_index", binning.LayoutCSR, binning.Sentinel, 104},
		{"S1.19/ellpack", binning.LayoutEllpack, binning.Sentinel, 0},
	} {
		b.Run(l.id, func(b *testing.B) { t.check(b, l.layout, l.missingAs, l.megabytes, pool) })
	}
	t = layoutTable{}
	for _, wide := range []struct {
		name      string
		features  int
		megabytes float64
	}{{"u16", 1000, 154}, {"u32", 70_000, 254}} {
		b.Run("S1.19/csr_"+wide.name+"_index", func(b *testing.B) {
			halfMissing(b, rows, wide.features, cells).check(b, binning.LayoutCSR, binning.Sentinel, wide.megabytes, pool)
		})
	}
}

// layoutTable is a table with what its matrix's size depends on.
type layoutTable struct {
	table *dataset.Table
	shape binning.Shape
}

// halfMissing makes a table with so many present cells, spread evenly over columns and
// at random over rows.
func halfMissing(b *testing.B, rows, features, cells int) layoutTable {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 19))
	present, step := cells/features, rows*features/cells
	inRow := make([]int, rows)
	columns := make([]dataset.ColumnData, features)
	shape := binning.Shape{Rows: rows, NCodes: make([]uint32, features), Missing: make([]bool, features), Cells: uint64(present) * uint64(features)}
	for f := range columns {
		s := dataset.Sparse{Rows: make([]int32, present), F32: make([]float32, present), Fill: math.NaN()}
		seen := map[float32]bool{}
		for i := range s.Rows {
			s.Rows[i] = int32(i*step + r.IntN(step))
			s.F32[i] = float32(1 + r.IntN(254))
			seen[s.F32[i]] = true
			inRow[s.Rows[i]]++
		}
		columns[f] = dataset.ColumnData{Name: fmt.Sprint("f", f), Values: s, Rows: rows}
		shape.NCodes[f], shape.Missing[f] = uint32(len(seen))+1, true
	}
	for _, n := range inRow {
		shape.RowStride = max(shape.RowStride, n)
	}
	table, err := dataset.FromColumns(columns)
	if err != nil {
		b.Fatal(err)
	}
	return layoutTable{table, shape}
}

// check builds the matrix and compares its size with the estimate.
func (t layoutTable) check(b *testing.B, layout, missingAs string, megabytes float64, pool *parallel.Pool) {
	ctx, p := context.Background(), binning.Defaults()
	p.Layout, p.MissingAs, p.Bundle, p.Sample = layout, missingAs, binning.BundleOff, 0
	cuts, _, err := binning.Fit(ctx, t.table, nil, p, 1, pool)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		compare(b, t.shape.Bytes(p), megabytes, func() any {
			m, err := binning.Build(ctx, cuts, t.table, p, pool)
			if err != nil {
				b.Fatal(err)
			}
			return m
		})
	}
}

// compare measures by how much the heap grows by what make makes.
func compare(b *testing.B, predicted uint64, megabytes float64, make func() any) {
	before := heap()
	made := make()
	measured := float64(heap() - before)
	runtime.KeepAlive(made)
	b.ReportMetric(float64(predicted)/1e6, "MB_predicted")
	b.ReportMetric(measured/1e6, "MB_measured")
	if math.Abs(measured/float64(predicted)-1) > 0.02 {
		b.Errorf("%.2f MB predicted, %.2f MB measured", float64(predicted)/1e6, measured/1e6)
	}
	if megabytes > 0 && math.Abs(float64(predicted)/1e6/megabytes-1) > 0.001 {
		b.Errorf("%.2f MB predicted, want %v MB", float64(predicted)/1e6, megabytes)
	}
}

// heap returns the bytes of the objects that are in use.
func heap() uint64 {
	runtime.GC()
	runtime.GC() // what the first one found to have finalizers
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
