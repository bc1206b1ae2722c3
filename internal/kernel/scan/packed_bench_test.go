package scan_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"boost/internal/cpu"
	"boost/internal/kernel/hist"
	"boost/internal/kernel/scan"
	"boost/internal/paired"
)

// BenchmarkPacked sets the search of packed sums beside that of the same sums taken apart, over features of a
// node with so many rows, none missing: one by one without a bar, and with one above all gains, and by bounds.
//
// Bound: 16 codes are some 40 vector instructions, of which two end in a cycle at best and one on Zen 4: 0.3 to 0.6 ns
// a code at 4 GHz; a feature has some 20 before and after that, and a call of one 50.
func BenchmarkPacked(b *testing.B) {
	if !scan.Use(cpu.AVX2) {
		b.Skip("this machine has no vectors")
	}
	scan.UseGo(false)
	r := rand.New(rand.NewPCG(9, 0))
	for _, codes := range []int{16, 64, 255} {
		for _, rows := range []int{30, 300, 60_000} {
			b.Run(fmt.Sprintf("codes=%d/rows=%d", codes, rows), func(b *testing.B) {
				features, words := make([]*scan.Feature[int64, uint64], 28), make([]uint64, 28*codes)
				spans, all := make([]scan.Span, 28), make([]int, 28)
				for i := range features {
					f := &scan.Feature[int64, uint64]{Grad: make([]int64, codes), Hess: make([]uint64, codes), Regular: codes}
					for row := range rows { // the same totals for all
						c, g, h := r.IntN(codes), int64((row*7919)%60000-30000), uint64((row*104729)%65536)
						f.Grad[c] += g
						f.Hess[c] += h
						f.Total.Grad += g
						f.Total.Hess += h
					}
					features[i] = f
					packedWords(f, words[i*codes:][:codes])
					spans[i], all[i] = scan.Span{From: uint32(i * codes), Regular: uint32(codes)}, i
				}
				rule := scan.Rule{MinChild: 1e-3, GradScale: 1e-5, HessScale: 1e-6, MinRows: 20, ProofHess: 19 * 65535}
				grad, hess := make([]int64, codes), make([]uint64, codes)
				var p scan.Packed
				p.Prepare(&rule, features[0].Total)
				side := func(least float64) func() {
					return func() {
						for range 20 {
							for i := range features {
								scan.Numeric(&scan.Feature[int64, uint64]{Words: words[i*codes:][:codes], Node: &p, Regular: codes, Total: features[i].Total, Least: least}, &rule)
							}
						}
					}
				}
				bounds := make([]float32, len(features))
				bound := func() {
					for range 20 {
						p.Bounds(bounds, words, spans, all)
					}
				}
				apart := func() {
					for range 20 {
						for i, f := range features {
							hist.Split(grad, hess, words[i*codes:][:codes])
							scan.Numeric(&scan.Feature[int64, uint64]{Grad: grad, Hess: hess, Regular: codes, Total: f.Total}, &rule)
						}
					}
				}
				var took []time.Duration
				for b.Loop() {
					took = paired.Times(300*time.Millisecond, apart, side(0), side(1e300), bound)
				}
				per := float64(20 * len(features))
				for i, name := range []string{"ns/apart", "ns/packed", "ns/packed_bar", "ns/bounds"} {
					b.ReportMetric(float64(took[i].Nanoseconds())/per, name)
				}
			})
		}
	}
}
