package model

import (
	"context"
	"math/rand/v2"
	"testing"

	"boost/binning"
	"boost/dataset"
	"boost/internal/kernel/predict"
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
