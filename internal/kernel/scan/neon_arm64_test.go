//go:build !purego

package scan_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"boost/internal/kernel/scan"
	"boost/internal/paired"
)

// The vectors of arm64 give the answers of the Go form.
func TestNEONGivesGoAnswers(t *testing.T) {
	defer scan.UseGo(false)
	t.Run("rules", func(t *testing.T) { vectorsGiveGoAnswers(t, scan.UseNEON) })
	t.Run("large", func(t *testing.T) { vectorsHoldLargeSums(t, scan.UseNEON) })
}

// BenchmarkNEON takes turns with the Go form.
//
// Bound: two codes are 44 instructions, most of them without the two divisions of float64 that each takes in Go.
func BenchmarkNEON(b *testing.B) {
	defer scan.UseGo(false)
	const codes = 255
	r := rand.New(rand.NewPCG(9, 0))
	f := &scan.Feature[int64, uint64]{Grad: make([]int64, codes), Hess: make([]uint64, codes), Regular: codes}
	for range 100_000 {
		c, g, h := r.IntN(codes), int64(r.IntN(60000)-30000), uint64(r.IntN(65536))
		f.Grad[c] += g
		f.Hess[c] += h
		f.Total.Grad += g
		f.Total.Hess += h
	}
	rule := scan.Rule{MinChild: 1e-3, GradScale: 1e-5, HessScale: 1e-6, MinRows: 20, ProofHess: 19 * 65535}
	side := func(inGo bool) func() {
		return func() {
			scan.UseGo(inGo)
			for range 100 {
				scan.Numeric(f, &rule)
			}
		}
	}
	var took []time.Duration
	for b.Loop() {
		took = paired.Times(time.Second, side(true), side(false))
	}
	b.ReportMetric(float64(took[0])/float64(took[1]), "x_go")
}
