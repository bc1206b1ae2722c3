package gradients_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"boost/gradients"
	"boost/internal/kernel/hist"
	kernel "boost/internal/kernel/quantize"
	"boost/internal/rng"
	"boost/internal/testenv"
	"boost/parallel"
)

var coarse = []gradients.Mode{gradients.I8, gradients.I4}

// stored makes codes by the given settings.
func stored(t *testing.T, set gradients.Settings, grad, hess []float32, round, output int) (*gradients.Storage, gradients.Outcome) {
	t.Helper()
	pool := parallel.NewPool(2)
	defer pool.Close()
	st := gradients.NewStorage(len(grad), set)
	out, err := st.Quantize(pool, grad, hess, nil, round, output)
	if err != nil {
		t.Fatal(err)
	}
	return st, out
}

func TestPackedBytes(t *testing.T) {
	type pair struct{ g, h float32 }
	t.Run("S0.24/golden", func(t *testing.T) {
		// The last row sets both scales to 1.
		st, _ := stored(t, gradients.Settings{Mode: gradients.I8}, []float32{-127, -1, 0, 127, 5, 127}, []float32{0, 255, 1, 128, 9, 255}, 0, 0)
		want := []string{"81 00", "ff ff", "00 01", "7f 80", "05 09"}
		for i, w := range want {
			word := st.Packed8()[i]
			if got := fmt.Sprintf("%02x %02x", uint8(word), uint8(word>>8)); got != w {
				t.Errorf("row %d is packed as %s, want %s", i, got, w)
			}
		}
	})
	t.Run("S0.25/golden", func(t *testing.T) {
		rows := []pair{{-7, 0}, {-1, 15}, {0, 1}, {7, 8}, {5, 9}, {7, 15}}
		var grad, hess []float32
		for _, r := range rows {
			grad, hess = append(grad, r.g), append(hess, r.h)
		}
		st, _ := stored(t, gradients.Settings{Mode: gradients.I4}, grad, hess, 0, 0)
		if want := []uint8{0x09, 0xff, 0x10, 0x87, 0x95}; !slices.Equal(st.Packed4()[:5], want) {
			t.Errorf("bytes %x, want %x", st.Packed4()[:5], want)
		}
	})
	t.Run("S0.26/every_pair", func(t *testing.T) {
		check := func(mode gradients.Mode, maxGrad, maxHess int) {
			var grad, hess []float32
			for g := -maxGrad; g <= maxGrad; g++ {
				for h := 0; h <= maxHess; h++ {
					grad, hess = append(grad, float32(g)), append(hess, float32(h))
				}
			}
			st, out := stored(t, gradients.Settings{Mode: mode}, grad, hess, 0, 0)
			if out.Wide || st.Mode() != mode || st.Params() != (gradients.Params{GradScale: 1, HessScale: 1}) {
				t.Fatalf("%v: %+v, %+v", mode, out, st.Params())
			}
			entries := make([]uint64, min(len(grad), hist.BlockRows))
			st.Entries(entries, 0, nil)
			for i := range grad {
				if g, h := st.Get(i); g != float64(grad[i]) || h != float64(hess[i]) {
					t.Fatalf("%v: (%v, %v) is read as (%v, %v)", mode, grad[i], hess[i], g, h)
				}
				if g, h := st.Code(i); g != int64(grad[i]) || h != uint64(hess[i]) {
					t.Fatalf("%v: (%v, %v) has codes (%d, %d)", mode, grad[i], hess[i], g, h)
				}
			}
			for i, e := range entries {
				if want := hist.Entry(int16(grad[i]), uint16(hess[i]), uint16(i)); e != want {
					t.Fatalf("%v: the entry of row %d is %x, want %x", mode, i, e, want)
				}
			}
			listed := []uint16{3, 17, uint16(len(entries) - 1)}
			st.Entries(entries[:3], 0, listed)
			for i, row := range listed {
				if want := hist.Entry(int16(grad[row]), uint16(hess[row]), row); entries[i] != want {
					t.Errorf("%v: the entry of listed row %d is %x, want %x", mode, row, entries[i], want)
				}
			}
		}
		check(gradients.I8, 127, 255)
		check(gradients.I4, 7, 15)
	})
	t.Run("S0.23/bytes_per_row", func(t *testing.T) {
		for mode, want := range map[gradients.Mode]int64{gradients.I8: 2, gradients.I4: 1, gradients.I16: 4, gradients.I32: 8} {
			if got := gradients.NewStorage(1000, gradients.Settings{Mode: mode}).Bytes(); got != want*1000 || mode.BytesPerRow() != want {
				t.Errorf("%v: 1000 rows take %d bytes, %d a row are said", mode, got, mode.BytesPerRow())
			}
		}
		// f32 has no copy: it reads the buffer, of 8 bytes a row.
		b := gradients.NewBuffer(1000, 1)
		if got := gradients.NewStorage(1000, gradients.Settings{Mode: gradients.F32}).Bytes() + int64(4*len(b.Grad)+4*len(b.Hess)); got != 8000 {
			t.Errorf("f32: 1000 rows take %d bytes", got)
		}
	})
}

