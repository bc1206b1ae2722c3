package infer

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/binning"
	"boost/booster/model/internal/format"
	"boost/dataset"
	"boost/internal/kernel/predict"
	"boost/internal/testenv"
	"boost/parallel"
	"boost/tree"
)

// A round may not allocate for every block of rows that it scores. The pool of
// scorers may be emptied at any time, so one scorer is asked, not AddScores.
func TestScorerAllocatesNothing(t *testing.T) {
	const rows = 5000
	x := make([]float64, rows)
	for i := range x {
		x[i] = rand.New(rand.NewPCG(1, uint64(i))).NormFloat64()
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: x}})
	if err != nil {
		t.Fatal(err)
	}
	pool := parallel.NewPool(1)
	defer pool.Close()
	cuts, _, err := binning.Fit(context.Background(), table, nil, binning.Defaults(), 1, pool)
	if err != nil {
		t.Fatal(err)
	}
	matrix, err := binning.Build(context.Background(), cuts, table, binning.Defaults(), pool)
	if err != nil {
		t.Fatal(err)
	}
	tr := &tree.Tree{
		Feature: []int32{0, 0}, Code: []uint32{100, 200}, Categorical: []bool{false, false}, MissingLeft: []bool{true, false},
		Left: []int32{^0, ^1}, Right: []int32{1, ^2}, Leaf: []float64{1, 2, 3},
	}
	var s scorer
	scores := make([]float64, rows)
	add := func() {
		s.prepare(tr, cuts, matrix)
		predict.AddRange(&s.tree, s.columns, 0, rows, scores, &s.scratch)
	}
	add()
	if n := testing.AllocsPerRun(10, add); n != 0 {
		t.Errorf("scoring allocates %v times a tree", n)
	}
}

// Every layout sends every row where its codes say, also where features share a column:
// the reference looks codes up one by one.
func TestScoresByLayout(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	table := exclusive(t, r, 2*4096+77)
	pool := parallel.NewPool(2)
	defer pool.Close()
	p := binning.Defaults()
	cuts, _, err := binning.Fit(context.Background(), table, nil, p, 1, pool)
	if err != nil {
		t.Fatal(err)
	}
	p.Layout, p.Bundle = binning.LayoutCol, binning.BundleOff
	plain, err := binning.Build(context.Background(), cuts, table, p, pool)
	if err != nil {
		t.Fatal(err)
	}
	features := format.Features(cuts)
	for _, c := range []struct{ layout, missing, bundle string }{
		{"col", "sentinel", "on"}, {"col", "sentinel", "off"}, {"row", "sentinel", "on"}, {"row", "sentinel", "off"},
		{"csr", "sentinel", "off"}, {"ellpack", "sentinel", "off"}, {"col", "mask", "off"},
	} {
		p.Layout, p.MissingAs, p.Bundle = c.layout, c.missing, c.bundle
		m, err := binning.Build(context.Background(), cuts, table, p, pool)
		if err != nil {
			t.Fatal(err)
		}
		if m.Bundled() != (c.layout == "col" && c.bundle == "on") {
			t.Fatalf("%+v: %v", c, m)
		}
		codes, planned := make([]uint32, len(features)), 0
		for range testenv.UnlessShort(40, 8) {
			grown := randomTree(r, plain, features)
			if err := grown.Validate(features); err != nil {
				t.Fatal(err)
			}
			want, got, gotRows := make([]float64, m.NRows()), make([]float64, m.NRows()), make([]float64, m.NRows())
			var rows []uint32
			for row := range want {
				for f := range codes {
					codes[f] = plain.Bin(f, row)
				}
				want[row] = grown.Leaf[grown.LeafIndex(features, codes)]
				if r.IntN(3) > 0 {
					rows = append(rows, uint32(row))
				}
			}
			AddScores(&grown, Coded{Cuts: cuts, Matrix: m}, 0, m.NRows(), got)
			AddScoresRows(&grown, Coded{Cuts: cuts, Matrix: m}, rows, gotRows)
			if gotAll := make([]float64, m.NRows()); AddPlanned(pool, &grown, Coded{Cuts: cuts, Matrix: m}, gotAll) {
				planned += len(grown.Feature)
				if !slices.Equal(gotAll, want) {
					t.Fatalf("%+v: by a plan the rows score %v, want %v", c, gotAll, want)
				}
			}
			listed := make([]bool, len(want))
			for _, row := range rows {
				listed[row] = true
			}
			for row := range want {
				if got[row] != want[row] {
					t.Fatalf("%+v: row %d scores %v, want %v", c, row, got[row], want[row])
				}
				if listed[row] && gotRows[row] != want[row] || !listed[row] && gotRows[row] != 0 {
					t.Fatalf("%+v: row %d of a list (it is in it: %v) scores %v, want %v", c, row, listed[row], gotRows[row], want[row])
				}
			}
		}
		if columns := c.layout == "col" && c.missing == "sentinel"; (planned > 0) != (columns && len(predict.Sets()) > 0) {
			t.Fatalf("%+v: %d splits were planned", c, planned)
		}
	}
}

