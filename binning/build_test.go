package binning_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"boost/binning"
	"boost/dataset"
	"boost/internal/kernel/bin"
)

// mixedTable has columns of every kind and width, with and without gaps.
func mixedTable(t testing.TB, rng *rand.Rand, rows int) *dataset.Table {
	var columns []column
	dictionary := make([]string, 400)
	for i := range dictionary {
		dictionary[i] = fmt.Sprint("level ", i)
	}
	for i := range 12 {
		values := make([]float64, rows)
		indices := make([]int32, rows)
		for row := range values {
			indices[row] = int32(rng.IntN(1 + 35*i))
			switch values[row] = rng.NormFloat64(); {
			case i%4 == 1:
				values[row] = float64(rng.IntN(9))
			case i%4 == 2 && rng.IntN(5) == 0:
				values[row], indices[row] = nan, -1
			}
		}
		switch name := fmt.Sprint("c", i); i % 3 {
		case 0:
			columns = append(columns, floats64(name, values...))
		case 1:
			columns = append(columns, floats32(name, narrow(values)...))
		default:
			columns = append(columns, levels(name, dictionary, indices...))
		}
	}
	return table(t, columns...)
}

func TestThreads(t *testing.T) {
	rows, step := 100_000, 1
	if testing.Short() {
		rows, step = 40_000, 5
	}
	tab := mixedTable(t, rand.New(rand.NewPCG(7, 1)), rows)
	weights := make([]float64, rows)
	for row := range weights {
		weights[row] = float64(row%17) / 3
	}
	p := params(func(p *binning.Params) { p.Sample, p.WeightedCuts = 20_000, true })
	var cuts *binning.Cuts
	var want []uint32
	for threads := 1; threads <= 16; threads += step {
		c, _, err := binning.Fit(context.Background(), tab, weights, p, 5, pool(t, threads))
		if err != nil {
			t.Fatal(err)
		}
		m, err := binning.Build(context.Background(), c, tab, p, pool(t, threads))
		if err != nil {
			t.Fatal(err)
		}
		var got []uint32
		for f := range m.NFeatures() {
			got = append(got, codesOf(m, f)...)
		}
		if cuts == nil {
			cuts, want = c, got
			continue
		}
		for _, id := range []string{"S0.19", "S0.31", "S1.13"} {
			t.Run(fmt.Sprintf("%s/threads=%d", id, threads), func(t *testing.T) {
				if !reflect.DeepEqual(c, cuts) {
					t.Error("the cuts differ from those of one thread")
				}
				if !slices.Equal(got, want) {
					t.Error("the codes differ from those of one thread")
				}
			})
		}
	}
	t.Run("S0.14/storage_keeps_codes", func(t *testing.T) {
		p.Storage = "uniform"
		m := build(t, cuts, tab, p)
		for f := range m.NFeatures() {
			if got := m.FeatureInfo(f).Bits; got != m.FeatureInfo(0).Bits {
				t.Errorf("feature %d is stored in %v, feature 0 in %v", f, got, m.FeatureInfo(0).Bits)
			}
			if !slices.Equal(codesOf(m, f), want[f*rows:(f+1)*rows]) {
				t.Errorf("feature %d has other codes under uniform storage", f)
			}
		}
	})
	t.Run("S1.13/both_orders", func(t *testing.T) {
		m := build(t, cuts, tab, params(nil))
		var narrowFeatures []int
		for f := range m.NFeatures() {
			if m.FeatureInfo(f).NBins <= 256 {
				narrowFeatures = append(narrowFeatures, f)
			}
		}
		one := binning.NewRowMajor(m, narrowFeatures, pool(t, 1))
		for threads := 2; threads <= 16; threads += 7 {
			if many := binning.NewRowMajor(m, narrowFeatures, pool(t, threads)); !slices.Equal(many.Data, one.Data) {
				t.Errorf("%d threads copy other rows than one", threads)
			}
		}
		checkRowMajor(t, m, one, narrowFeatures)
	})
	t.Run("S1.1/every_cell_is_looked_up_once", func(t *testing.T) {
		var searched atomic.Int64
		bin.OnSearch = func(cells int) { searched.Add(int64(cells)) }
		defer func() { bin.OnSearch = nil }()
		m := build(t, cuts, tab, params(nil))
		binning.NewRowMajor(m, []int{0, 1}, pool(t, 2))
		if got, want := searched.Load(), int64(rows)*int64(m.NFeatures()); got != want {
			t.Errorf("%d look-ups for %d cells", got, want)
		}
	})
}

