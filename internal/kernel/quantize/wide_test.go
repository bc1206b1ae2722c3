package quantize_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"boost/internal/cpu"
	"boost/internal/kernel/quantize"
	"boost/internal/paired"
	"boost/internal/testenv"
)

// madeWide is made for codes of 32 bits.
type madeWide struct {
	grad []int32
	hess []uint32
	loss quantize.Loss
}

func makeWide(grad, hess []float32, gradScale, hessScale float64) madeWide {
	m := madeWide{grad: make([]int32, len(grad)), hess: make([]uint32, len(grad))}
	m.loss = quantize.Codes(m.grad, m.hess, grad, hess, gradScale, hessScale, math.MaxInt32, math.MaxUint32)
	return m
}

// Vectors give the codes of 32 bits and the loss of the Go form, bit for bit: of quotients of all
// sizes, next to whole numbers and to halves of codes, and at the ends of the codes.
func TestWideVectorsEqualGo(t *testing.T) {
	defer quantize.Use(cpu.Used())
	for _, level := range []cpu.Level{cpu.AVX2, cpu.AVX512} {
		t.Run("S2.37/"+level.String(), func(t *testing.T) {
			testenv.Vectors(t, level)
			r := rand.New(rand.NewPCG(63, 0))
			for try := range 6000 {
				n := r.IntN(130)
				gs, hs := wideScale(r, try), wideScale(r, try)
				grad, hess := make([]float32, n), make([]float32, n)
				// The largest values are up to twice the largest codes.
				mostGrad, mostHess := math.Ldexp(1, 31-r.IntN(32)+try%2), math.Ldexp(1, 32-r.IntN(33)+try%2)
				for i := range n {
					grad[i], hess[i] = hard(r, gs, mostGrad), hard(r, hs, mostHess)
					if r.IntN(2) == 0 {
						grad[i] = -grad[i]
					}
				}
				quantize.Use(cpu.Generic)
				want := makeWide(grad, hess, gs, hs)
				quantize.Use(level)
				got := makeWide(grad, hess, gs, hs)
				for i := range n {
					if got.grad[i] != want.grad[i] || got.hess[i] != want.hess[i] {
						t.Fatalf("row %d of %d, (%v, %v) of scales %v and %v: codes (%d, %d), in Go (%d, %d)",
							i, n, grad[i], hess[i], gs, hs, got.grad[i], got.hess[i], want.grad[i], want.hess[i])
					}
				}
				if got.loss != want.loss {
					t.Fatalf("%d rows of scales %v and %v: loss %+v, in Go %+v", n, gs, hs, got.loss, want.loss)
				}
			}
		})
	}
}

// wideScale draws a scale of which 2³³ are a float32: any, down to the smallest float32, or a power
// of two, whose quotients are exact.
func wideScale(r *rand.Rand, try int) float64 {
	switch try % 5 {
	case 0:
		return float64(math.Float32frombits(1 + r.Uint32N(3)))
	case 1:
		return math.Ldexp(1, r.IntN(120)-140)
	}
	return float64(math.Float32frombits(1 + r.Uint32N(0x6e000000)))
}

// The losses of as many rows as a call may take add up, at their largest.
func TestWideLosses(t *testing.T) {
	defer quantize.Use(cpu.Used())
	const n = 1 << 18
	grad, hess := make([]float32, n), make([]float32, n)
	for i := range grad {
		grad[i], hess[i] = -1.5, 1<<30
	}
	want := quantize.Loss{Error: n << 15, Magnitude: n * 3 << 15, GradRows: n, GradKept: n, HessRows: n, HessKept: n}
	for _, level := range []cpu.Level{cpu.Generic, cpu.AVX2, cpu.AVX512} {
		if !quantize.Use(level) {
			continue
		}
		got := makeWide(grad, hess, 1, 1)
		if got.loss != want {
			t.Errorf("%v: loss %+v, want %+v", level, got.loss, want)
		}
		for i := range got.grad {
			if got.grad[i] != -2 || got.hess[i] != 1<<30 {
				t.Fatalf("%v: row %d has codes (%d, %d), want (-2, 2³⁰)", level, i, got.grad[i], got.hess[i])
			}
		}
	}
}

// BenchmarkWideCodes sets the forms of codes of 32 bits beside each other, a block at a time.
//
// Bound: two divisions a row, of vectors of 8 numbers with AVX-512 and of 4 with AVX2: 2.5 cycles
// on Zen 4. A row is 16 bytes.
func BenchmarkWideCodes(b *testing.B) {
	defer quantize.Use(cpu.Used())
	const n = 1 << 16
	r := rand.New(rand.NewPCG(64, 0))
	grad, hess := make([]float32, n), make([]float32, n)
	for i := range grad {
		grad[i], hess[i] = float32(math.Ldexp(r.NormFloat64(), -r.IntN(30))), float32(math.Ldexp(r.Float64(), -r.IntN(30)))
	}
	gc, hc := make([]int32, n), make([]uint32, n)
	levels := []cpu.Level{cpu.Generic, cpu.AVX2, cpu.AVX512}[:cpu.Used()+1]
	var sides []func()
	for _, level := range levels {
		sides = append(sides, func() {
			quantize.Use(level)
			quantize.Codes(gc, hc, grad, hess, math.Ldexp(1, -28), math.Ldexp(1, -32), math.MaxInt32, math.MaxUint32)
		})
	}
	var took []time.Duration
	for b.Loop() {
		took = paired.Times(time.Second, sides...)
	}
	for i, level := range levels {
		b.ReportMetric(float64(took[i].Nanoseconds())/n, "ns/row_"+level.String())
	}
}
