package gradients_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"boost/gradients"
	"boost/internal/kernel/hist"
	"boost/internal/testenv"
	"boost/parallel"
)

// quantize makes codes on two threads and fails the test on an error.
func quantize(t *testing.T, mode gradients.Mode, grad, hess []float32) (*gradients.Storage, gradients.Outcome) {
	t.Helper()
	pool := parallel.NewPool(2)
	defer pool.Close()
	st := gradients.NewStorage(len(grad), gradients.Settings{Mode: mode})
	out, err := st.Quantize(pool, grad, hess, nil, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return st, out
}

func filled(n int, v float32) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = v
	}
	return s
}

func TestBuffer(t *testing.T) {
	t.Run("S2.2/output_major", func(t *testing.T) {
		b := gradients.NewBuffer(3, 2)
		if len(b.Grad) != 6 || len(b.Hess) != 6 {
			t.Fatalf("3 rows × 2 outputs hold %d gradients and %d hessians", len(b.Grad), len(b.Hess))
		}
		for k := range 2 {
			grad, hess := b.Output(k)
			if len(grad) != 3 || len(hess) != 3 {
				t.Fatalf("output %d has %d gradients and %d hessians", k, len(grad), len(hess))
			}
			for row := range 3 {
				grad[row], hess[row] = float32(10*k+row), float32(100+10*k+row)
			}
		}
		for k := range 2 {
			for row := range 3 {
				if at := k*3 + row; b.Grad[at] != float32(10*k+row) || b.Hess[at] != float32(100+10*k+row) {
					t.Errorf("row %d of output %d is not at %d", row, k, at)
				}
			}
		}
	})
}

func TestGolden(t *testing.T) {
	grad := []float32{-32767, 0, 0.5, -0.5, 1, 32767}
	hess := []float32{0, 0.5, 65535, 0, 0, 0}
	st, out := quantize(t, gradients.I16, grad, hess)
	g, h := st.Codes16()
	if st.Mode() != gradients.I16 || out != (gradients.Outcome{}) {
		t.Fatalf("mode %v, outcome %+v", st.Mode(), out)
	}
	t.Run("S2.3/golden", func(t *testing.T) {
		if want := []int16{-32767, 0, 1, -1, 1, 32767}; st.Params().GradScale != 1 || !slices.Equal(g, want) {
			t.Errorf("scale %v, codes %v, want 1, %v", st.Params().GradScale, g, want)
		}
	})
	t.Run("S2.4/golden", func(t *testing.T) {
		if want := []uint16{0, 1, 65535, 0, 0, 0}; st.Params().HessScale != 1 || !slices.Equal(h, want) {
			t.Errorf("scale %v, codes %v, want 1, %v", st.Params().HessScale, h, want)
		}
	})
	t.Run("S2.9/accessors", func(t *testing.T) {
		if st.Rows() != 6 || st.Grad(0) != -32767 || st.Grad(2) != 1 || st.Hess(1) != 1 || st.Hess(2) != 65535 {
			t.Errorf("rows %d, gradients %v %v, hessians %v %v", st.Rows(), st.Grad(0), st.Grad(2), st.Hess(1), st.Hess(2))
		}
	})
}

