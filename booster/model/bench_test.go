package model_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"boost/binning"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/cpu"
	"boost/internal/kernel/predict"
	"boost/internal/paired"
	"boost/objectives"
	"boost/parallel"
)

// newNumbers is a model of random trees over numeric features of 255 codes, and rows.
func newNumbers(t testing.TB, rows, trees, leaves, features int) (*model.Model, *dataset.Table) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(trees), uint64(leaves)))
	columns := make([]dataset.ColumnData, features)
	for f := range columns {
		values := make([]float64, rows)
		for i := range values {
			values[i] = float64(float32(r.NormFloat64()))
		}
		columns[f] = dataset.ColumnData{Name: fmt.Sprint("f", f), Values: values}
	}
	tab := table(t, columns)
	pool := parallel.NewPool(1)
	defer pool.Close()
	c := smallContents()
	c.Objective, c.Link, c.Classes, c.Outputs, c.WideRounds = "regression", objectives.Identity, nil, 1, nil
	c.BaseScore, c.Schema, c.BestRound, c.Trees = []float64{0}, tab.Schema(), trees, nil
	var err error
	if c.Cuts, _, err = binning.Fit(context.Background(), tab, nil, binning.Defaults(), 1, pool); err != nil {
		t.Fatal(err)
	}
	for range trees {
		c.Trees = append(c.Trees, randomTree(r, model.Features(c.Cuts), leaves))
	}
	m, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m, tab
}

// BenchmarkEngine sets the engine with plans beside the one with lists: a table in memory
// in, raw scores out, one thread.
//
// Bound: coding a value costs about 0.5 ns, a tree of 31 leaves 0.6 ns a row and one of
// 255 leaves 2.7 ns (see BenchmarkAddTile), so 100 trees over 28 features 75 and 285 ns.
func BenchmarkEngine(b *testing.B) {
	if len(predict.Sets()) == 0 {
		b.Skip("this machine has no vector form")
	}
	for _, trees := range []int{100, 1000} {
		for _, leaves := range []int{31, 255} {
			for _, features := range []int{28, 100} {
				b.Run(fmt.Sprintf("trees=%d/leaves=%d/features=%d", trees, leaves, features), func(b *testing.B) {
					benchmarkEngine(b, trees, leaves, features)
				})
			}
		}
	}
}

func benchmarkEngine(b *testing.B, trees, leaves, features int) {
	const rows = 8192
	planned, tab := newNumbers(b, rows, trees, leaves, features)
	listed, err := model.New(*planned.Contents())
	if err != nil {
		b.Fatal(err)
	}
	model.UseSet(listed, cpu.Generic)
	side := func(m *model.Model) func() {
		return func() {
			if _, err := m.PredictRaw(context.Background(), tab, model.Threads(1)); err != nil {
				b.Fatal(err)
			}
		}
	}
	var took []time.Duration
	for b.Loop() {
		took = paired.Times(time.Second, side(listed), side(planned))
	}
	b.ReportMetric(float64(took[0].Nanoseconds())/rows, "ns/row_lists")
	b.ReportMetric(float64(took[1].Nanoseconds())/rows, "ns/row")
	b.ReportMetric(float64(took[0])/float64(took[1]), "times")
}