func TestMissingCode(t *testing.T) {
	nans := float32(nan)
	train := table(t, floats32("gaps", 1, 2, nans, 3), floats32("full", 1, 2, 3, 4), levels("k", []string{"a", "b"}, 0, 1, 1, -1), levels("l", []string{"a", "b"}, 0, 1, 1, 0))
	cuts := fit(t, train, params(nil))
	t.Run("S0.5/training", func(t *testing.T) {
		equal(t, "n_codes", cuts.NCodes(), []uint32{4, 4, 3, 2})
		m := build(t, cuts, train, params(nil))
		for f, want := range [][]uint32{{0, 1, 3, 2}, {0, 1, 2, 3}, {1, 0, 0, 2}, {0, 1, 1, 0}} {
			equal(t, cuts.Features[f].Name, codesOf(m, f), want)
			if m.FeatureInfo(f).NBins != cuts.NCodes()[f] {
				t.Errorf("feature %d has %d codes in the matrix, %d in training", f, m.FeatureInfo(f).NBins, cuts.NCodes()[f])
			}
		}
	})
	t.Run("S1.15/missing_is_the_last_code", func(t *testing.T) {
		m := build(t, cuts, train, params(nil))
		for _, f := range []int{0, 2} {
			if got, want := cuts.Features[f].MissingCode(), m.FeatureInfo(f).NBins-1; got != want {
				t.Errorf("feature %d: missing code %d, last code %d", f, got, want)
			}
		}
		if m.Bytes() != 4*64 {
			t.Errorf("%d bytes: missing values take memory of their own", m.Bytes())
		}
	})
	t.Run("S0.5/later_gaps", func(t *testing.T) {
		later := table(t, floats32("gaps", nans, 2), floats32("full", 9, nans), levels("k", []string{"a", "b", "new"}, 2, 0), levels("l", []string{"a", "b", "new"}, 1, 2))
		m := build(t, cuts, later, params(nil))
		for f, want := range [][]uint32{{3, 1}, {3, 4}, {2, 1}, {1, 2}} {
			equal(t, cuts.Features[f].Name, codesOf(m, f), want)
		}
		equal(t, "offsets", m.Offsets(), []uint32{0, 4, 9, 12, 15})
	})
	t.Run("S0.5/unused_new_level_adds_no_code", func(t *testing.T) {
		later := table(t, floats32("gaps", 1), floats32("full", 1), levels("k", []string{"a", "b", "new"}, 1), levels("l", []string{"a", "b", "new"}, 1))
		equal(t, "offsets", build(t, cuts, later, params(nil)).Offsets(), []uint32{0, 4, 8, 11, 13})
	})
	for _, maxBin := range []int{15, 16, 255, 256, 65536} {
		t.Run(fmt.Sprintf("S0.5/later_gap_at_%d_codes", maxBin), func(t *testing.T) {
			values := sequence(maxBin)
			p := params(func(p *binning.Params) { p.MaxBin = maxBin })
			cuts := fit(t, table(t, floats64("x", values...)), p)
			if got := cuts.NCodes()[0]; got != uint32(maxBin) {
				t.Fatalf("%d codes, want %d", got, maxBin)
			}
			m := build(t, cuts, table(t, floats64("x", append([]float64{nan}, values...)...)), p)
			if info := m.FeatureInfo(0); info.NBins != uint32(maxBin)+1 || info.Bits != binning.WidthOf(uint32(maxBin)+1) {
				t.Errorf("matrix with a gap: %+v", info)
			}
			if got := m.Bin(0, 0); got != uint32(maxBin) {
				t.Errorf("NaN has code %d, want %d", got, maxBin)
			}
			if got := m.Bin(0, maxBin); got != uint32(maxBin)-1 {
				t.Errorf("greatest value has code %d, want %d", got, maxBin-1)
			}
		})
	}
}

