package quantize_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
	"time"
	"unsafe"

	"boost/internal/cpu"
	"boost/internal/kernel/quantize"
	"boost/internal/paired"
	"boost/internal/rng"
	"boost/internal/testenv"
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
			testenv.Vectors(t, level)
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

// kinds are the rules that codes are made by.
var kinds = []struct {
	name             string
	minG, maxG, maxH int64
	stochastic       bool
}{
	{"i16", -32767, 32767, 65535, false}, {"i8", -127, 127, 255, true}, {"i4", -7, 7, 15, true},
	{"i16_drawn", -32767, 32767, 65535, true}, {"i8_nearest", -127, 127, 255, false}, {"i4_nearest", -7, 7, 15, false},
	{"i16_asymmetric", -32768, 32767, 65535, false}, {"i16_asymmetric_drawn", -32768, 32767, 65535, true},
}

// makeListed makes the codes of a list of rows of which values are those brought together.
func makeListed(grad, hess []float32, first uint64, rows []uint16, r *quantize.Rule) made {
	m := made{grad: make([]int16, len(grad)), hess: make([]uint16, len(grad))}
	m.loss = quantize.MakeListed(m.grad, m.hess, grad, hess, first, rows, r)
	return m
}

// compare makes codes by plain Go and by vectors, of rows in order and of a list of them.
func compare(t *testing.T, use func(vectors bool), grad, hess []float32, first uint64, rows []uint16, rule *quantize.Rule) {
	t.Helper()
	for _, form := range []struct {
		name string
		run  func() made
	}{
		{"in order", func() made { return makeCodes(grad, hess, first, rule) }},
		{"listed", func() made { return makeListed(grad, hess, first, rows, rule) }},
	} {
		use(false)
		want := form.run()
		use(true)
		got := form.run()
		for i := range grad {
			if got.grad[i] != want.grad[i] || got.hess[i] != want.hess[i] {
				t.Fatalf("%s: row %d of %d, (%v, %v) by %+v: codes (%d, %d), in Go (%d, %d)",
					form.name, i, len(grad), grad[i], hess[i], rule, got.grad[i], got.hess[i], want.grad[i], want.hess[i])
			}
		}
		if got.loss != want.loss {
			t.Fatalf("%s: %d rows, %+v: loss %+v, in Go %+v", form.name, len(grad), rule, got.loss, want.loss)
		}
	}
}

// list draws n different row numbers of a block, in order.
func list(r *rand.Rand, n int) []uint16 {
	rows := make([]uint16, n)
	for i, row := range r.Perm(1 << 16)[:n] {
		rows[i] = uint16(row)
	}
	slices.Sort(rows)
	return rows
}