func TestGuards(t *testing.T) {
	nan, inf, negZero := float32(math.NaN()), float32(math.Inf(1)), float32(math.Copysign(0, -1))
	for _, mode := range []gradients.Mode{gradients.I16, gradients.I32} {
		t.Run("S2.7/zero_range/"+mode.String(), func(t *testing.T) {
			// S0.28's degenerate scales: nothing is divided by zero.
			st, out := quantize(t, mode, make([]float32, 5), make([]float32, 5))
			if st.Params() != (gradients.Params{GradScale: 1, HessScale: 1}) || out.Wide || out.Blind || st.EqualHessians() {
				t.Errorf("params %+v, outcome %+v, equal hessians %v", st.Params(), out, st.EqualHessians())
			}
			for row := range 5 {
				if st.Grad(row) != 0 || st.Hess(row) != 0 {
					t.Errorf("row %d decodes to (%v, %v)", row, st.Grad(row), st.Hess(row))
				}
			}
		})
	}
	t.Run("S0.28/one_kind_zero", func(t *testing.T) {
		st, _ := quantize(t, gradients.I16, make([]float32, 3), []float32{1, 2, 65535})
		if st.Params().GradScale != 1 || st.Params().HessScale != 1 || st.Hess(2) != 65535 {
			t.Errorf("gradients zero: params %+v", st.Params())
		}
		st, _ = quantize(t, gradients.I16, []float32{1, 2, 32767}, make([]float32, 3))
		if st.Params().GradScale != 1 || st.Params().HessScale != 1 || st.Grad(2) != 32767 {
			t.Errorf("hessians zero: params %+v", st.Params())
		}
	})
	for _, mode := range []gradients.Mode{gradients.I16, gradients.I32, gradients.F32} {
		for name, c := range map[string]struct {
			row        int
			grad, hess float32
			want       error
		}{
			"NaN_gradient":     {70_001, nan, 1, gradients.ErrNotFinite},
			"inf_gradient":     {0, -inf, 1, gradients.ErrNotFinite},
			"NaN_hessian":      {65_536, 1, nan, gradients.ErrNotFinite},
			"inf_hessian":      {65_535, 1, inf, gradients.ErrNotFinite},
			"minus_inf":        {3, 1, -inf, gradients.ErrNotFinite},
			"negative_hessian": {70_001, 1, -1e-30, gradients.ErrNegativeHessian},
		} {
			t.Run("S2.7/"+name+"/"+mode.String(), func(t *testing.T) {
				pool := parallel.NewPool(2)
				defer pool.Close()
				const rows = 70_010
				grad, hess := filled(rows, 1), filled(rows, 1)
				grad[c.row], hess[c.row] = c.grad, c.hess
				grad[rows-1], hess[rows-1] = c.grad, c.hess // a later one is not the first
				st := gradients.NewStorage(rows, gradients.Settings{Mode: mode})
				_, err := st.Quantize(pool, grad, hess, nil, 0, 0)
				if !errors.Is(err, c.want) || !strings.HasPrefix(fmt.Sprint(err), fmt.Sprintf("row %d: ", c.row)) {
					t.Errorf("error %v, want %v at row %d", err, c.want, c.row)
				}
			})
		}
		t.Run("S0.27/clip/"+mode.String(), func(t *testing.T) {
			pool := parallel.NewPool(2)
			defer pool.Close()
			st := gradients.NewStorage(5, gradients.Settings{Mode: mode, Clip: true})
			out, err := st.Quantize(pool, []float32{1, 2, 3, 4, 5}, []float32{-1, 2, negZero, -1e-40, 2}, nil, 0, 0)
			if err != nil || out.Clipped != 2 {
				t.Fatalf("clipped %d, error %v, want 2", out.Clipped, err)
			}
			for row, want := range []float64{0, 2, 0, 0, 2} {
				if got := st.Hess(row); math.Abs(got-want) > 1e-6 {
					t.Errorf("hessian of row %d is %v, want %v", row, got, want)
				}
			}
			if _, err := st.Quantize(pool, []float32{nan, 0, 0, 0, 0}, make([]float32, 5), nil, 0, 0); !errors.Is(err, gradients.ErrNotFinite) {
				t.Errorf("NaN with clipping: %v", err)
			}
		})
		t.Run("S2.7/minus_zero/"+mode.String(), func(t *testing.T) {
			st, out := quantize(t, mode, []float32{1, negZero, 0}, []float32{negZero, 2, 0})
			if out.Clipped != 0 || st.Hess(0) != 0 || math.Abs(st.Hess(1)-2) > 1e-6 || st.Grad(1) != 0 {
				t.Errorf("outcome %+v, hessians %v %v, gradient %v", out, st.Hess(0), st.Hess(1), st.Grad(1))
			}
			st, _ = quantize(t, mode, []float32{1}, []float32{negZero})
			if st.EqualHessians() {
				t.Error("a single −0 passes for equal positive hessians")
			}
		})
	}
	t.Run("S2.7/outlier_takes_i32", func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 0))
		grad, hess := make([]float32, 1000), filled(1000, 1)
		for i := range grad {
			grad[i] = float32(r.NormFloat64())
		}
		if st, out := quantize(t, gradients.I16, grad, hess); out.Wide || st.Mode() != gradients.I16 {
			t.Fatalf("without an outlier: %+v", out)
		}
		grad[617], grad[618] = -1e6, 1e6
		st, out := quantize(t, gradients.I16, grad, hess)
		// A step of 1e6/32767 = 30.5 leaves all other gradients, Σ|g| ≈ 800, at code 0. That is
		// 800/2,000,800 of the sum, but more than half of the rows.
		if !out.Wide || out.Blind || st.Mode() != gradients.I32 || out.MaxRow != 617 {
			t.Errorf("outcome %+v in mode %v, want i32 because of row 617", out, st.Mode())
		}
		if out.ErrShare < 1e-4 || out.ErrShare > 1e-3 {
			t.Errorf("lost share %v, want about 4e-4", out.ErrShare)
		}
		for row, g := range grad {
			if math.Abs(st.Grad(row)-float64(g)) > 1e6/math.MaxInt32 {
				t.Fatalf("row %d decodes to %v, not %v", row, st.Grad(row), g)
			}
		}
		// The next round is as narrow as ever.
		pool := parallel.NewPool(1)
		defer pool.Close()
		grad[617], grad[618] = 0, 0
		if out, err := st.Quantize(pool, grad, hess, nil, 0, 0); err != nil || out.Wide || st.Mode() != gradients.I16 {
			t.Errorf("a later round without the outlier: %+v, %v, mode %v", out, err, st.Mode())
		}
	})
	t.Run("S2.7/one_percent", func(t *testing.T) {
		// A tenth of Σ|g| lies in rows that lose 45 % of theirs, yet no row gets code 0.
		var grad []float32
		for range 1000 {
			grad = append(grad, 1.45)
		}
		grad = append(grad, 32767)
		hess := filled(len(grad), 1)
		if _, out := quantize(t, gradients.I16, grad, hess); !out.Wide || out.ErrShare < 0.012 || out.ErrShare > 0.014 {
			t.Errorf("outcome %+v, want i32 for a share of 450/34217", out)
		}
		grad = grad[300:]
		if _, out := quantize(t, gradients.I16, grad, hess[300:]); out.Wide {
			t.Errorf("outcome %+v for a share of 315/33782, below 1 %%", out)
		}
	})
	t.Run("S2.7/half_of_the_rows", func(t *testing.T) {
		// Code 0 loses nearly nothing of Σ|g|; it is the share of rows that counts.
		for zero, want := range map[int]bool{10: false, 11: true} {
			grad := append(filled(10, 32767), filled(zero, 0.1)...)
			grad = append(grad, filled(50, 0)...) // rows without a gradient do not count
			if _, out := quantize(t, gradients.I16, grad, filled(len(grad), 1)); out.Wide != want || out.Blind {
				t.Errorf("%d of %d gradients get code 0: outcome %+v, want i32 %v", zero, zero+10, out, want)
			}
			hess := append(filled(10, 65535), filled(zero, 0.1)...)
			hess = append(hess, filled(50, 0)...)
			if _, out := quantize(t, gradients.I16, filled(len(hess), 1), hess); out.Wide != want || out.Blind {
				t.Errorf("%d of %d hessians get code 0: outcome %+v, want i32 %v", zero, zero+10, out, want)
			}
		}
	})
	t.Run("S2.7/hessian_outlier", func(t *testing.T) {
		hess := filled(100, 1e-3)
		hess[40] = 1e3
		if _, out := quantize(t, gradients.I16, filled(100, 1), hess); !out.Wide || out.Blind {
			t.Errorf("outcome %+v, want i32", out)
		}
	})
	t.Run("S2.7/i32_blind_too", func(t *testing.T) {
		for _, mode := range []gradients.Mode{gradients.I16, gradients.I32} {
			grad := filled(100, 1e-10)
			grad[40] = -1e6
			st, out := quantize(t, mode, grad, filled(100, 1))
			if out.Wide != (mode == gradients.I16) || !out.Blind || out.MaxRow != 40 || st.Mode() != gradients.I32 {
				t.Errorf("%v: outcome %+v in mode %v, want blind i32 because of row 40", mode, out, st.Mode())
			}
		}
	})
}