// exclusive makes a table whose features mostly have one code, in no row two of them
// another: numbers that are mostly 0, that are mostly missing, mostly neither least nor
// greatest, and levels. A feature with any value in any row comes first.
func exclusive(t *testing.T, r *rand.Rand, rows int) *dataset.Table {
	t.Helper()
	const features = 24
	numbers, texts := make([][]float64, features), make([][]string, features)
	any := make([]float64, rows)
	for f := range features {
		numbers[f], texts[f] = make([]float64, rows), make([]string, rows)
		for row := range rows {
			numbers[f][row], texts[f][row] = []float64{0, math.NaN(), 4}[f%3], "usual"
		}
	}
	for row := range rows {
		any[row] = r.NormFloat64()
		f := r.IntN(features)
		numbers[f][row], texts[f][row] = float64(r.IntN(9)), []string{"", "a", "b", "c", "d"}[r.IntN(5)]
		if r.IntN(9) == 0 {
			numbers[f][row] = math.NaN()
		}
	}
	columns := []dataset.ColumnData{{Name: "any", Values: any}}
	var categorical []string
	for f := range features {
		name := fmt.Sprint("f", f)
		if f%4 == 3 {
			categorical = append(categorical, name)
			columns = append(columns, dataset.ColumnData{Name: name, Values: texts[f]})
			continue
		}
		columns = append(columns, dataset.ColumnData{Name: name, Values: numbers[f]})
	}
	table, err := dataset.FromColumns(columns, dataset.Categorical(categorical...), dataset.MissingOnly(""))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// randomTree splits leaves at random, at codes that rows have.
func randomTree(r *rand.Rand, m *binning.Matrix, features []tree.Feature) tree.Tree {
	grown := tree.Tree{Leaf: []float64{1}, SetPtrs: []uint32{0}}
	for range r.IntN(20) {
		f := r.IntN(len(features))
		regular := features[f].Regular
		if regular < 2 {
			continue
		}
		node, leaf, added := int32(len(grown.Feature)), int32(r.IntN(len(grown.Leaf))), int32(len(grown.Leaf))
		for n := range grown.Feature {
			if grown.Left[n] == ^leaf {
				grown.Left[n] = node
			}
			if grown.Right[n] == ^leaf {
				grown.Right[n] = node
			}
		}
		grown.Feature = append(grown.Feature, int32(f))
		grown.Categorical = append(grown.Categorical, features[f].Categorical)
		grown.MissingLeft = append(grown.MissingLeft, r.IntN(2) == 0)
		grown.Left, grown.Right = append(grown.Left, ^leaf), append(grown.Right, ^added)
		grown.Leaf = append(grown.Leaf, float64(added)+1)
		if !features[f].Categorical {
			grown.Code = append(grown.Code, uint32(r.IntN(int(regular)-1)))
			continue
		}
		grown.Code = append(grown.Code, uint32(len(grown.SetPtrs)-1))
		from := len(grown.Sets)
		for code := range regular {
			if r.IntN(2) == 0 && len(grown.Sets)-from < int(regular)-1 {
				grown.Sets = append(grown.Sets, code)
			}
		}
		if len(grown.Sets) == from {
			grown.Sets = append(grown.Sets, m.Bin(f, 0)%regular)
		}
		grown.SetPtrs = append(grown.SetPtrs, uint32(len(grown.Sets)))
	}
	return grown
}