// With nearest rounding every mode comes back within half a step.
func TestPackedRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 0))
	for _, mode := range coarse {
		t.Run("S0.26/half_a_step/"+mode.String(), func(t *testing.T) {
			for range 300 {
				n := 1 + r.IntN(600)
				grad, hess := make([]float32, n), make([]float32, n)
				size := math.Exp(40*r.Float64() - 20)
				for i := range n {
					grad[i], hess[i] = float32(size*r.NormFloat64()), float32(size*r.Float64())
				}
				st, out := stored(t, gradients.Settings{Mode: mode}, grad, hess, 0, 0)
				checkRoundTrip(t, st, out, grad, hess)
			}
		})
	}
}

func TestStochastic(t *testing.T) {
	t.Run("S2.13/golden", func(t *testing.T) {
		key := rng.Key(42, rng.Rounding, 0, 0)
		for _, c := range []struct {
			g, h     float32
			gs, hs   []int64
			whatGrad string
		}{
			{g: 0.25, h: 0.75, gs: []int64{0, 1, 0, 0, 0, 0, 0, 0}, hs: []int64{1, 1, 1, 1, 0, 1, 1, 1}},
			{g: -0.25, h: 0.75, gs: []int64{0, 0, -1, 0, 0, -1, -1, 0}, hs: []int64{1, 1, 1, 1, 0, 1, 1, 1}},
		} {
			grad, hess := filled(8, c.g), filled(8, c.h)
			g, h := make([]int16, 8), make([]uint16, 8)
			kernel.Make(g, h, grad, hess, 0, &kernel.Rule{
				GradScale: 1, HessScale: 1, MinGrad: -7, MaxGrad: 7, MaxHess: 15, Stochastic: true, Key: key,
			})
			for i := range 8 {
				if int64(g[i]) != c.gs[i] || int64(h[i]) != c.hs[i] {
					t.Fatalf("%v and %v become %v and %v, want %v and %v", c.g, c.h, g, h, c.gs, c.hs)
				}
			}
		}
	})
	// The same golden numbers through a storage, as codes of rows 0 … 7 beside one that sets
	// the scales to 1.
	for _, mode := range coarse {
		t.Run("S2.13/storage/"+mode.String(), func(t *testing.T) {
			grad, hess := append(filled(8, 0.25), 7), append(filled(8, 0.75), 15)
			if mode == gradients.I8 {
				grad[8], hess[8] = 127, 255
			}
			st, _ := stored(t, gradients.Settings{Mode: mode, Rounding: gradients.Stochastic, Seed: 42}, grad, hess, 0, 0)
			if st.Mode() != mode {
				t.Fatal("wider codes took over")
			}
			want := []int64{0, 1, 0, 0, 0, 0, 0, 0}
			for i := range 8 {
				if g, _ := st.Code(i); g != want[i] {
					t.Errorf("row %d has code %d, want %d", i, g, want[i])
				}
			}
		})
	}
	t.Run("S2.13/unbiased", func(t *testing.T) {
		const n = 1_000_000
		for i, x := range []float32{0.1, -0.3, 2.5, -6.9} {
			grad, hess := filled(n, x), filled(n, float32(math.Abs(float64(x))))
			g, h := make([]int16, n), make([]uint16, n)
			kernel.Make(g, h, grad, hess, 0, &kernel.Rule{
				GradScale: 1, HessScale: 1, MinGrad: -7, MaxGrad: 7, MaxHess: 15, Stochastic: true, Key: rng.Key(7, rng.Rounding, uint64(i), 0),
			})
			sumG, sumH := 0.0, 0.0
			for i := range g {
				sumG += float64(g[i])
				sumH += float64(h[i])
			}
			part := math.Abs(float64(x)) - math.Floor(math.Abs(float64(x)))
			tolerance := 5 * math.Sqrt(part*(1-part)/n)
			if math.Abs(sumG/n-float64(x)) > tolerance || math.Abs(sumH/n-math.Abs(float64(x))) > tolerance {
				t.Errorf("the mean of %v is %v, of its size %v", x, sumG/n, sumH/n)
			}
		}
	})
	t.Run("S2.11/within_a_step", func(t *testing.T) {
		r := rand.New(rand.NewPCG(32, 0))
		for _, set := range []gradients.Settings{
			{Mode: gradients.I8}, {Mode: gradients.I4}, {Mode: gradients.I16}, {Mode: gradients.I32}, {Mode: gradients.I16, Asymmetric: true},
		} {
			set.Rounding = gradients.Stochastic
			for try := range 200 {
				n := 1 + r.IntN(60)
				grad, hess := make([]float32, n), make([]float32, n)
				for i := range n {
					grad[i], hess[i] = float32(r.NormFloat64()), r.Float32()
				}
				set.Seed = uint64(try)
				st, _ := stored(t, set, grad, hess, try, 1)
				p := st.Params()
				for i := range grad {
					if math.Abs(st.Grad(i)-float64(grad[i])) > p.GradScale*(1+1.0/(1<<20)) || math.Abs(st.Hess(i)-float64(hess[i])) > p.HessScale*(1+1.0/(1<<20)) {
						t.Fatalf("%+v: (%v, %v) comes back as (%v, %v), scales %+v", set, grad[i], hess[i], st.Grad(i), st.Hess(i), p)
					}
				}
			}
		}
	})
	t.Run("rows_outputs_rounds_and_bags_have_their_own_draws", func(t *testing.T) {
		const rows = 70_000
		pool := parallel.NewPool(2)
		defer pool.Close()
		grad, hess := make([]float32, rows), make([]float32, rows)
		r := rand.New(rand.NewPCG(33, 0))
		for i := range grad {
			grad[i], hess[i] = float32(r.NormFloat64()), r.Float32()
		}
		for _, mode := range []gradients.Mode{gradients.I4, gradients.I8, gradients.I16, gradients.I32} {
			codes := func(round, output int, bag *gradients.Bag) []int64 {
				st := gradients.NewStorage(rows, gradients.Settings{Mode: mode, Rounding: gradients.Stochastic, Seed: 3})
				if out, err := st.Quantize(pool, grad, hess, bag, round, output); err != nil || out.Wide {
					t.Fatal(out, err)
				}
				var all []int64
				for i := range rows {
					g, h := st.Code(i)
					all = append(all, g, int64(h))
				}
				return all
			}
			first := codes(0, 0, nil)
			if slices.Equal(first, codes(1, 0, nil)) || slices.Equal(first, codes(0, 1, nil)) {
				t.Errorf("%v: another round or output has the same draws", mode)
			}
			bag := gradients.NewBag(rows)
			bag.Sample(pool, 1, 0, 1) // all rows, listed
			if !slices.Equal(first, codes(0, 0, bag)) {
				t.Errorf("%v: listed rows have other draws", mode)
			}
		}
	})
	t.Run("equal_hessians_stay_equal", func(t *testing.T) {
		for _, mode := range coarse {
			for _, h := range []float32{1, 0.3, 7e-5, 1e20} {
				st, _ := stored(t, gradients.Settings{Mode: mode, Rounding: gradients.Stochastic}, []float32{1, 2, -3, 4}, filled(4, h), 0, 0)
				if _, code := st.Code(2); !st.EqualHessians() || code != mode.MaxHessCode() {
					t.Errorf("%v: hessians %v: code %d, equal %v", mode, h, code, st.EqualHessians())
				}
			}
		}
	})
}

