package binning_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"boost/binning"
	"boost/internal/testenv"
)

func TestCutsLayout(t *testing.T) {
	tab := table(t, floats32("a", 1, 2, 3), floats32("b", narrow([]float64{nan, nan, nan})...), floats32("c", 5, 5, 5))
	wide := table(t, floats64("a", 1, 2, 3), floats64("b", nan, nan, nan), floats64("c", 5, 5, 5))
	for _, c := range []struct {
		placement string
		want      []float64
	}{{"value", []float64{1, 2}}, {"midpoint", []float64{1.5, 2.5}}} {
		t.Run("S0.3/golden/"+c.placement, func(t *testing.T) {
			p := params(func(p *binning.Params) { p.Placement = c.placement })
			cuts := fit(t, tab, p)
			equal(t, "Values", cuts.Values, narrow(c.want))
			equal(t, "Ptrs", cuts.Ptrs, []uint32{0, 2, 2, 2})
			equal(t, "Values64", cuts.Values64, nil)
			equal(t, "Ptrs64", cuts.Ptrs64, []uint32{0, 0, 0, 0})
			cuts = fit(t, wide, p)
			equal(t, "float64: Values64", cuts.Values64, c.want)
			equal(t, "float64: Ptrs64", cuts.Ptrs64, []uint32{0, 2, 2, 2})
			equal(t, "float64: Values", cuts.Values, nil)
			equal(t, "float64: Ptrs", cuts.Ptrs, []uint32{0, 0, 0, 0})
		})
	}
	t.Run("S0.3/kinds_side_by_side", func(t *testing.T) {
		cuts := fit(t, table(t, floats32("a", 1, 2, 3), levels("k", []string{"x", "y"}, 0, 1, 1), floats64("b", .1, .2, .3), floats32("c", 4, 4, 6)), params(nil))
		equal(t, "Ptrs", cuts.Ptrs, []uint32{0, 2, 2, 2, 3})
		equal(t, "Ptrs64", cuts.Ptrs64, []uint32{0, 0, 0, 2, 2})
		equal(t, "cuts of c", cuts.Of32(3), []float32{5})
		equal(t, "kinds", []binning.FeatureKind{cuts.Features[0].Kind, cuts.Features[1].Kind, cuts.Features[2].Kind},
			[]binning.FeatureKind{binning.Numeric32, binning.Categorical, binning.Numeric64})
	})
}

func TestBinAssignment(t *testing.T) {
	up := func(x float32) float32 { return math.Nextafter32(x, float32(inf)) }
	values := []float32{float32(-inf), 1, up(1), 2, up(2), 3, up(3), float32(inf), float32(nan)}
	want := []uint32{0, 0, 1, 1, 2, 2, 3, 3, 4}
	t.Run("S0.4/golden", func(t *testing.T) {
		// Training on 1 2 3 4 and a gap with placement `value` gives the cuts 1 2 3.
		cuts := fit(t, table(t, floats32("x", 1, 2, 3, 4, float32(nan))), params(func(p *binning.Params) { p.Placement = "value" }))
		equal(t, "cuts", cuts.Values, []float32{1, 2, 3})
		tab := table(t, floats32("x", values...))
		equal(t, "codes", codesOf(build(t, cuts, tab, params(nil)), 0), want)
		got := make([]uint32, len(values))
		cuts.Encode(0, tab.Features()[0], 0, len(values), got)
		equal(t, "Encode", got, want)
	})
}