// The row of the largest gradient is the first one in the bag, in whichever piece it lies, and where
// all are 0.
func TestMaxRow(t *testing.T) {
	const rows = 2*hist.BlockRows + 20_000
	pool := parallel.NewPool(2)
	defer pool.Close()
	st := gradients.NewStorage(rows, gradients.Settings{Mode: gradients.I16})
	grad, hess := filled(rows, 1e-3), filled(rows, 1)
	check := func(name string, bag *gradients.Bag, want int) {
		t.Helper()
		out, err := st.Quantize(pool, grad, hess, bag, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !out.Wide || out.MaxRow != want {
			t.Errorf("%s: %+v, want row %d", name, out, want)
		}
	}
	bag := gradients.NewBag(rows)
	bag.Sample(pool, 9, 0, 0.3)
	var in []int
	for block := range 3 {
		for _, row := range bag.Block(block) {
			in = append(in, block*hist.BlockRows+int(row))
		}
	}
	for _, at := range []int{0, 1, len(in) / 2, len(in) - 2, len(in) - 1} {
		row := in[at]
		grad[row], grad[in[len(in)-1]] = -1e6, 1e6
		check("all rows", nil, row)
		check("a bag", bag, row)
		if row > 0 && row-1 != in[max(at-1, 0)] {
			grad[row-1] = 1e6
			check("a bag, and a larger one outside", bag, row)
			grad[row-1] = 1e-3
		}
		grad[row], grad[in[len(in)-1]] = 1e-3, 1e-3
	}
	clear(grad)
	hess[in[3]] = 1e9
	check("no gradients", nil, 0)
	check("no gradients in a bag", bag, in[0])
}

func TestMaximaMapToTheLargestCode(t *testing.T) {
	testenv.Unraced(t)
	t.Run("S2.8/maxima", func(t *testing.T) {
		pool := parallel.NewPool(1)
		defer pool.Close()
		r := rand.New(rand.NewPCG(2, 0))
		st := gradients.NewStorage(2, gradients.Settings{Mode: gradients.I16})
		for range 100_000 {
			// Any float32 whose 32,767th part is a normal number.
			m := math.Float32frombits(uint32(17+r.IntN(238))<<23 | r.Uint32()&(1<<23-1))
			if _, err := st.Quantize(pool, []float32{m, -m}, []float32{m, m}, nil, 0, 0); err != nil {
				t.Fatal(err)
			}
			g, h := st.Codes16()
			if g[0] != 32767 || g[1] != -32767 || h[0] != 65535 {
				t.Fatalf("maximum %v has codes %d and %d, hessian %d", m, g[0], g[1], h[0])
			}
			if !st.EqualHessians() {
				t.Fatalf("hessians %v are not said to be equal", m)
			}
		}
	})
}

func TestRoundTrip(t *testing.T) {
	testenv.Unraced(t)
	draws := map[string]func(r *rand.Rand) float64{
		"normal":    func(r *rand.Rand) float64 { return r.NormFloat64() },
		"one_sided": func(r *rand.Rand) float64 { return 5 + r.Float64() },
		"negative":  func(r *rand.Rand) float64 { return -5 - r.Float64() },
		"constant":  func(*rand.Rand) float64 { return 0.3 },
		"denormal":  func(r *rand.Rand) float64 { return 1e-40 * r.NormFloat64() },
		"smallest":  func(r *rand.Rand) float64 { return math.Ldexp(float64(r.IntN(120_000)), -149) },
		"1e30":      func(r *rand.Rand) float64 { return 1e30 * r.NormFloat64() },
		"largest":   func(r *rand.Rand) float64 { return math.MaxFloat32 * (2*r.Float64() - 1) },
		"spread":    func(r *rand.Rand) float64 { return math.Exp(20 * r.NormFloat64()) },
	}
	for _, mode := range []gradients.Mode{gradients.I16, gradients.I32} {
		for name, draw := range draws {
			t.Run("S2.11/"+name+"/"+mode.String(), func(t *testing.T) {
				r := rand.New(rand.NewPCG(3, 0))
				for range 300 {
					n := 1 + r.IntN(60)
					grad, hess := make([]float32, n), make([]float32, n)
					for i := range n {
						grad[i], hess[i] = float32(draw(r)), float32(math.Abs(draw(r)))
					}
					st, out := quantize(t, mode, grad, hess)
					checkRoundTrip(t, st, out, grad, hess)
				}
			})
		}
	}
}

// checkRoundTrip holds every row to half a step of its scale (S0.26, S2.11). Where the
// scale would be 0 it is 1, and all codes are 0.
func checkRoundTrip(t *testing.T, st *gradients.Storage, out gradients.Outcome, grad, hess []float32) {
	t.Helper()
	p := st.Params()
	for i := range grad {
		rounding := math.Abs(float64(grad[i])) / (1 << 51) // of offset + code·scale
		if math.Abs(st.Grad(i)-float64(grad[i])) > p.GradScale/2*(1+1.0/(1<<20))+rounding {
			t.Fatalf("%v, outcome %+v: gradient %v comes back as %v, scale %v", st.Mode(), out, grad[i], st.Grad(i), p.GradScale)
		}
		if math.Abs(st.Hess(i)-float64(hess[i])) > p.HessScale/2*(1+1.0/(1<<20)) {
			t.Fatalf("%v, outcome %+v: hessian %v comes back as %v, scale %v", st.Mode(), out, hess[i], st.Hess(i), p.HessScale)
		}
	}
	for _, scale := range []float64{p.GradScale, p.HessScale} {
		if float64(float32(scale)) != scale {
			t.Fatalf("scale %v is not a float32", scale)
		}
	}
}

func TestEqualHessians(t *testing.T) {
	for h, want := range map[float32]bool{1: true, 0.25: true, 1e-30: true, 3e38: true, 0: false} {
		st, _ := quantize(t, gradients.I16, []float32{1, 2}, []float32{h, h})
		if st.EqualHessians() != want {
			t.Errorf("two hessians %v: equal %v", h, st.EqualHessians())
		}
	}
	if st, _ := quantize(t, gradients.I16, []float32{1, 2}, []float32{1, 1.0000001}); st.EqualHessians() {
		t.Error("different hessians are said to be equal")
	}
	// What it promises: every code is the largest one, so that sums count rows. With a scale
	// at the lower end of float32 the codes fall short of it.
	for _, h := range []float32{1, 5e-41, 3.3e-41, 1e-41, 1e-44, 1e-45} {
		st, _ := quantize(t, gradients.I16, []float32{1, 2}, []float32{h, h})
		if _, codes := st.Codes16(); st.Mode() == gradients.I16 && st.EqualHessians() && codes[0] != 65535 {
			t.Errorf("two hessians %v have codes %d and are said to be the largest", h, codes[0])
		}
	}
	st, _ := quantize(t, gradients.I32, []float32{1, 2}, []float32{3, 3})
	if _, codes := st.Codes32(); st.EqualHessians() && codes[0] != math.MaxUint32 {
		t.Errorf("i32: equal hessians have codes %d", codes[0])
	}
}

func TestBagLimitsQuantize(t *testing.T) {
	pool := parallel.NewPool(2)
	defer pool.Close()
	const rows = 70_000
	r := rand.New(rand.NewPCG(4, 0))
	grad, hess := make([]float32, rows), make([]float32, rows)
	bag := gradients.NewBag(rows)
	bag.Sample(pool, 9, 0, 0.3)
	for i := range grad {
		grad[i], hess[i] = float32(r.NormFloat64()), 1
	}
	outside := bag.Outside(nil)
	for i, row := range outside { // nothing outside of the bag is looked at
		grad[row], hess[row] = []float32{float32(math.NaN()), 1e30}[i&1], -1
	}
	for _, mode := range []gradients.Mode{gradients.I16, gradients.I32, gradients.F32} {
		st := gradients.NewStorage(rows, gradients.Settings{Mode: mode})
		out, err := st.Quantize(pool, grad, hess, bag, 0, 0)
		if err != nil || out != (gradients.Outcome{}) {
			t.Fatalf("%v: %+v, %v", mode, out, err)
		}
		if mode != gradients.I32 && !st.EqualHessians() {
			t.Errorf("%v: the bag's hessians are equal", mode)
		}
		compact := gradients.NewStorage(bag.Len(), gradients.Settings{Mode: mode})
		var g, h []float32
		var in []int
		for b := range parallel.Blocks(rows, 1<<16) {
			for _, row := range bag.Block(b) {
				in = append(in, b<<16+int(row))
				g, h = append(g, grad[in[len(in)-1]]), append(h, 1)
			}
		}
		if _, err := compact.Quantize(pool, g, h, nil, 0, 0); err != nil {
			t.Fatal(err)
		}
		if st.Params() != compact.Params() {
			t.Errorf("%v: params %+v, of the bag's rows alone %+v", mode, st.Params(), compact.Params())
		}
		for i, row := range in {
			if st.Grad(row) != compact.Grad(i) || st.Hess(row) != compact.Hess(i) {
				t.Fatalf("%v: row %d decodes to (%v, %v), alone to (%v, %v)", mode, row, st.Grad(row), st.Hess(row), compact.Grad(i), compact.Hess(i))
			}
		}
	}
	empty := gradients.NewBag(rows)
	empty.Sample(pool, 1, 0, 0)
	st := gradients.NewStorage(rows, gradients.Settings{Mode: gradients.I16})
	if out, err := st.Quantize(pool, grad, hess, empty, 0, 0); err != nil || out != (gradients.Outcome{}) || st.Params() != (gradients.Params{GradScale: 1, HessScale: 1}) {
		t.Errorf("an empty bag: %+v, %v, %+v", out, err, st.Params())
	}
}

func TestStorageCosts(t *testing.T) {
	testenv.Unraced(t)
	pool := parallel.NewPool(2)
	defer pool.Close()
	t.Run("S2.10/half_the_bytes", func(t *testing.T) {
		const rows = 1_000_000
		if got := gradients.NewStorage(rows, gradients.Settings{Mode: gradients.I16}).Bytes(); got != 4_000_000 {
			t.Errorf("codes of %d rows take %d bytes, want 4 MB", rows, got)
		}
		if b := gradients.NewBuffer(rows, 1); 4*(len(b.Grad)+len(b.Hess)) != 8_000_000 {
			t.Errorf("floats of %d rows take %d bytes, want 8 MB", rows, 4*(len(b.Grad)+len(b.Hess)))
		}
	})
	for _, c := range []struct {
		name string
		mode gradients.Mode
		bag  bool
		wide bool
	}{{"i16", gradients.I16, false, false}, {"i16_bag", gradients.I16, true, false}, {"i16_outlier", gradients.I16, false, true},
		{"i32", gradients.I32, false, false}, {"f32", gradients.F32, false, false}} {
		t.Run("S2.9/allocations/"+c.name, func(t *testing.T) {
			const rows = 70_000
			grad, hess := filled(rows, 0.5), filled(rows, 0.25)
			if c.wide {
				grad[7] = 1e20
			}
			st := gradients.NewStorage(rows, gradients.Settings{Mode: c.mode})
			var bag *gradients.Bag
			if c.bag {
				bag = gradients.NewBag(rows)
			}
			round := 0
			if got := testing.AllocsPerRun(3, func() {
				round++
				if bag != nil {
					bag.Sample(pool, 1, round, 0.5)
				}
				if out, err := st.Quantize(pool, grad, hess, bag, 0, 0); err != nil || out.Wide != c.wide {
					t.Fatal(out, err)
				}
			}); got != 0 {
				t.Errorf("a round allocates %v times", got)
			}
		})
	}
}

func TestThreadsDoNotMatter(t *testing.T) {
	const rows = 200_000
	r := rand.New(rand.NewPCG(5, 0))
	grad, hess := make([]float32, rows), make([]float32, rows)
	for i := range grad {
		grad[i], hess[i] = float32(r.NormFloat64()), r.Float32()
	}
	grad[rows-5] = 1e9
	type result struct {
		out    gradients.Outcome
		params gradients.Params
	}
	var first result
	for threads := 1; threads <= 8; threads++ {
		pool := parallel.NewPool(threads)
		st := gradients.NewStorage(rows, gradients.Settings{Mode: gradients.I16})
		out, err := st.Quantize(pool, grad, hess, nil, 0, 0)
		pool.Close()
		if err != nil {
			t.Fatal(err)
		}
		got := result{out, st.Params()}
		if threads == 1 {
			first = got
			if !out.Wide || out.MaxRow != rows-5 {
				t.Fatalf("outcome %+v", out)
			}
		}
		if got != first {
			t.Errorf("%d threads: %+v, one: %+v", threads, got, first)
		}
	}
}

func TestModeNames(t *testing.T) {
	for _, m := range []gradients.Mode{gradients.I16, gradients.I32, gradients.F32} {
		if got, err := gradients.ParseMode(m.String()); err != nil || got != m {
			t.Errorf("ParseMode(%q) = %v, %v", m.String(), got, err)
		}
	}
	if _, err := gradients.ParseMode("i17"); err == nil || !strings.Contains(err.Error(), "i16") || !strings.Contains(err.Error(), `"i17"`) {
		t.Errorf(`ParseMode("i17"): %v`, err)
	}
}
