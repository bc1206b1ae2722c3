package binning_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"boost/binning"
	"boost/dataset"
)

// twoForms makes a table of sparse columns and one of the same values in dense ones.
func twoForms(t testing.TB, r *rand.Rand, rows, features int) (sparse, dense *dataset.Table) {
	t.Helper()
	label := dataset.ColumnData{Name: "label", Values: make([]float64, rows)}
	sparseData, denseData := []dataset.ColumnData{label}, []dataset.ColumnData{label}
	for f := range features {
		fill := []float64{0, 0, 0, nan}[r.IntN(4)]
		density := r.Float64() * .4
		cells := dataset.Sparse{Fill: fill}
		values := slices.Repeat([]float64{fill}, rows)
		for row, v := range someValues(r, rows) {
			if f%2 == 0 {
				v = float64(float32(v))
			}
			if r.Float64() < density && v != fill && (v == v || fill == 0) {
				cells.Rows, cells.F64 = append(cells.Rows, int32(row)), append(cells.F64, v)
				values[row] = v
			}
		}
		name := fmt.Sprint("x", f)
		sparseData = append(sparseData, dataset.ColumnData{Name: name, Values: cells})
		denseData = append(denseData, dataset.ColumnData{Name: name, Values: values})
	}
	var err error
	if sparse, err = dataset.FromColumns(sparseData, dataset.Label("label")); err != nil {
		t.Fatal(err)
	}
	if dense, err = dataset.FromColumns(denseData, dataset.Label("label")); err != nil {
		t.Fatal(err)
	}
	return sparse, dense
}

func TestFitSparse(t *testing.T) {
	ctx := context.Background()
	t.Run("S0.7/sparse_as_dense", func(t *testing.T) {
		r := rand.New(rand.NewPCG(50, 1))
		stored := 0
		for range cases(3000) {
			rows := 1 + r.IntN(800)
			sparse, dense := twoForms(t, r, rows, 4)
			for _, c := range sparse.Features() {
				if c.Sparse() != nil {
					stored++
				}
			}
			p := params(func(p *binning.Params) {
				p.MaxBin, p.MinDataInBin = 2+r.IntN(60), r.IntN(5)
				p.Sample = []int{0, 1 + r.IntN(rows)}[r.IntN(2)]
				p.WeightedCuts = r.IntN(2) == 0
			})
			weights := make([]float64, rows)
			for row := range weights {
				weights[row] = []float64{0, 1, 2, r.Float64()}[r.IntN(3+rows%2)]
			}
			got, notes, err := binning.Fit(ctx, sparse, weights, p, 3, pool(t, 2))
			if err != nil {
				t.Fatal(err)
			}
			want, wantNotes, err := binning.Fit(ctx, dense, weights, p, 3, pool(t, 2))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) || !slices.Equal(notes, wantNotes) {
				t.Fatalf("%d rows, %+v:\nsparse %+v %q\ndense  %+v %q", rows, p, got, notes, want, wantNotes)
			}
			size := p.Sample
			if size == 0 {
				size = rows
			}
			sample := smallestHashes(rows, size, 3)
			sampled := make([]float64, len(sample))
			for i, row := range sample {
				sampled[i] = weights[row]
			}
			got, _, err = binning.FitSampled(ctx, sparse.Take(sample), populationOf(sparse), sampled, p, pool(t, 1))
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("sample of a sparse table: %v\ngot  %+v\nwant %+v", err, got, want)
			}
		}
		if stored == 0 {
			t.Error("no column was sparse")
		}
	})
	t.Run("S0.8/sparse_golden", func(t *testing.T) {
		// 9,997 zeros that are not stored, and −1, 2 and 3.
		cells := dataset.Sparse{Rows: []int32{7, 5000, 9999}, F32: []float32{3, -1, 2}}
		tab, err := dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: cells, Rows: 10_000}})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "cuts", fit(t, tab, params(nil)).Values, []float32{-.5, 1, 2.5})
		equal(t, "no sampled row stored", fit(t, tab, params(func(p *binning.Params) { p.Sample = 1 })).Values, nil)
	})
}

