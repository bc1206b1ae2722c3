package scan_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"boost/benchmarks/paired"
	"boost/internal/cpu"
	"boost/internal/kernel/hist"
	"boost/internal/kernel/scan"
)

// BenchmarkPacked sets the search of packed sums beside that of the same sums taken apart, over features of a
// node with so many rows, none missing: without a bar, and with one above all gains.
//
// Bound: 16 codes are some 40 vector instructions, of which two end in a cycle at best and one on Zen 4: 0.3 to 0.6 ns
// a code at 4 GHz; a call has some 50 before and after that, 15 ns.
func BenchmarkPacked(b *testing.B) {
	if !scan.Use(cpu.AVX512) {
		b.Skip("this machine has no AVX-512")
	}
	r := rand.New(rand.NewPCG(9, 0))
	for _, codes := range []int{16, 64, 255} {
		for _, rows := range []int{30, 300, 60_000} {
			b.Run(fmt.Sprintf("codes=%d/rows=%d", codes, rows), func(b *testing.B) {
				features, words := make([]*scan.Feature[int64, uint64], 28), make([][]uint64, 28)
				for i := range features {
					f := &scan.Feature[int64, uint64]{Grad: make([]int64, codes), Hess: make([]uint64, codes), Regular: codes}
					for range rows {
						c, g, h := r.IntN(codes), int64(r.IntN(60000)-30000), uint64(r.IntN(65536))
						f.Grad[c] += g
						f.Hess[c] += h
						f.Total.Grad += g
						f.Total.Hess += h
					}
					features[i], words[i] = f, make([]uint64, codes)
					packedWords(f, words[i])
				}
				rule := scan.Rule{MinChild: 1e-3, GradScale: 1e-5, HessScale: 1e-6, MinRows: 20, ProofHess: 19 * 65535}
				grad, hess := make([]int64, codes), make([]uint64, codes)
				side := func(least float64) func() {
					return func() {
						var s scan.PackedSplit
						var p scan.Packed
						for range 20 {
							for i, f := range features {
								p.Node(&rule, f.Total)
								p.Codes(&s, words[i], codes, least)
							}
						}
					}
				}
				apart := func() {
					for range 20 {
						for i, f := range features {
							hist.Split(grad, hess, words[i])
							scan.Codes(&scan.Feature[int64, uint64]{Grad: grad, Hess: hess, Regular: codes, Total: f.Total}, &rule)
						}
					}
				}
				var took []time.Duration
				for b.Loop() {
					took = paired.Times(300*time.Millisecond, apart, side(0), side(1e300))
				}
				per := float64(20 * len(features))
				for i, name := range []string{"ns/apart", "ns/packed", "ns/packed_bar"} {
					b.ReportMetric(float64(took[i].Nanoseconds())/per, name)
				}
			})
		}
	}
}