func TestAsymmetric(t *testing.T) {
	set := gradients.Settings{Mode: gradients.I16, Asymmetric: true}
	t.Run("S2.5/golden", func(t *testing.T) {
		st, _ := stored(t, set, []float32{-32768, 0, 32767}, filled(3, 1), 0, 0)
		if g, _ := st.Codes16(); st.Params().GradScale != 1 || st.Params().GradOffset != 0 || !slices.Equal(g, []int16{-32768, 0, 32767}) {
			t.Errorf("params %+v, codes %v", st.Params(), g)
		}
		st, _ = stored(t, set, []float32{0, 65535}, filled(2, 1), 0, 0)
		g, _ := st.Codes16()
		if st.Params().GradScale != 1 || st.Params().GradOffset != 32768 || !slices.Equal(g, []int16{-32768, 32767}) {
			t.Errorf("params %+v, codes %v", st.Params(), g)
		}
		// By S2.6, float64(Σ code)·scale + float64(rows)·offset.
		if sum := float64(int64(g[0])+int64(g[1]))*st.Params().GradScale + 2*st.Params().GradOffset; sum != 65535 {
			t.Errorf("the sum of both is %v, want 65535", sum)
		}
		if st.OneWord() || !st.Counts() {
			t.Error("an offset needs counts")
		}
	})
	t.Run("S2.11/half_a_step", func(t *testing.T) {
		r := rand.New(rand.NewPCG(34, 0))
		for name, draw := range map[string]func() float64{
			"normal":    r.NormFloat64,
			"one_sided": func() float64 { return 5 + r.Float64() },
			"negative":  func() float64 { return -5 - r.Float64() },
			"constant":  func() float64 { return 0.3 },
			"zero":      func() float64 { return 0 },
			"denormal":  func() float64 { return 1e-40 * r.NormFloat64() },
			"1e30":      func() float64 { return 1e30 * r.NormFloat64() },
			"largest":   func() float64 { return math.MaxFloat32 * (2*r.Float64() - 1) },
		} {
			for range 100 {
				n := 1 + r.IntN(60)
				grad, hess := make([]float32, n), make([]float32, n)
				for i := range n {
					grad[i], hess[i] = float32(draw()), r.Float32()
				}
				st, out := stored(t, set, grad, hess, 0, 0)
				for i := range grad {
					if off := math.Abs(st.Grad(i) - float64(grad[i])); off > st.Params().GradScale/2*(1+1.0/(1<<20)) || math.IsNaN(off) {
						t.Fatalf("%s: %v comes back as %v, %+v, %+v", name, grad[i], st.Grad(i), st.Params(), out)
					}
				}
			}
		}
	})
	t.Run("one_sided_gradients_keep_a_bit_more", func(t *testing.T) {
		grad := []float32{1, 2, 3, 4}
		even, _ := stored(t, gradients.Settings{Mode: gradients.I16}, grad, filled(4, 1), 0, 0)
		uneven, _ := stored(t, set, grad, filled(4, 1), 0, 0)
		if uneven.Params().GradScale > even.Params().GradScale/2 {
			t.Errorf("steps %v and %v", uneven.Params().GradScale, even.Params().GradScale)
		}
	})
	t.Run("S2.7/outlier_takes_i32", func(t *testing.T) {
		grad := make([]float32, 1000)
		for i := range grad {
			grad[i] = float32(i%7) - 3
		}
		grad[5] = 1e7
		st, out := stored(t, set, grad, filled(1000, 1), 0, 0)
		if !out.Wide || st.Mode() != gradients.I32 || st.Counts() || out.MaxRow != 5 || st.Params().GradOffset != 0 {
			t.Errorf("%+v in mode %v, %+v", out, st.Mode(), st.Params())
		}
	})
}