// testVectors compares what is made with vectors to what is made without.
func testVectors(t *testing.T, use func(vectors bool)) {
	r := rand.New(rand.NewPCG(61, 0))
	rows := list(r, 130)
	for _, kind := range kinds {
		t.Run("S2.37/"+kind.name, func(t *testing.T) {
			for try := range 3000 {
				n := r.IntN(130)
				// Scales of all sizes, the smallest float32 among them.
				gs := float64(math.Float32frombits(1 + r.Uint32N(0x7e000000)))
				hs := float64(math.Float32frombits(1 + r.Uint32N(0x7e000000)))
				if try%5 == 0 {
					gs, hs = float64(math.Float32frombits(1+r.Uint32N(3))), math.Ldexp(1, -140)
				}
				rule := &quantize.Rule{
					GradScale: gs, HessScale: hs, MinGrad: kind.minG, MaxGrad: kind.maxG, MaxHess: kind.maxH,
					Stochastic: kind.stochastic, Key: r.Uint64(),
				}
				asymmetric := kind.minG != -kind.maxG
				if asymmetric && try%11 != 0 { // an offset of 0 is one, too
					rule.GradOffset = float64(hard(r, gs, math.Ldexp(1, r.IntN(30)))) * float64(1-2*r.IntN(2))
				}
				grad, hess := make([]float32, n), make([]float32, n)
				for i := range n {
					grad[i], hess[i] = hard(r, gs, float64(kind.maxG)), hard(r, hs, float64(kind.maxH))
					if r.IntN(2) == 0 {
						grad[i] = -grad[i]
					}
					if hess[i] == 0 && r.IntN(2) == 0 {
						hess[i] = -hess[i]
					}
					if asymmetric {
						grad[i] = float32(max(min(float64(grad[i])+rule.GradOffset, math.MaxFloat32), -math.MaxFloat32))
					}
				}
				if try%7 == 0 && n > 0 {
					rule.EqualHess = true
					for i := range hess {
						hess[i] = hess[0]
					}
				}
				compare(t, use, grad, hess, uint64(r.Uint32()), rows[:n], rule)
			}
		})
	}
	// Whatever bits values and rules have: NaN, infinities, subnormal numbers, minus signs,
	// scales of 0. Plain rounding to the nearest is left out: Codes is not for such values.
	t.Run("S2.37/any_bits", func(t *testing.T) {
		special := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1e-320, math.MaxFloat64, -1, 5e-324}
		for try := range 4000 {
			n := r.IntN(130)
			kind := kinds[r.IntN(len(kinds))]
			number := func() float64 {
				if r.IntN(8) == 0 {
					return special[r.IntN(len(special))]
				}
				return float64(math.Float32frombits(r.Uint32() >> 1))
			}
			rule := &quantize.Rule{
				GradScale: number(), HessScale: number(), GradOffset: number(),
				MinGrad: kind.minG, MaxGrad: kind.maxG, MaxHess: kind.maxH, Stochastic: kind.stochastic, Key: r.Uint64(),
			}
			if rule.GradOffset == 0 && !kind.stochastic {
				rule.GradOffset = 1
			}
			if try%3 == 0 { // only the values are unusual
				rule.GradScale, rule.HessScale, rule.GradOffset = 0.5, 0.25, 3
			}
			grad, hess := make([]float32, n), make([]float32, n)
			for i := range n {
				grad[i], hess[i] = float32(r.NormFloat64()), r.Float32()
				if try%2 == 0 && r.IntN(20) == 0 {
					grad[i] = math.Float32frombits(r.Uint32())
				}
				if try%4 < 2 && r.IntN(20) == 0 {
					hess[i] = math.Float32frombits(r.Uint32())
				}
				switch one := float32(special[r.IntN(len(special))]); r.IntN(200) {
				case 0:
					grad[i] = one
				case 1:
					hess[i] = one
				}
			}
			compare(t, use, grad, hess, uint64(r.Uint32()), rows[:n], rule)
		}
	})
	// At the ends of the codes, a step beyond, and halfway.
	t.Run("S2.37/limits", func(t *testing.T) {
		for _, kind := range kinds {
			rule := &quantize.Rule{
				GradScale: 0.5, HessScale: 2, MinGrad: kind.minG, MaxGrad: kind.maxG, MaxHess: kind.maxH,
				Stochastic: kind.stochastic, Key: 11,
			}
			if kind.minG != -kind.maxG {
				rule.GradOffset = -64
			}
			var grad, hess []float32
			for _, code := range []float64{0, 1, float64(kind.maxG) - 1, float64(kind.maxG), float64(kind.maxG) + 1, float64(kind.minG), float64(kind.minG) - 1} {
				for _, part := range []float64{-0.5, -0.25, 0, 0.25, 0.5} {
					grad = append(grad, float32((code+part)*rule.GradScale+rule.GradOffset), float32(math.Copysign(0, -1)))
					hess = append(hess, float32(math.Abs(code+part)*rule.HessScale), float32((float64(kind.maxH)+part)*rule.HessScale))
				}
			}
			compare(t, use, grad, hess, 0, rows[:len(grad)], rule)
		}
	})
	// Quotients in 1/65,536 as near to whole numbers as floats lie to each other, on either side,
	// where products alone do not tell which it is; the other rows of a round are not so near.
	t.Run("S2.37/next_to_whole_numbers", func(t *testing.T) {
		for try := range 8000 {
			kind := kinds[r.IntN(len(kinds))]
			whole := func(most int64) float64 { // of all sizes, halves of codes among them
				if n := r.Uint64N(uint64(most)); r.IntN(2) == 0 {
					return float64(2*n+1) * 32768
				}
				return float64(1 + r.Uint64N(uint64(most)<<16)>>r.IntN(40))
			}
			scale := func(value float32, whole float64) float64 {
				unit := float64(value) / whole
				for range r.IntN(4) {
					unit = math.Nextafter(unit, math.Inf(2*(try%2)-1))
				}
				return unit * 65536
			}
			g, h := math.Float32frombits(0x20000000+r.Uint32N(0x30000000)), math.Float32frombits(0x20000000+r.Uint32N(0x30000000))
			rule := &quantize.Rule{
				GradScale: scale(g, whole(kind.maxG)), HessScale: scale(h, whole(kind.maxH)),
				MinGrad: kind.minG, MaxGrad: kind.maxG, MaxHess: kind.maxH, Stochastic: kind.stochastic, Key: r.Uint64(),
			}
			if kind.minG != -kind.maxG {
				rule.GradOffset = float64(g) * (2*r.Float64() - 1)
			}
			grad, hess := make([]float32, 48), make([]float32, 48)
			for i := range grad {
				grad[i], hess[i] = g*r.Float32(), h*r.Float32()
				if i >= 16 && r.IntN(2) == 0 {
					grad[i], hess[i] = float32(math.Copysign(float64(g), float64(r.IntN(2))-0.5)), h
				}
			}
			compare(t, use, grad, hess, 0, rows[:48], rule)
		}
	})
	// Sums of as many rows as one call takes, of the largest codes and of the largest errors.
	t.Run("S2.37/largest_sums", func(t *testing.T) {
		n := 1<<18 + 40
		grad, hess := make([]float32, n), make([]float32, n)
		for _, kind := range kinds {
			rule := &quantize.Rule{GradScale: 0.5, HessScale: 2, MinGrad: kind.minG, MaxGrad: kind.maxG, MaxHess: kind.maxH, Stochastic: kind.stochastic}
			if kind.minG != -kind.maxG {
				rule.GradOffset = 1
			}
			for _, part := range []float64{0, 0.5, 0.49} {
				for i := range grad {
					grad[i], hess[i] = float32((float64(kind.maxG)-part)*rule.GradScale), float32((float64(kind.maxH)-part)*rule.HessScale)
				}
				use(false)
				want := makeCodes(grad, hess, 0, rule)
				use(true)
				if got := makeCodes(grad, hess, 0, rule); !slices.Equal(got.grad, want.grad) || !slices.Equal(got.hess, want.hess) || got.loss != want.loss {
					t.Fatalf("%+v, the largest codes less %v: loss %+v, in Go %+v", rule, part, got.loss, want.loss)
				}
			}
		}
	})
	t.Run("S2.37/span", func(t *testing.T) {
		for try := range 3000 {
			n := r.IntN(100)
			grad := make([]float32, n)
			for i := range n {
				switch grad[i] = math.Float32frombits(r.Uint32()); {
				case try%4 == 0: // zeros alone, of both signs
					grad[i] = float32(math.Copysign(0, float64(r.IntN(2))-0.5))
				case try%4 == 1: // the lowest bits decide
					grad[i] = math.Float32frombits(r.Uint32() & 0x8000_0003)
				case try%4 == 2 && grad[i] != grad[i]:
					grad[i] = float32(math.Inf(r.IntN(2)*2 - 1))
				}
			}
			all := make([]uint16, n)
			for i := range all {
				all[i] = uint16(i)
			}
			wantLow, wantHigh := float32(math.Inf(1)), float32(math.Inf(-1))
			for _, g := range grad {
				wantLow, wantHigh = min(wantLow, g), max(wantHigh, g)
			}
			for _, vectors := range []bool{false, true} {
				use(vectors)
				if low, high := quantize.Span(grad); !same(low, wantLow) || !same(high, wantHigh) {
					t.Fatalf("%v: by vectors %v from %v to %v, want from %v to %v", grad, vectors, low, high, wantLow, wantHigh)
				}
			}
			if low, high := quantize.SpanRows(grad, all); !same(low, wantLow) || !same(high, wantHigh) {
				t.Fatalf("%v, listed: from %v to %v, want from %v to %v", grad, low, high, wantLow, wantHigh)
			}
		}
	})
	t.Run("S2.37/packed", func(t *testing.T) {
		for range 300 {
			n := r.IntN(3000)
			grad, hess := make([]float32, n), make([]float32, n)
			for i := range n {
				grad[i], hess[i] = float32(r.NormFloat64()), r.Float32()
			}
			rows := list(r, n/2)
			rows = rows[:sort.Search(len(rows), func(i int) bool { return int(rows[i]) >= n })]
			rule := &quantize.Rule{GradScale: 0.7, HessScale: 0.07, MinGrad: -7, MaxGrad: 7, MaxHess: 15, Stochastic: r.IntN(2) == 0, Key: 3}
			pack := func(vectors, listed bool) ([]uint16, []uint8, [2]quantize.Loss) {
				use(vectors)
				words, bytes := make([]uint16, n), make([]uint8, n)
				return words, bytes, [2]quantize.Loss{
					quantize.Pack8(words, grad, hess, 70, rows, listed, rule), quantize.Pack4(bytes, grad, hess, 70, rows, listed, rule),
				}
			}
			for _, listed := range []bool{false, true} {
				wantWords, wantBytes, wantLoss := pack(false, listed)
				words, bytes, loss := pack(true, listed)
				if !slices.Equal(words, wantWords) || !slices.Equal(bytes, wantBytes) || loss != wantLoss {
					t.Fatalf("%d rows, %d of them listed: %v, by %+v: not the words, bytes or losses of Go", n, len(rows), listed, rule)
				}
			}
		}
	})
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