func TestLaterKinds(t *testing.T) {
	// Cuts 0.1f and 0.3f in float32; 0.1 in float64 is below float32(0.1), 0.3 above... of theirs.
	train := table(t, floats32("x", .1, .3, 1))
	p := params(func(p *binning.Params) { p.Placement = "value" })
	cuts := fit(t, train, p)
	t.Run("S0.6/f64_on_f32_cuts", func(t *testing.T) {
		// float32(0.1) = 0.100000001490…, float32(0.3) = 0.300000011920…: a float64 just above
		// is right of the cut though it rounds to the cut in float32.
		later := []float64{.1, float64(float32(.1)), .10000000150, .3, .30000001193, 2, nan}
		want := []uint32{0, 0, 1, 1, 2, 2, 3}
		tab := table(t, floats64("x", later...))
		equal(t, "codes", codesOf(build(t, cuts, tab, p), 0), want)
		long := slices.Repeat(later, 1000) // enough rows for the indexed search
		got := codesOf(build(t, cuts, table(t, floats64("x", long...)), p), 0)
		equal(t, "indexed codes", got, slices.Repeat(want, 1000))
	})
	t.Run("S0.6/f32_on_f64_cuts", func(t *testing.T) {
		cuts := fit(t, table(t, floats64("x", .1, .3, 1)), p)
		later := []float32{.1, .3, 0x1p-4, 2, float32(nan)} // float32(0.1) is above 0.1
		want := []uint32{1, 2, 0, 2, 3}
		equal(t, "codes", codesOf(build(t, cuts, table(t, floats32("x", later...)), p), 0), want)
		long := slices.Repeat(later, 1000)
		equal(t, "indexed codes", codesOf(build(t, cuts, table(t, floats32("x", long...)), p), 0), slices.Repeat(want, 1000))
	})
	t.Run("S0.1/other_tables_are_refused", func(t *testing.T) {
		for name, tab := range map[string]*dataset.Table{
			`column "x" holds text levels, in training it held numbers`: table(t, levels("x", []string{"a"}, 0)),
			"the table has 2 features, the cuts 1":                      table(t, floats32("x", 1), floats32("y", 1)),
		} {
			_, err := binning.Build(context.Background(), cuts, tab, p, pool(t, 1))
			if !errors.Is(err, binning.ErrMismatch) || !strings.Contains(err.Error(), name) {
				t.Errorf("Build: %v, want %q", err, name)
			}
			if _, err := binning.NewEncoder(cuts, tab); !errors.Is(err, binning.ErrMismatch) {
				t.Errorf("NewEncoder: %v", err)
			}
		}
		text := fit(t, table(t, levels("k", []string{"a"}, 0)), p)
		_, err := binning.NewEncoder(text, table(t, floats32("k", 1)))
		if err == nil || !strings.Contains(err.Error(), `column "k" holds numbers, in training it held text levels`) {
			t.Errorf("NewEncoder: %v", err)
		}
		if !panics(func() { text.Encode(0, table(t, floats32("k", 1)).Features()[0], 0, 1, make([]uint32, 1)) }) {
			t.Error("Cuts.Encode takes numbers for levels")
		}
	})
}

