package loss_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"boost/internal/cpu"
	"boost/internal/kernel/loss"
	"boost/internal/paired"
)

// BenchmarkVectors sets the vector forms beside the Go forms, over one block of rows.
//
// Bound: with AVX-512 (Cascade Lake, 2.5 GHz, two vector ports) 8 rows of the logistic
// loss are 49 vector instructions that compute, 11 of them on one port only, and a
// division of 16 cycles: 33 cycles, 1.7 ns a row. A score of softmax takes two
// exponentials of 35 instructions and 9 more: 40 cycles for 8, 2 ns. With AVX2 a row's division
// takes 2 cycles, and its node 6 instructions for itself; log looks up three tables, 15 loads and moves a row (Zen 3: 3 ns, in Go 14). Squared moves 24 bytes a row.
func BenchmarkVectors(b *testing.B) {
	b.Cleanup(loss.UseBest)
	const n, k = 4096, 7
	r := rand.New(rand.NewPCG(1, 2))
	scores, labels, classes, weights := make([]float64, n*k), make([]float64, n), make([]float64, n), make([]float64, n)
	grad, hess := make([]float32, n*k), make([]float32, n*k)
	powers, sizes := make([]float64, n), make([]float64, n)
	for i := range scores {
		scores[i] = r.NormFloat64() * 3
	}
	for i := range sizes {
		sizes[i] = r.Float64()
	}
	for i := range labels {
		labels[i], classes[i], weights[i] = float64(r.IntN(2)), float64(r.IntN(k)), r.Float64()
	}
	for _, c := range []struct {
		name string
		rows float64
		f    func()
	}{
		{"loss=squared", n, func() { loss.Squared(grad[:n], hess[:n], scores[:n], labels, nil) }},
		{"loss=squared/weights=yes", n, func() { loss.Squared(grad[:n], hess[:n], scores[:n], labels, weights) }},
		{"loss=logistic", n, func() { loss.Logistic(grad[:n], hess[:n], scores[:n], labels, nil) }},
		{"loss=logistic/weights=yes", n, func() { loss.Logistic(grad[:n], hess[:n], scores[:n], labels, weights) }},
		{"function=exp", n, func() { loss.Exp(powers, scores[:n]) }},
		{"function=log", n, func() { loss.Log(powers, sizes) }},
		{"loss=softmax/classes=7", n * k, func() { loss.Softmax(grad, hess, scores, classes, nil, k, n, 0, n, 7.0/6) }},
		{"loss=softmax/classes=7/weights=yes", n * k, func() { loss.Softmax(grad, hess, scores, classes, weights, k, n, 0, n, 7.0/6) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			side := func(l cpu.Level) func() {
				return func() {
					loss.Use(l)
					c.f()
				}
			}
			names, sides := []string{"ns/score_go"}, []func(){side(cpu.Generic)}
			for _, l := range []cpu.Level{cpu.AVX2, cpu.AVX512} {
				if loss.Use(l) {
					names, sides = append(names, "ns/score_"+l.String()), append(sides, side(l))
				}
			}
			if len(sides) == 1 {
				b.Skip("this machine has no vector form")
			}
			var took []time.Duration
			for b.Loop() {
				took = paired.Times(time.Second, sides...)
			}
			for i, name := range names {
				b.ReportMetric(float64(took[i].Nanoseconds())/c.rows, name)
			}
			for i, name := range names[1:] {
				if took[i+1] > took[0] {
					b.Errorf("%s: %v, in Go %v", name, took[i+1], took[0])
				}
			}
		})
	}
}
