package binning_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"boost/binning"
	"boost/dataset"
	"boost/parallel"
)

// Codes of some rows are those of a table of these rows, dense and sparse, in every layout.
func TestTakeCodes(t *testing.T) {
	const n = 900
	r := rand.New(rand.NewPCG(3, 9))
	dense, zeros, wide, levels := make([]float64, n), make([]float64, n), make([]float64, n), make([]string, n)
	for i := range n {
		dense[i], wide[i], levels[i] = float64(r.IntN(12)), r.NormFloat64(), string('a'+rune(r.IntN(4)))
		if r.IntN(30) == 0 {
			zeros[i] = float64(1 + r.IntN(5))
		}
		if r.IntN(20) == 0 {
			wide[i] = math.NaN()
		}
	}
	ctx := context.Background()
	pool := parallel.NewPool(2)
	defer pool.Close()
	for _, columns := range [][]dataset.ColumnData{
		{{Name: "dense", Values: dense}, {Name: "wide", Values: wide}, {Name: "levels", Values: levels}},
		{{Name: "zeros", Values: zeros}, {Name: "dense", Values: dense}, {Name: "zeros2", Values: zeros}, {Name: "wide", Values: wide}},
	} {
		table, err := dataset.FromColumns(columns)
		if err != nil {
			t.Fatal(err)
		}
		p := binning.Defaults()
		p.MaxBin = 300
		cuts, _, err := binning.Fit(ctx, table, nil, p, 1, pool)
		if err != nil {
			t.Fatal(err)
		}
		for _, share := range []int{1, 2, 50, 2000} { // one row in so many
			var rows []int32
			for row := range n {
				if r.IntN(share) == 0 {
					rows = append(rows, int32(row))
				}
			}
			for _, layout := range []string{"auto", "col", "row", "csr"} {
				p.Layout = layout
				codes, err := binning.Code(ctx, cuts, table, p, pool)
				if err != nil {
					t.Fatal(err)
				}
				got, err := codes.Take(rows).Matrix(ctx, p, pool)
				if err != nil {
					t.Fatal(err)
				}
				whole, err := codes.Matrix(ctx, p, pool)
				if err != nil {
					t.Fatal(err)
				}
				for f := range columns {
					for i, row := range rows {
						if g, w := got.Bin(f, i), whole.Bin(f, int(row)); g != w {
							t.Fatalf("layout %s, one row in %d, feature %d, row %d: code %d, want %d", layout, share, f, row, g, w)
						}
					}
				}
			}
		}
	}
}