// manySparse makes features sparse columns with perColumn stored cells on average.
func manySparse(t testing.TB, rows, features, perColumn int) *dataset.Table {
	r := rand.New(rand.NewPCG(50, 2))
	data := []dataset.ColumnData{{Name: "label", Values: make([]float32, rows)}}
	for f := range features {
		cells := dataset.Sparse{}
		gap := 2 * float64(rows) / float64(perColumn)
		for row := r.Float64() * gap; row < float64(rows); row += 1 + math.Floor(r.Float64()*gap) {
			cells.Rows, cells.F32 = append(cells.Rows, int32(row)), append(cells.F32, float32(r.NormFloat64()))
		}
		data = append(data, dataset.ColumnData{Name: fmt.Sprint("x", f), Values: cells})
	}
	tab, err := dataset.FromColumns(data, dataset.Label("label"))
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

// TestFitSparseCost proves that fitting costs as much as there are stored cells: 8,000
// columns of 500,000 rows are 16 GB densely.
func TestFitSparseCost(t *testing.T) {
	tab := manySparse(t, 500_000, 8000, 25)
	start := time.Now()
	allocated := testing.AllocsPerRun(1, func() { fit(t, tab, params(nil)) })
	// Dense copies alone would take minutes; this takes 20 ms a run on an idle core.
	if spent := time.Since(start); spent > 20*time.Second {
		t.Errorf("fitting 8,000 sparse columns twice took %v", spent)
	}
	if allocated > 10*8000 {
		t.Errorf("%v allocations for 8,000 columns", allocated)
	}
}

// BenchmarkFitSparse times Fit for 50,000 columns × 500,000 rows with 12.5 million
// stored cells.
func BenchmarkFitSparse(b *testing.B) {
	tab := manySparse(b, 500_000, 50_000, 250)
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			workers := pool(b, threads)
			for b.Loop() {
				if _, _, err := binning.Fit(context.Background(), tab, nil, binning.Defaults(), 1, workers); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A sparse column may store most of its rows: what CSR leaves out is the most frequent
// code all the same, as of the same values in a dense column.
func TestSparseColumnWithFewFills(t *testing.T) {
	const rows = 1000
	var dense []float64
	var sparse dataset.Sparse
	for row := range rows {
		value := 5.0
		switch row % 10 {
		case 0: // 100 zeros, which are not stored
			dense = append(dense, 0)
			continue
		case 1:
			value = float64(row)
		}
		dense = append(dense, value)
		sparse.Rows, sparse.F64 = append(sparse.Rows, int32(row)), append(sparse.F64, value)
	}
	tables := map[string]*dataset.Table{}
	for name, values := range map[string]any{"sparse": sparse, "dense": dense} {
		rare := dataset.Sparse{Rows: []int32{3, 900}, F64: []float64{1, 2}} // keeps the table sparse
		tab, err := dataset.FromColumns([]dataset.ColumnData{{Name: "a", Values: values}, {Name: "b", Values: rare}, {Name: "y", Values: make([]float64, rows)}}, dataset.Label("y"))
		if err != nil {
			t.Fatal(err)
		}
		tables[name] = tab
	}
	cuts := fit(t, tables["dense"], params(nil))
	for name, tab := range tables {
		m := build(t, cuts, tab, params(func(p *binning.Params) { p.Layout = binning.LayoutCSR }))
		if n := m.CSR().Entries(); n != 200+2 {
			t.Errorf("S1.5: %s: %d cells are stored, want those of 200 rows and 2", name, n)
		}
		for row, v := range dense {
			var want [1]uint32
			cuts.Encode(0, tables["dense"].Features()[0], row, row+1, want[:])
			if got := m.Bin(0, row); got != want[0] {
				t.Fatalf("%s: row %d with %v has code %d, want %d", name, row, v, got, want[0])
			}
		}
	}
}
