package quantize_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unsafe"

	"boost/benchmarks/paired"
	"boost/internal/cpu"
	"boost/internal/kernel/quantize"
	"boost/internal/need"
)

// made is everything that a pass over rows gives.
type made struct {
	grad []int16
	hess []uint16
	loss quantize.Loss
}

func makeCodes(grad, hess []float32, first uint64, r *quantize.Rule) made {
	m := made{grad: make([]int16, len(grad)), hess: make([]uint16, len(grad))}
	m.loss = quantize.Make(m.grad, m.hess, grad, hess, first, r)
	return m
}

// hard draws a value whose quotient by the unit lies on a whole number, on a half, next to
// one of them, or anywhere.
func hard(r *rand.Rand, unit, most float64) float32 {
	whole := math.Floor(most * r.Float64())
	v := whole * unit
	switch r.IntN(6) {
	case 0:
	case 1:
		v = (whole + 0.5) * unit
	case 2:
		v = whole * unit / 65536
	case 3:
		v = math.Ldexp(r.Float64(), r.IntN(40)-40) * unit
	case 4:
		return 0
	default:
		v = most * r.Float64() * unit
	}
	f := float32(min(v, math.MaxFloat32/2)) // values are finite
	for range r.IntN(3) {
		f = math.Nextafter32(f, math.MaxFloat32)
	}
	for range r.IntN(3) {
		f = math.Nextafter32(f, 0)
	}
	return f
}

// Vectors give the codes and the loss of the Go forms, bit for bit.
func TestVectorsEqualGo(t *testing.T) {
	defer quantize.Use(cpu.Used())
	for _, level := range []cpu.Level{cpu.AVX2, cpu.AVX512} {
		t.Run(level.String(), func(t *testing.T) {
			need.Vectors(t, level)
			testVectors(t, func(vectors bool) {
				if vectors {
					quantize.Use(level)
				} else {
					quantize.Use(cpu.Generic)
				}
			})
		})
	}
}

// testVectors compares what is made with vectors to what is made without.
func testVectors(t *testing.T, use func(vectors bool)) {
	r := rand.New(rand.NewPCG(61, 0))
	for _, mode := range []struct {
		name       string
		maxG, maxH int64
		stochastic bool
	}{{"i16", 32767, 65535, false}, {"i8", 127, 255, true}, {"i4", 7, 15, true}, {"i16_drawn", 32767, 65535, true}, {"i8_nearest", 127, 255, false}} {
		t.Run("S2.37/"+mode.name, func(t *testing.T) {
			for try := range 3000 {
				n := r.IntN(130)
				// Scales of all sizes, the smallest float32 among them.
				gs := float64(math.Float32frombits(1 + r.Uint32N(0x7e000000)))
				hs := float64(math.Float32frombits(1 + r.Uint32N(0x7e000000)))
				if try%5 == 0 {
					gs, hs = float64(math.Float32frombits(1+r.Uint32N(3))), math.Ldexp(1, -140)
				}
				grad, hess := make([]float32, n), make([]float32, n)
				for i := range n {
					grad[i], hess[i] = hard(r, gs, float64(mode.maxG)), hard(r, hs, float64(mode.maxH))
					if r.IntN(2) == 0 {
						grad[i] = -grad[i]
					}
					if hess[i] == 0 && r.IntN(2) == 0 {
						hess[i] = -hess[i]
					}
				}
				rule := &quantize.Rule{
					GradScale: gs, HessScale: hs, MinGrad: -mode.maxG, MaxGrad: mode.maxG, MaxHess: mode.maxH,
					Stochastic: mode.stochastic, Key: r.Uint64(),
				}
				if try%7 == 0 && n > 0 {
					rule.EqualHess = true
					for i := range hess {
						hess[i] = hess[0]
					}
				}
				first := uint64(r.Uint32())
				use(false)
				want := makeCodes(grad, hess, first, rule)
				use(true)
				got := makeCodes(grad, hess, first, rule)
				for i := range n {
					if got.grad[i] != want.grad[i] || got.hess[i] != want.hess[i] {
						t.Fatalf("try %d: row %d of %d, (%v, %v) by %+v: codes (%d, %d), in Go (%d, %d)",
							try, i, n, grad[i], hess[i], rule, got.grad[i], got.hess[i], want.grad[i], want.hess[i])
					}
				}
				if got.loss != want.loss {
					t.Fatalf("try %d, %d rows, %+v: loss %+v, in Go %+v", try, n, rule, got.loss, want.loss)
				}
			}
		})
	}
	t.Run("S2.37/range", func(t *testing.T) {
		for range 3000 {
			n := r.IntN(100)
			grad, hess := make([]float32, n), make([]float32, n)
			for i := range n { // any bits: NaN, infinities, subnormal numbers, minus zero
				grad[i], hess[i] = math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32()>>1)
				if r.IntN(20) == 0 {
					hess[i] = -hess[i]
				}
			}
			use(false)
			want := quantize.Scan(grad, hess)
			use(true)
			if got := quantize.Scan(grad, hess); got != want {
				t.Fatalf("%d rows: %+v, in Go %+v", n, got, want)
			}
		}
	})
}