func TestEncode(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	tab := mixedTable(t, rng, 5000)
	cuts := fit(t, tab, params(func(p *binning.Params) { p.Sample = 1000 }))
	m := build(t, cuts, tab, params(nil))
	encoder, err := binning.NewEncoder(cuts, tab)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("S0.1/encode_equals_matrix", func(t *testing.T) {
		got := make([]uint32, 5000)
		for f, column := range tab.Features() {
			want := codesOf(m, f)
			for range 30 {
				lo := rng.IntN(5000)
				hi := lo + rng.IntN(5001-lo)
				encoder.Encode(f, lo, hi, got)
				equal(t, "Encoder", got[:hi-lo], want[lo:hi])
				cuts.Encode(f, column, lo, hi, got)
				equal(t, "Cuts.Encode", got[:hi-lo], want[lo:hi])
			}
		}
	})
}

func TestErrors(t *testing.T) {
	tab := table(t, floats32("x", 1, 2))
	weighted := params(func(p *binning.Params) { p.WeightedCuts = true })
	for want, weights := range map[string][]float64{
		"weight of row 1 is -1: want a finite number": {1, -1}, "weight of row 0 is NaN": {nan, 1},
		"weight of row 1 is +Inf": {1, inf}, "1 weights for 2 rows": {1},
	} {
		if _, _, err := binning.Fit(context.Background(), tab, weights, weighted, 1, pool(t, 1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("weights %v: %v, want %q", weights, err, want)
		}
		if _, _, err := binning.Fit(context.Background(), tab, weights, params(nil), 1, pool(t, 1)); err != nil {
			t.Errorf("weights %v matter without weighted_cuts: %v", weights, err)
		}
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := binning.Fit(cancelled, tab, nil, params(nil), 1, pool(t, 2)); !errors.Is(err, context.Canceled) {
		t.Errorf("Fit: %v", err)
	}
	if _, err := binning.Build(cancelled, fit(t, tab, params(nil)), tab, params(nil), pool(t, 2)); !errors.Is(err, context.Canceled) {
		t.Errorf("Build: %v", err)
	}
	_, err := binning.Build(context.Background(), fit(t, tab, params(nil)), tab, params(func(p *binning.Params) { p.Storage = "x" }), pool(t, 1))
	if !errors.Is(err, binning.ErrParams) {
		t.Errorf("Build with storage x: %v", err)
	}
}

func TestWeightedCuts(t *testing.T) {
	t.Run("S0.7/weighted_golden", func(t *testing.T) {
		// Values 1…6 of weights 6 1 1 1 1 2: W = 12, targets for 3 bins ⌊11/3⌋ = 3, ⌊22/3⌋ = 7;
		// C = 6 7 8 9 10 12: the first above 3 is at 1, the first above 7 at 3.
		p := params(func(p *binning.Params) { p.MaxBin, p.WeightedCuts, p.Placement = 3, true, "value" })
		tab := table(t, floats64("x", 6, 5, 4, 3, 2, 1), floats32("y", 6, 5, 4, 3, 2, 1))
		c, _, err := binning.Fit(context.Background(), tab, []float64{2, 1, 1, 1, 1, 6}, p, 1, pool(t, 1))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "float64", c.Values64, []float64{1, 3})
		equal(t, "float32", c.Values, []float32{1, 3})
		// Without a weight for the greatest values 5 and 6, and with fractions: the same borders by ratio.
		c, _, err = binning.Fit(context.Background(), tab, []float64{.5, .25, .25, .25, .25, 1.5}, p, 1, pool(t, 1))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "fractions", c.Values64, []float64{1, 3})
	})
	t.Run("S0.7/no_weights_is_weight_one", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(8, 2))
		for range cases(300) {
			values := someValues(rng, 1+rng.IntN(200))
			ones := slices.Repeat([]float64{1}, len(values))
			p := params(func(p *binning.Params) { p.MaxBin, p.WeightedCuts, p.Sample = 2+rng.IntN(20), true, 100 })
			tab := table(t, floats64("x", values...))
			want := fit(t, tab, p)
			got, _, err := binning.Fit(context.Background(), tab, ones, p, 1, pool(t, 1))
			if err != nil || !slices.Equal(got.Values64, want.Values64) {
				t.Fatalf("%v: cuts %v, of weight 1 %v (%v)", values, want.Values64, got.Values64, err)
			}
		}
	})
}