func TestQuantiles(t *testing.T) {
	cutsOf := func(values []float64, maxBin int, placement string) []float64 {
		p := params(func(p *binning.Params) { p.MaxBin, p.Placement = maxBin, placement })
		wide := fit(t, table(t, floats64("x", values...)), p).Values64
		if slim := fit(t, table(t, floats32("x", narrow(values)...)), p).Values; !slices.Equal(slim, narrow(wide)) {
			t.Errorf("float32 column: cuts %v, float64: %v", slim, wide)
		}
		return wide
	}
	t.Run("S0.7/golden", func(t *testing.T) {
		equal(t, "value", cutsOf(sequence(1000), 5, "value"), []float64{199, 399, 599, 799})
		equal(t, "midpoint", cutsOf(sequence(1000), 5, "midpoint"), []float64{199.5, 399.5, 599.5, 799.5})
		gap := append(sequence(1000), nan)
		equal(t, "with a gap", cutsOf(gap, 5, "value"), []float64{249, 499, 749})
	})
	t.Run("S0.8/golden", func(t *testing.T) {
		zeros := append(make([]float64, 97), 1, 2, 3)
		equal(t, "97 zeros, value", cutsOf(zeros, 255, "value"), []float64{0, 1, 2})
		equal(t, "97 zeros, midpoint", cutsOf(zeros, 255, "midpoint"), []float64{.5, 1.5, 2.5})
		equal(t, "97 zeros, 4 bins", cutsOf(zeros, 4, "value"), []float64{0, 1, 2})
		fives := []float64{0, 5, 5, 5, 5}
		equal(t, "fives, value", cutsOf(fives, 255, "value"), []float64{0})
		equal(t, "fives, midpoint", cutsOf(fives, 255, "midpoint"), []float64{2.5})
	})
	t.Run("S0.7/populations", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(2, 1))
		for range cases(10_000) {
			maxBin := 2 + rng.IntN(60)
			n := maxBin + 1 + rng.IntN(150)
			m := build1(t, rng.Perm(n), maxBin)
			counts := make([]int, maxBin)
			for _, code := range codesOf(m, 0) {
				counts[code]++
			}
			for bin, count := range counts {
				if low, high := (n-1)/maxBin, (n-2+maxBin)/maxBin+1; count < low || count > high {
					t.Fatalf("%d distinct values in %d bins: bin %d holds %d, want %d to %d", n, maxBin, bin, count, low, high)
				}
			}
		}
	})
	t.Run("S0.8/one_code_per_distinct_value", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(2, 2))
		for range cases(10_000) {
			values := someValues(rng, 1+rng.IntN(60))
			tab := table(t, floats64("x", values...))
			m := build(t, fit(t, tab, params(nil)), tab, params(nil))
			code := map[float64]uint32{}
			taken := map[uint32]bool{}
			for row, v := range values {
				got := m.Bin(0, row)
				if v != v {
					continue
				}
				if want, seen := code[v]; seen && got != want || !seen && taken[got] {
					t.Fatalf("%v: value %v has code %d", values, v, got)
				}
				code[v], taken[got] = got, true
			}
		}
	})
	t.Run("S0.10/skew", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(2, 3))
		values := make([]float64, 20_000)
		for i := range values {
			values[i] = math.Exp(2 * rng.NormFloat64())
		}
		tab := table(t, floats64("x", values...))
		cuts := fit(t, tab, params(nil))
		seen := make([]bool, cuts.NCodes()[0])
		for _, code := range codesOf(build(t, cuts, tab, params(nil)), 0) {
			seen[code] = true
		}
		if len(seen) != 255 || slices.Contains(seen, false) {
			t.Errorf("log-normal column: %d bins, empty ones: %v", len(seen), slices.Contains(seen, false))
		}
	})
}

// cases scales the number of random cases down in ordinary runs, and more in short ones.
func cases(n int) int { return testenv.ByLength(n, n/5, n/10) }

// someValues draws values with many repeats, gaps, infinities, signed zeros,
// neighbouring floats and both ends of the number line.
func someValues(rng *rand.Rand, n int) []float64 {
	special := []float64{0, math.Copysign(0, -1), inf, -inf, nan, math.MaxFloat64, -math.MaxFloat64, 1e308, -1e308,
		math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 1, math.Nextafter(1, 2), math.Nextafter(1, 0)}
	values := make([]float64, n)
	for i := range values {
		switch rng.IntN(4) {
		case 0:
			values[i] = special[rng.IntN(len(special))]
		case 1:
			values[i] = float64(rng.IntN(20) - 10)
		case 2:
			values[i] = rng.NormFloat64()
		default:
			values[i] = 1 + float64(rng.IntN(9))*0x1p-52
		}
	}
	return values
}

func build1(t testing.TB, values []int, maxBin int) *binning.Matrix {
	column := make([]float32, len(values))
	for i, v := range values {
		column[i] = float32(v)
	}
	tab := table(t, floats32("x", column...))
	p := params(func(p *binning.Params) { p.MaxBin = maxBin })
	return build(t, fit(t, tab, p), tab, p)
}