// same reports whether two floats have the same bits, or are both NaN.
func same(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// On every instruction set: the draws of S2.13, and the codes of S2.5.
func TestVectorsKnowTheirNumbers(t *testing.T) {
	defer quantize.Use(cpu.Used())
	key := rng.Key(42, rng.Rounding, 0, 0)
	for _, level := range []cpu.Level{cpu.Generic, cpu.AVX2, cpu.AVX512} {
		if level > cpu.Used() {
			continue
		}
		quantize.Use(level)
		t.Run("S2.13/"+level.String(), func(t *testing.T) {
			const n = 16
			rule := &quantize.Rule{GradScale: 4, HessScale: 4, MinGrad: -127, MaxGrad: 127, MaxHess: 255, Stochastic: true, Key: key}
			up, down, hess := make([]float32, n), make([]float32, n), make([]float32, n)
			rows := make([]uint16, n)
			for i := range n {
				up[i], down[i], hess[i], rows[i] = 1, -1, 3, uint16(n-1-i)
			}
			for _, m := range []struct {
				grad []float32
				want []int16
			}{{up, []int16{0, 1, 0, 0, 0, 0, 0, 0}}, {down, []int16{0, 0, -1, 0, 0, -1, -1, 0}}} {
				got, listed := makeCodes(m.grad, hess, 0, rule), makeListed(m.grad, hess, 0, rows, rule)
				slices.Reverse(listed.grad)
				slices.Reverse(listed.hess)
				if !slices.Equal(got.grad[:8], m.want) || !slices.Equal(listed.grad[:8], m.want) {
					t.Errorf("codes of %v quarters: %d, listed %d, want %d", m.grad[0], got.grad[:8], listed.grad[:8], m.want)
				}
				if want := []uint16{1, 1, 1, 1, 0, 1, 1, 1}; !slices.Equal(got.hess[:8], want) || !slices.Equal(listed.hess[:8], want) {
					t.Errorf("codes of hessians of three quarters: %d, listed %d, want %d", got.hess[:8], listed.hess[:8], want)
				}
			}
		})
		t.Run("S2.5/"+level.String(), func(t *testing.T) {
			var grad, hess []float32
			for range 8 {
				grad, hess = append(grad, 0, 65535), append(hess, 1, 1)
			}
			rule := &quantize.Rule{GradScale: 1, GradOffset: 32768, HessScale: 1, MinGrad: math.MinInt16, MaxGrad: math.MaxInt16, MaxHess: math.MaxUint16}
			if low, high := quantize.Span(grad); low != 0 || high != 65535 {
				t.Errorf("span from %v to %v, want 0 to 65535", low, high)
			}
			got := makeCodes(grad, hess, 0, rule)
			// Codes are exact. Of what is not 0, which are the 65,535s, none has the code of 0.
			want := quantize.Loss{Magnitude: 8 * 65535 << 16, GradRows: 8, GradKept: 8, HessRows: 16, HessKept: 16}
			if got.grad[0] != -32768 || got.grad[1] != 32767 || got.hess[0] != 1 || got.loss != want {
				t.Errorf("codes %d, loss %+v, want −32768, 32767, … and %+v", got.grad, got.loss, want)
			}
		})
	}
}

// wholeNumbers are rules by which a whole number up to 127 keeps its value, less the offset.
var wholeNumbers = []*quantize.Rule{
	{GradScale: 1, HessScale: 1, MinGrad: -127, MaxGrad: 127, MaxHess: 255},
	{GradScale: 1, HessScale: 1, MinGrad: -127, MaxGrad: 127, MaxHess: 255, Stochastic: true},
	{GradScale: 1, HessScale: 1, GradOffset: 3, MinGrad: -128, MaxGrad: 124, MaxHess: 255},
	{GradScale: 1, HessScale: 1, GradOffset: 3, MinGrad: -128, MaxGrad: 124, MaxHess: 255, Stochastic: true},
}

// Nothing before and behind the codes is written.
func TestVectorsStayInTheirSlices(t *testing.T) {
	const room = 40
	grad, hess := make([]float32, 200), make([]float32, 200)
	for i := range grad {
		grad[i], hess[i] = float32(i), float32(i)
	}
	for n := range 100 {
		for _, rule := range wholeNumbers {
			g, h := make([]int16, n+2*room), make([]uint16, n+2*room)
			for i := range g {
				g[i], h[i] = -77, 77
			}
			quantize.Make(g[room:room+n], h[room:room+n], grad[:n], hess[:n], 0, rule)
			for i := range g {
				inside := i >= room && i < room+n
				if !inside && (g[i] != -77 || h[i] != 77) {
					t.Fatalf("%d rows: entry %d is written", n, i-room)
				}
				if want := min(i-room, 127) - int(rule.GradOffset); inside && int(g[i]) != want {
					t.Fatalf("%d rows by %+v: code %d is %d, want %d", n, rule, i-room, g[i], want)
				}
			}
		}
	}
}

// kept is what passes over rows find: without a use a compiler might leave them out.
var kept struct {
	quantize.Range
	lowest, highest float32
}

// BenchmarkQuantizeGradients times every kind of codes with their packing, of all rows and
// of a list of half of them, on every instruction set: the pass that makes the codes, and
// both passes, with the one that the scales come from (Scan, and Span where there is an
// offset). A row is 8 bytes of floats.
//
// All rows are held to 4 GB a second, 2 ns a row, and to three times the Go forms, on every
// instruction set. A list's rows are brought together, and their codes spread, one at a time in Go:
// it is held to 1.75 times the Go form.
//
// Bound: instructions a row, of which divisions by vectors of 8 and of 4 numbers. Nearest codes
// are divided next to whole numbers only.
//
//	                     AVX-512       AVX2
//	nearest              4.6           8.6
//	drawn                7.1, 2/8      17.0, 2/4
//	with an offset       7.1, 1/8      10.3, 3/4
//	drawn, offset        8.8, 1/8      17.5, 3/4
//	Scan, Span           0.5, 0.5      1.1, 1.0
//	8 or 4 bits          0.5           0.5
//	a list: 16 bits      + 20          + 21
//	a list: 8 or 4 bits  + 14          + 15
//	a list: Scan, Span   + 8, + 5      + 8, + 5
//
// AVX2 multiplies no 64-bit numbers: of 17 instructions of a drawn row, 7 are its draw. Drawn
// lists stay below 4 GB a second with it: for 8 bits they take 32 instructions, with Scan 41, and
// 2 ns are 8 cycles at 4 GHz.
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
	lists := make([][]uint16, 0, rows/block+1) // half of the rows of each block
	listed := 0
	for lo := 0; lo < rows; lo += block {
		var list []uint16
		for i := range min(block, rows-lo) {
			if r.IntN(2) == 0 {
				list = append(list, uint16(i))
			}
		}
		lists, listed = append(lists, list), listed+len(list)
	}
	g16, h16, words, bytes := make([]int16, rows), make([]uint16, rows), make([]uint16, rows), make([]uint8, rows)
	levels := []cpu.Level{cpu.Generic, cpu.AVX2, cpu.AVX512}[:cpu.Used()+1]
	for _, c := range []struct {
		name       string
		bits       int
		offset     float64
		stochastic bool
	}{
		{"f32", 32, 0, false},
		{"i16", 16, 0, false},
		{"i16_drawn", 16, 0, true},
		{"i16_asymmetric", 16, 0.25, false},
		{"i16_asymmetric_drawn", 16, 0.25, true},
		{"i8_nearest", 8, 0, false},
		{"i8", 8, 0, true},
		{"i4_nearest", 4, 0, false},
		{"i4", 4, 0, true},
	} {
		most := int64(1)<<(c.bits-1) - 1
		rule := &quantize.Rule{
			GradScale: 5 / float64(most), GradOffset: c.offset, HessScale: 1 / float64(2*most+1),
			MinGrad: -most, MaxGrad: most, MaxHess: 2*most + 1, Stochastic: c.stochastic, Key: 5,
		}
		if c.offset != 0 {
			rule.MinGrad--
		}
		for _, half := range []bool{false, true} {
			name, floats := c.name, rows
			if half {
				name, floats = c.name+"/half", listed
			}
			scales := func() {
				for lo := 0; lo < rows; lo += block {
					g, h, list := grad[lo:min(lo+block, rows)], hess[lo:min(lo+block, rows)], lists[lo/block]
					if half {
						kept.Range = quantize.ScanRows(g, h, list)
					} else {
						kept.Range = quantize.Scan(g, h)
					}
					if c.offset == 0 {
						continue
					}
					if half {
						kept.lowest, kept.highest = quantize.SpanRows(g, list)
					} else {
						kept.lowest, kept.highest = quantize.Span(g)
					}
				}
			}
			codes := func() {
				for lo := 0; lo < rows; lo += block {
					hi := min(lo+block, rows)
					g, h, list := grad[lo:hi], hess[lo:hi], lists[lo/block]
					switch {
					case c.bits == 16 && half:
						quantize.MakeRows(g16[lo:hi], h16[lo:hi], g, h, uint64(lo), list, rule)
					case c.bits == 16:
						quantize.Make(g16[lo:hi], h16[lo:hi], g, h, uint64(lo), rule)
					case c.bits == 8:
						quantize.Pack8(words[lo:hi], g, h, uint64(lo), list, half, rule)
					case c.bits == 4:
						quantize.Pack4(bytes[lo:hi], g, h, uint64(lo), list, half, rule)
					}
				}
			}
			b.Run("S2.37/1M/"+name, func(b *testing.B) {
				passes := []struct {
					name string
					run  func()
				}{{"codes", codes}, {"both", func() { scales(); codes() }}}
				if c.bits == 32 { // floats stay as they are: there is nothing to make
					passes = passes[1:]
				}
				var sides []func()
				for _, pass := range passes {
					for _, level := range levels {
						sides = append(sides, func() { quantize.Use(level); pass.run() })
					}
				}
				var took []time.Duration
				for b.Loop() {
					took = paired.Times(time.Second, sides...)
				}
				size := float64(floats) * float64(unsafe.Sizeof(grad[0])+unsafe.Sizeof(hess[0]))
				for i, pass := range passes {
					times := took[i*len(levels):]
					for j, level := range levels {
						speed, ratio := size/times[j].Seconds()/1e9, float64(times[0])/float64(times[j])
						b.ReportMetric(speed, "GB/s_"+pass.name+"_"+level.String())
						if level == cpu.Generic {
							continue
						}
						b.ReportMetric(ratio, "times_go_"+pass.name+"_"+level.String())
						if !half && (speed < 4 || ratio < 3) {
							b.Errorf("%s, %v: %.2f GB of floats a second, at least 4; %.2f times the Go form, at least 3", pass.name, level, speed, ratio)
						}
						if half && ratio < 1.75 {
							b.Errorf("%s, %v: %.2f times the Go form, at least 1.75", pass.name, level, ratio)
						}
					}
				}
			})
		}
	}
}