// Nothing before and behind the codes is written.
func TestVectorsStayInTheirSlices(t *testing.T) {
	const room = 40
	grad, hess := make([]float32, 200), make([]float32, 200)
	for i := range grad {
		grad[i], hess[i] = float32(i), float32(i)
	}
	for n := range 100 {
		for _, stochastic := range []bool{false, true} {
			g, h := make([]int16, n+2*room), make([]uint16, n+2*room)
			for i := range g {
				g[i], h[i] = -77, 77
			}
			rule := &quantize.Rule{GradScale: 1, HessScale: 1, MinGrad: -127, MaxGrad: 127, MaxHess: 255, Stochastic: stochastic}
			quantize.Make(g[room:room+n], h[room:room+n], grad[:n], hess[:n], 0, rule)
			for i := range g {
				inside := i >= room && i < room+n
				if !inside && (g[i] != -77 || h[i] != 77) {
					t.Fatalf("%d rows: entry %d is written", n, i-room)
				}
				if inside && int(g[i]) != min(i-room, 127) {
					t.Fatalf("%d rows: code %d is %d", n, i-room, g[i])
				}
			}
		}
	}
}

// BenchmarkQuantizeGradients holds the vector forms to three times the Go forms and to
// 4 GB of floats a second.
//
// Bound: two divisions a row, of which eight take 16 cycles: 1.3 ns at 3.1 GHz.
func BenchmarkQuantizeGradients(b *testing.B) {
	if cpu.Used() == cpu.Generic {
		b.Skip("this machine has no vector form")
	}
	defer quantize.Use(cpu.Used())
	const block, rows = 1 << 16, 1_000_000
	r := rand.New(rand.NewPCG(62, 0))
	grad, hess := make([]float32, rows), make([]float32, rows)
	for i := range grad {
		grad[i], hess[i] = float32(r.NormFloat64()), r.Float32()
	}
	g, h := make([]int16, rows), make([]uint16, rows)
	for _, stochastic := range []bool{false, true} {
		b.Run(fmt.Sprintf("S2.37/1M/stochastic=%v", stochastic), func(b *testing.B) {
			rule := &quantize.Rule{GradScale: 5.0 / 32767, HessScale: 1.0 / 65535, MinGrad: -32767, MaxGrad: 32767, MaxHess: 65535, Stochastic: stochastic, Key: 5}
			levels := []cpu.Level{cpu.Generic, cpu.AVX2, cpu.AVX512}[:cpu.Used()+1]
			if stochastic && len(levels) > 2 {
				levels = slices.Delete(levels, 1, 2) // AVX2 multiplies no 64-bit numbers: draws are made in Go
			}
			var sides []func()
			for _, level := range levels {
				sides = append(sides, func() {
					quantize.Use(level)
					for lo := 0; lo < rows; lo += block {
						hi := min(lo+block, rows)
						quantize.Make(g[lo:hi], h[lo:hi], grad[lo:hi], hess[lo:hi], uint64(lo), rule)
					}
				})
			}
			var took []time.Duration
			for b.Loop() {
				took = paired.Times(2*time.Second, sides...)
			}
			bytes := float64(rows) * float64(unsafe.Sizeof(grad[0])+unsafe.Sizeof(hess[0]))
			for i, level := range levels[1:] {
				ratio, speed := float64(took[0])/float64(took[1+i]), bytes/took[1+i].Seconds()/1e9
				b.ReportMetric(ratio, "times_go_"+level.String())
				b.ReportMetric(speed, "GB/s_"+level.String())
				if last := i == len(levels)-2; last && (ratio < 3 || speed < 4 && !stochastic) {
					b.Errorf("%.2f times the Go form, at least 3; %.2f GB of floats a second, at least 4", ratio, speed)
				}
			}
		})
	}
}

// The codes of listed rows are those of all rows.
func TestListedRowsHaveTheCodesOfAllRows(t *testing.T) {
	r := rand.New(rand.NewPCG(63, 0))
	const n = 3000
	grad, hess := make([]float32, n), make([]float32, n)
	var rows []uint16
	for i := range n {
		grad[i], hess[i] = float32(r.NormFloat64()), r.Float32()
		if r.IntN(3) == 0 {
			rows = append(rows, uint16(i))
		}
	}
	for _, stochastic := range []bool{false, true} {
		rule := &quantize.Rule{GradScale: 0.03, HessScale: 0.004, MinGrad: -127, MaxGrad: 127, MaxHess: 255, Stochastic: stochastic, Key: 9}
		all := makeCodes(grad, hess, 1000, rule)
		g, h := make([]int16, n), make([]uint16, n)
		quantize.MakeRows(g, h, grad, hess, 1000, rows, rule)
		for i := range n {
			if in := slices.Contains(rows, uint16(i)); in && (g[i] != all.grad[i] || h[i] != all.hess[i]) || !in && (g[i] != 0 || h[i] != 0) {
				t.Fatalf("stochastic %v: row %d has codes (%d, %d), among all rows (%d, %d)", stochastic, i, g[i], h[i], all.grad[i], all.hess[i])
			}
		}
	}
}
