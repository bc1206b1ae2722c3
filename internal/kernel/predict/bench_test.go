package predict_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"boost/internal/kernel/predict"
	"boost/internal/paired"
	"boost/tree"
)

// BenchmarkAddTile sets a plan beside the lists of AddRange, over trees and rows that
// stay in the caches.
//
// Bound: a step reads a code, two leaves and writes one in 64 bytes at a time, three loads
// at two a cycle: for 30 steps 0.7 cycles a row. A row's leaf value takes one load by an
// index and 24 bytes more of scores, 0.7 cycles. That is 0.6 ns at 2.5 GHz; for 254 steps
// 2.7 ns.
func BenchmarkAddTile(b *testing.B) {
	for _, leaves := range []int{31, 255} {
		for _, features := range []int{28, 100} {
			b.Run(fmt.Sprintf("leaves=%d/features=%d", leaves, features), func(b *testing.B) {
				benchmarkAddTile(b, leaves, features)
			})
		}
	}
}

func benchmarkAddTile(b *testing.B, leaves, features int) {
	const trees, tiles = 20, 4
	if len(predict.Sets()) == 0 {
		b.Skip("this machine has no vector form")
	}
	set := predict.Sets()[0]
	r := rand.New(rand.NewPCG(1, 2))
	bits := make([]uint8, features)
	base := &scene{features: make([]tree.Feature, features)}
	for f := range bits {
		bits[f], base.features[f].Regular = 8, 250
	}
	codes := make([][]uint8, tiles)
	columns := make([]predict.Column, features)
	for f := range columns {
		columns[f].Bits = 8
	}
	for i := range codes {
		codes[i] = predict.Aligned(features * predict.TileRows)
		for at := range codes[i] {
			codes[i][at] = uint8(r.IntN(250))
		}
		for f := range columns {
			columns[f].U8 = append(columns[f].U8, codes[i][f*predict.TileRows:][:predict.TileRows]...)
		}
	}
	plans, compiled := make([]predict.Plan, trees), make([]*predict.Tree, trees)
	for i := range plans {
		s := &scene{features: base.features}
		s.grow(r, leaves)
		compiled[i] = s.compile()
		plans[i], _ = predict.MakePlan(compiled[i], bits)
	}
	const rows = tiles * predict.TileRows
	scores := make([]float64, rows)
	var scratch predict.Scratch
	var area predict.Area
	lists := func() {
		for _, t := range compiled {
			predict.AddRange(t, columns, 0, rows, scores, &scratch)
		}
	}
	vectors := func() {
		for tile := range codes {
			for i := range plans {
				plans[i].AddTile(set, codes[tile], (*[predict.TileRows]float64)(scores[tile*predict.TileRows:]), &area)
			}
		}
	}
	var took []time.Duration
	for b.Loop() {
		took = paired.Times(time.Second, lists, vectors)
	}
	perRow := func(t time.Duration) float64 { return float64(t.Nanoseconds()) / rows / trees }
	b.ReportMetric(perRow(took[0]), "ns/row_lists")
	b.ReportMetric(perRow(took[1]), "ns/row")
	b.ReportMetric(float64(took[0])/float64(took[1]), "times")
}