// The codes of listed rows are those of all rows.
func TestListedRowsHaveTheCodesOfAllRows(t *testing.T) {
	defer quantize.Use(cpu.Used())
	r := rand.New(rand.NewPCG(63, 0))
	const n = 1 << 16 // a whole block, where no bounds are checked
	grad, hess := make([]float32, n), make([]float32, n)
	var rows []uint16
	for i := range n {
		grad[i], hess[i] = float32(r.NormFloat64()), r.Float32()
		if r.IntN(3) == 0 {
			rows = append(rows, uint16(i))
		}
	}
	for _, level := range []cpu.Level{cpu.Generic, cpu.AVX2, cpu.AVX512} {
		if level > cpu.Used() {
			continue
		}
		quantize.Use(level)
		for _, rule := range []*quantize.Rule{
			{GradScale: 0.03, HessScale: 0.004, MinGrad: -127, MaxGrad: 127, MaxHess: 255},
			{GradScale: 0.03, HessScale: 0.004, MinGrad: -127, MaxGrad: 127, MaxHess: 255, Stochastic: true, Key: 9},
			{GradScale: 0.0001, GradOffset: 0.7, HessScale: 1.0 / 65535, MinGrad: -32768, MaxGrad: 32767, MaxHess: 65535},
			{GradScale: 0.0001, GradOffset: 0.7, HessScale: 1.0 / 65535, MinGrad: -32768, MaxGrad: 32767, MaxHess: 65535, Stochastic: true, Key: 9},
		} {
			all := makeCodes(grad, hess, 1000, rule)
			g, h := make([]int16, n), make([]uint16, n)
			quantize.MakeRows(g, h, grad, hess, 1000, rows, rule)
			listed := rows
			for i := range n {
				in := len(listed) > 0 && int(listed[0]) == i
				if in {
					listed = listed[1:]
				}
				if in && (g[i] != all.grad[i] || h[i] != all.hess[i]) || !in && (g[i] != 0 || h[i] != 0) {
					t.Fatalf("%v, %+v: row %d has codes (%d, %d), among all rows (%d, %d)", level, rule, i, g[i], h[i], all.grad[i], all.hess[i])
				}
			}
		}
	}
}
