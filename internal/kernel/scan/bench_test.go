package scan_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"boost/benchmarks/paired"
	"boost/internal/kernel/scan"
)

// BenchmarkNumeric sets the vector form beside the Go form, over features of a node with
// so many rows, none missing.
//
// Bound: a code takes two divisions. With AVX-512 16 of them take 32 cycles (Cascade
// Lake): 4 cycles a code, 1.6 ns at 2.5 GHz; one by one they take 8 cycles.
func BenchmarkNumeric(b *testing.B) {
	if !scan.UseGo(false) {
		b.Skip("this machine has no vector form")
	}
	defer scan.UseGo(false)
	r := rand.New(rand.NewPCG(9, 0))
	for _, codes := range []int{13, 16, 32, 64, 255} {
		for _, rows := range []int{30, 300, 100_000} {
			b.Run(fmt.Sprintf("codes=%d/rows=%d", codes, rows), func(b *testing.B) {
				features := make([]*scan.Feature[int64, uint64], 28)
				for i := range features {
					f := &scan.Feature[int64, uint64]{Grad: make([]int64, codes), Hess: make([]uint64, codes), Regular: codes}
					for range rows {
						c, g, h := r.IntN(codes), int64(r.IntN(60000)-30000), uint64(r.IntN(65536))
						f.Grad[c] += g
						f.Hess[c] += h
						f.Total.Grad += g
						f.Total.Hess += h
					}
					features[i] = f
				}
				rule := scan.Rule{MinChild: 1e-3, GradScale: 1e-5, HessScale: 1e-6, MinRows: 20, ProofHess: 19 * 65535}
				side := func(inGo bool) func() {
					return func() {
						scan.UseGo(inGo)
						for range 20 {
							for _, f := range features {
								scan.Numeric(f, &rule)
							}
						}
					}
				}
				var took []time.Duration
				for b.Loop() {
					took = paired.Times(300*time.Millisecond, side(true), side(false))
				}
				per := float64(20 * codes * len(features))
				b.ReportMetric(float64(took[0].Nanoseconds())/per, "ns/code_go")
				b.ReportMetric(float64(took[1].Nanoseconds())/per, "ns/code")
			})
		}
	}
}