// Codes with an offset have 16 bits.
func TestAsymmetricMode(t *testing.T) {
	for _, mode := range []gradients.Mode{gradients.F32, gradients.I32, gradients.I16, gradients.I8, gradients.I4} {
		t.Run("S2.5/"+mode.String(), func(t *testing.T) {
			defer func() {
				if refused := recover(); (refused != nil) != (mode != gradients.I16) {
					t.Errorf("NewStorage: %v", refused)
				}
			}()
			gradients.NewStorage(3, gradients.Settings{Mode: mode, Asymmetric: true})
		})
	}
}

// An outlier that leaves the codes of few bits nothing takes 16 bits, one that blinds
// these too takes 32.
func TestCoarseModesWiden(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 0))
	grad := make([]float32, 10_000)
	for i := range grad {
		grad[i] = float32(r.NormFloat64())
	}
	for _, mode := range coarse {
		set := gradients.Settings{Mode: mode, Rounding: gradients.Stochastic}
		for _, c := range []struct {
			outlier float32
			want    gradients.Mode
		}{{0, mode}, {500, gradients.I16}, {1e9, gradients.I32}} {
			grad[77] = c.outlier
			st, out := stored(t, set, grad, filled(len(grad), 1), 0, 0)
			if st.Mode() != c.want || out.Wide != (c.want != mode) || out.Wide && out.MaxRow != 77 {
				t.Errorf("%v with an outlier of %v: mode %v, %+v, want %v", mode, c.outlier, st.Mode(), out, c.want)
			}
		}
	}
}

