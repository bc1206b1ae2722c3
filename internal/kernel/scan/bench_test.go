package scan_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"boost/internal/cpu"
	"boost/internal/kernel/scan"
	"boost/internal/paired"
)

// BenchmarkNumeric sets the vector forms beside the Go form, over features of a node with
// so many rows, none missing.
//
// Bound: eight codes are some 46 vector instructions on two ports: 23 cycles (Cascade
// Lake), 1.2 ns a code at 2.5 GHz, and 40 ns for what surrounds them. Their 16 divisions
// would take 32 cycles; most steps do without. With AVX2 four codes are some 45 instructions
// on three ports: 15 cycles, 1.5 ns a code. In Go a code's two divisions take 8 cycles.
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
				side := func(set cpu.Level) func() {
					return func() {
						scan.Use(set)
						for range 20 {
							for _, f := range features {
								scan.Numeric(f, &rule)
							}
						}
					}
				}
				names, sides := []string{"ns/code_go"}, []func(){side(cpu.Generic)}
				for _, set := range []cpu.Level{cpu.AVX2, cpu.AVX512} {
					if scan.Use(set) {
						names, sides = append(names, "ns/code_"+set.String()), append(sides, side(set))
					}
				}
				var took []time.Duration
				for b.Loop() {
					took = paired.Times(300*time.Millisecond, sides...)
				}
				per := float64(20 * codes * len(features))
				for i, name := range names {
					b.ReportMetric(float64(took[i].Nanoseconds())/per, name)
				}
			})
		}
	}
}
