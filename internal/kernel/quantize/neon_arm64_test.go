//go:build !purego

package quantize_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"boost/internal/kernel/quantize"
	"boost/internal/paired"
)

// The vectors of arm64 give the codes, the loss and the ranges of the Go forms, bit for bit.
func TestNEONEqualsGo(t *testing.T) {
	defer quantize.UseNEON(quantize.NEON())
	testVectors(t, quantize.UseNEON)

	t.Run("S2.37/calls", func(t *testing.T) {
		r := rand.New(rand.NewPCG(64, 0))
		for _, n := range []int{quantize.PerCall - 1, quantize.PerCall, quantize.PerCall + 1, 2*quantize.PerCall + 27} {
			grad, hess := make([]float32, n), make([]float32, n)
			for i := range n {
				// All round down or up by half a code, and every sum is as large as it can be.
				grad[i], hess[i] = -32766.5, 65534.5
			}
			at, rows := r.IntN(n), make([]uint16, n)
			compare(t, quantize.UseNEON, grad, hess, 0, rows, &quantize.Rule{GradScale: 1, HessScale: 1, MinGrad: -32767, MaxGrad: 32767, MaxHess: 65535})
			grad[at], hess[at] = 65534, 131070 // as far above the largest code as a value may be
			compare(t, quantize.UseNEON, grad, hess, 0, rows, &quantize.Rule{GradScale: 1, HessScale: 1, MinGrad: -32767, MaxGrad: 32767, MaxHess: 65535})
		}
	})
	t.Run("S2.37/ranges", func(t *testing.T) {
		// What decides stands in every place, among numbers that do not.
		for n := 1; n < 100; n++ {
			grad, hess := make([]float32, n), make([]float32, n)
			for i := range n {
				grad[i], hess[i] = -1, 1
			}
			for at := range n {
				for _, bits := range []uint32{0, 1, 0x80000000, 0x80000001, 0x3f800001, 0xbf800001, 0x7f800000, 0xff800000, 0x7f800001, 0xffffffff} {
					grad[at], hess[at] = math.Float32frombits(bits), math.Float32frombits(bits)
					want := quantize.Range{
						MaxGrad: max(0x3f800000, bits&0x7fffffff), MinHess: min(0x3f800000, int32(bits)), MaxHess: max(0x3f800000, int32(bits)),
					}
					if n == 1 {
						want = quantize.Range{MaxGrad: bits & 0x7fffffff, MinHess: int32(bits), MaxHess: int32(bits)}
					}
					if got := quantize.Scan(grad, hess); got != want {
						t.Fatalf("%d rows, %#x in row %d: %+v, want %+v", n, bits, at, got, want)
					}
				}
				grad[at], hess[at] = -1, 1
			}
		}
	})
}

// BenchmarkNEON takes turns with the Go forms.
//
// Bound: two divisions of two float64 for two rows, and 8 bytes of floats a row.
func BenchmarkNEON(b *testing.B) {
	defer quantize.UseNEON(quantize.NEON())
	const rows = 1 << 16
	r := rand.New(rand.NewPCG(62, 0))
	grad, hess := make([]float32, rows), make([]float32, rows)
	for i := range grad {
		grad[i], hess[i] = float32(r.NormFloat64()), r.Float32()
	}
	g, h := make([]int16, rows), make([]uint16, rows)
	rule := &quantize.Rule{GradScale: 5.0 / 32767, HessScale: 1.0 / 65535, MinGrad: -32767, MaxGrad: 32767, MaxHess: 65535}
	for name, pass := range map[string]func(){
		"ranges": func() { quantize.Scan(grad, hess) },
		"codes":  func() { quantize.Make(g, h, grad, hess, 0, rule) },
	} {
		b.Run(name, func(b *testing.B) {
			side := func(with bool) func() {
				return func() {
					quantize.UseNEON(with)
					pass()
				}
			}
			var took []time.Duration
			for b.Loop() {
				took = paired.Times(time.Second, side(false), side(true))
			}
			b.ReportMetric(float64(took[0])/float64(took[1]), "x_go")
		})
	}
}