func TestAuto(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		rows, outputs, l2 int
		want              gradients.Mode
	}{
		{1_000_000, 1, mib, gradients.F32},
		{1_000_001, 1, mib, gradients.I8},
		{10_000_000, 1, mib, gradients.I8},
		{10_000_001, 1, mib, gradients.I4},
		{2_000_000, 1, 32 * mib, gradients.F32},
		{2_000_000, 3, 32 * mib, gradients.I8},
	} {
		t.Run(fmt.Sprintf("S0.29/rows=%d_outputs=%d_l2=%d", c.rows, c.outputs, c.l2), func(t *testing.T) {
			if got, reason := gradients.Auto(c.rows, c.outputs, c.l2); got != c.want || reason == "" {
				t.Errorf("%v (%s), want %v", got, reason, c.want)
			}
		})
	}
	if names := strings.Join(gradients.Names(), " "); names != "f32 i32 i16 i8 i4 auto" {
		t.Errorf("names %s", names)
	}
}

// GOSS against its definition: sort, keep the top, draw from the others, weigh these.
func TestGoss(t *testing.T) {
	testenv.Unraced(t)
	r := rand.New(rand.NewPCG(36, 0))
	for _, outputs := range []int{1, 3} {
		for _, rows := range []int{1, 2, 1000, 70_000} {
			for _, kind := range []string{"normal", "ties", "equal"} {
				b := gradients.NewBuffer(rows, outputs)
				for i := range b.Grad {
					switch kind {
					case "normal":
						b.Grad[i], b.Hess[i] = float32(r.NormFloat64()), r.Float32()
					case "ties":
						b.Grad[i], b.Hess[i] = float32(r.IntN(5)-2), 0.5
					default:
						b.Grad[i], b.Hess[i] = -0.5, 1
					}
				}
				grad, hess := slices.Clone(b.Grad), slices.Clone(b.Hess)
				const topShare, otherShare = 0.2, 0.1
				var want []uint32
				for _, threads := range []int{1, 3} {
					copy(b.Grad, grad)
					copy(b.Hess, hess)
					pool := parallel.NewPool(threads)
					bag := gradients.NewBag(rows)
					gradients.NewGoss(rows, topShare, otherShare, pool).Sample(bag, b, 11, 5)
					pool.Close()
					in := rowsOf(bag, rows)
					if threads == 1 {
						want = gossByTheRule(t, rows, outputs, grad, hess, b, topShare, otherShare)
					}
					if !slices.Equal(in, want) {
						t.Fatalf("%d outputs, %d rows, %s, %d threads: %d rows are in the bag, want %d", outputs, rows, kind, threads, len(in), len(want))
					}
				}
			}
		}
	}
}

// gossByTheRule returns the rows of the bag and checks the weighted buffer.
func gossByTheRule(t *testing.T, rows, outputs int, grad, hess []float32, got *gradients.Buffer, topShare, otherShare float64) []uint32 {
	t.Helper()
	size := make([]float32, rows)
	order := make([]int, rows)
	for i := range order {
		order[i] = i
		sum := 0.0
		for k := range outputs {
			sum += math.Abs(float64(grad[k*rows+i]) * float64(hess[k*rows+i]))
		}
		size[i] = float32(sum)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case size[a] > size[b]:
			return -1
		case size[a] < size[b]:
			return 1
		}
		return 0
	})
	nTop := max(int(float64(rows)*topShare), 1)
	share := min(otherShare*float64(rows)/float64(max(rows-nTop, 1)), 1)
	key := rng.Key(11, rng.GossRows, 5, 0)
	var in []uint32
	weight := make([]float32, rows)
	for at, row := range order {
		weight[row] = 1
		if at >= nTop {
			if rng.Unit(rng.Draw(key, uint64(row))) >= share {
				continue
			}
			weight[row] = float32(1 / share)
		}
		in = append(in, uint32(row))
	}
	slices.Sort(in)
	for i := range grad {
		if row := i % rows; got.Grad[i] != grad[i]*weight[row] || got.Hess[i] != hess[i]*weight[row] {
			t.Fatalf("row %d: (%v, %v) became (%v, %v), weight %v", row, grad[i], hess[i], got.Grad[i], got.Hess[i], weight[row])
		}
	}
	return in
}