func TestConstant(t *testing.T) {
	tab := table(t, floats32("constant", 5, 5, 5), floats32("gaps", 5, float32(nan), 5),
		floats64("missing", nan, nan, nan), floats64("zeros", 0, math.Copysign(0, -1), 0),
		levels("one", []string{"a", "b"}, 1, 1, 1), levels("none", nil, -1, -1, -1))
	cuts, notes, err := binning.Fit(context.Background(), tab, nil, params(nil), 1, pool(t, 2))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("S0.9/codes", func(t *testing.T) {
		equal(t, "n_codes", cuts.NCodes(), []uint32{1, 2, 2, 1, 1, 2})
		equal(t, "cuts", cuts.Values, nil)
		equal(t, "cuts", cuts.Values64, nil)
		m := build(t, cuts, tab, params(nil))
		for f, want := range [][]uint32{{0, 0, 0}, {0, 1, 0}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, {1, 1, 1}} {
			equal(t, cuts.Features[f].Name, codesOf(m, f), want)
		}
	})
	t.Run("S0.9/reported", func(t *testing.T) {
		want := []string{`3 columns have a single bin and are never split: "constant", "zeros", "one"`}
		equal(t, "notes", notes, want)
		_, notes, err := binning.Fit(context.Background(), table(t, floats32("x", 1, 1)), nil, params(nil), 1, pool(t, 1))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "one column", notes, []string{`column "x" has a single bin and is never split`})
		var many []column
		for i := range 8 {
			many = append(many, floats32(fmt.Sprint(i), 1, 1))
		}
		_, notes, err = binning.Fit(context.Background(), table(t, many...), nil, params(nil), 1, pool(t, 1))
		if err != nil || len(notes) != 1 || !strings.HasSuffix(notes[0], `"0", "1", "2", "3", "4" and 3 more`) {
			t.Errorf("notes %q, error %v", notes, err)
		}
	})
}

func TestMinDataInBin(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range cases(3000) {
		values := someValues(rng, 1+rng.IntN(200))
		least := rng.IntN(30)
		p := params(func(p *binning.Params) { p.MinDataInBin, p.MaxBin = least, 2+rng.IntN(40) })
		tab := table(t, floats64("x", values...))
		cuts := fit(t, tab, p)
		counts := make([]int, cuts.Features[0].Regular+1)
		for _, code := range codesOf(build(t, cuts, tab, p), 0) {
			counts[code]++
		}
		for bin, count := range counts[:cuts.Features[0].Regular] {
			if count < least && len(cuts.Values64) > 0 {
				t.Fatalf("bin %d of %v holds %d rows, want %d", bin, cuts.Values64, count, least)
			}
		}
	}
	t.Run("golden", func(t *testing.T) {
		// 0…9 once each, at least 3 in a bin: 0 1 2 | 3 4 5 | 6 7 8 9.
		p := params(func(p *binning.Params) { p.MinDataInBin = 3 })
		equal(t, "cuts", fit(t, table(t, floats64("x", sequence(10)...)), p).Values64, []float64{2.5, 5.5})
	})
}

func TestHostileColumns(t *testing.T) {
	t.Run("no_rows", func(t *testing.T) {
		tab := table(t, floats32("x", []float32{}...), floats64("y", []float64{}...), levels("k", nil))
		m := build(t, fit(t, tab, params(nil)), tab, params(nil))
		if m.NRows() != 0 || m.NFeatures() != 3 || m.Bytes() != 0 {
			t.Errorf("matrix of no rows: %v", m)
		}
	})
	t.Run("no_features", func(t *testing.T) {
		c := fit(t, table(t), params(nil))
		equal(t, "Ptrs", c.Ptrs, []uint32{0})
		equal(t, "offsets", build(t, c, table(t), params(nil)).Offsets(), []uint32{0})
	})
	t.Run("one_row", func(t *testing.T) {
		tab := table(t, floats32("x", 7), floats64("y", nan))
		c := fit(t, tab, params(nil))
		equal(t, "n_codes", c.NCodes(), []uint32{1, 2})
		equal(t, "codes", codesOf(build(t, c, tab, params(nil)), 1), []uint32{1})
	})
	t.Run("infinities", func(t *testing.T) {
		c := fit(t, table(t, floats64("x", -inf, -inf, 0, inf, inf)), params(nil))
		equal(t, "cuts", c.Values64, []float64{-inf, 0})
		c = fit(t, table(t, floats64("x", -inf, inf)), params(nil))
		equal(t, "cuts", c.Values64, []float64{-inf})
	})
	t.Run("huge", func(t *testing.T) {
		values := []float64{-1e308, 1e308, 0x1.8p1023, math.MaxFloat64}
		c := fit(t, table(t, floats64("x", values...)), params(nil))
		equal(t, "cuts", c.Values64, []float64{0, values[1]/2 + 0x1.8p1022, 0x1.cp1023})
	})
	t.Run("signed_zero", func(t *testing.T) {
		tab := table(t, floats64("x", math.Copysign(0, -1), 0, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64))
		c := fit(t, tab, params(nil))
		equal(t, "codes", codesOf(build(t, c, tab, params(nil)), 0), []uint32{1, 1, 2, 0})
		for _, cut := range c.Values64 {
			if cut == 0 && math.Signbit(cut) {
				t.Error("a cut is −0")
			}
		}
	})
}
