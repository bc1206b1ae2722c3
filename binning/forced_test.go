package binning_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"boost/binning"
	"boost/dataset"
)

func forced(maxBin int, cuts ...float64) binning.Params {
	return params(func(p *binning.Params) { p.MaxBin, p.ForcedCuts = maxBin, map[string][]float64{"x": cuts} })
}

func TestForcedCuts(t *testing.T) {
	digits := table(t, floats64("x", sequence(10)...))
	for _, c := range []struct {
		name string
		p    binning.Params
		want []float64
	}{
		// Of 4 bins the forced cut leaves 3: ⌊9·i/3⌋ = 3 6.
		{"quantiles beside it", forced(4, 2.2), []float64{2.2, 3.5, 6.5}},
		// In the gap of a quantile it takes its place.
		{"in place of a quantile", forced(4, 3.9), []float64{3.9, 6.5}},
		{"every value has a bin", forced(10, 2.2), []float64{.5, 1.5, 2.2, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5}},
		{"at a value", forced(10, 2), []float64{.5, 1.5, 2, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5}},
		// 9 borders of 10 values and two more: beyond 11 bins, so those of 9 bins, ⌊9·i/9⌋ = 1 … 8.
		{"outside the values", forced(11, -5, 100), []float64{-5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 100}},
		{"outside, with room", forced(12, -5, 100), []float64{-5, .5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 100}},
		{"two in one gap", forced(12, 4.2, 4.7), []float64{.5, 1.5, 2.5, 3.5, 4.2, 4.7, 5.5, 6.5, 7.5, 8.5}},
		{"nothing left", forced(4, 1, 2, 3), []float64{1, 2, 3}},
		{"minus zero", forced(2, math.Copysign(0, -1)), []float64{0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cuts := fit(t, digits, c.p)
			equal(t, "cuts", cuts.Values64, c.want)
			for _, cut := range cuts.Values64 {
				if cut == 0 && math.Signbit(cut) {
					t.Error("a cut is −0")
				}
			}
		})
	}
	t.Run("min_data_in_bin", func(t *testing.T) {
		// The forced cut leaves 0 1 on its left; 2 … 9 are bins of at least 4: 2 3 4 5 | 6 7 8 9.
		p := forced(255, 1.5)
		p.MinDataInBin = 4
		equal(t, "cuts", fit(t, digits, p).Values64, []float64{1.5, 5.5})
		// Between two forced cuts: 0 | 1 2 3 | 4 5 | 6 | 7 8 9 with bins of 2.
		p = forced(255, .5, 3.5, 5.5, 6.5)
		p.MinDataInBin = 2
		equal(t, "between two", fit(t, digits, p).Values64, []float64{.5, 3.5, 5.5, 6.5})
	})
	t.Run("float32", func(t *testing.T) {
		// float32(0.1) is above 0.1 and 0.25 is itself; 0.1 and the double below it are one cut.
		tab := table(t, floats32("x", 0, .1, .2, .3))
		p := forced(4, math.Nextafter(.1, 0), .1, .25)
		p.MaxBin = 4
		cuts := fit(t, tab, p)
		below := math.Nextafter32(.1, 0)
		equal(t, "cuts", cuts.Values[:1], []float32{below})
		if !slices.Contains(cuts.Values, .25) {
			t.Errorf("cuts %v lack 0.25", cuts.Values)
		}
		equal(t, "huge", fit(t, tab, forced(4, -1e300, 1e300)).Values, []float32{float32(-inf), .15, math.MaxFloat32})
	})
	t.Run("columns_without_values_or_spread", func(t *testing.T) {
		tab := table(t, floats64("x", nan, nan), floats64("y", 5.1, 5.1))
		p := params(func(p *binning.Params) { p.ForcedCuts = map[string][]float64{"x": {1, 2}, "y": {3}} })
		cuts := fit(t, tab, p)
		equal(t, "cuts", cuts.Values64, []float64{1, 2, 3})
		equal(t, "n_codes", cuts.NCodes(), []uint32{4, 2})
		equal(t, "codes", codesOf(build(t, cuts, tab, p), 1), []uint32{1, 1})
	})
	t.Run("property", testForcedProperty)
}

// testForcedProperty: every forced cut is a cut, the others separate values that no
// forced one separates, there are no more codes than max_bin, and where all distinct
// values fit beside them they are all kept apart.
func testForcedProperty(t *testing.T) {
	r := rand.New(rand.NewPCG(70, 1))
	for range cases(5000) {
		values := someValues(r, 1+r.IntN(120))
		maxBin := 3 + r.IntN(30)
		var list []float64
		for range r.IntN(maxBin - 1) {
			v := someValues(r, 1)[0] + float64(r.IntN(2))*.5
			if v-v == 0 {
				list = append(list, v)
			}
		}
		slices.Sort(list)
		list = slices.Compact(list)
		p := forced(maxBin, list...)
		tab := table(t, floats64("x", values...))
		cuts := fit(t, tab, p)
		if cuts.NCodes()[0] > uint32(maxBin) {
			t.Fatalf("%d codes, max_bin %d", cuts.NCodes()[0], maxBin)
		}
		side := func(x float64) int { n, _ := slices.BinarySearch(list, x); return n }
		present := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return v != v })
		slices.Sort(present)
		distinct := slices.CompactFunc(present, func(a, b float64) bool { return a == b })
		for i, cut := range cuts.Values64 {
			if i > 0 && !(cuts.Values64[i-1] < cut) {
				t.Fatalf("cuts %v do not ascend", cuts.Values64)
			}
			if slices.Contains(list, cut) {
				continue
			}
			at, _ := slices.BinarySearchFunc(distinct, cut, func(v, cut float64) int {
				if v <= cut {
					return -1
				}
				return 1
			})
			if at == 0 || at == len(distinct) || side(distinct[at-1]) != side(distinct[at]) {
				t.Fatalf("cut %v beside forced ones %v separates nothing of its own among %v", cut, list, distinct)
			}
		}
		for _, cut := range list {
			if !slices.Contains(cuts.Values64, cut) {
				t.Fatalf("forced cut %v is not among %v", cut, cuts.Values64)
			}
		}
		if bins := maxBin - 1 - len(list); len(distinct) <= bins {
			for i := 1; i < len(distinct); i++ {
				below, _ := slices.BinarySearch(cuts.Values64, distinct[i-1])
				above, _ := slices.BinarySearch(cuts.Values64, distinct[i])
				if below == above {
					t.Fatalf("%v and %v share a bin, though %d values fit %d bins", distinct[i-1], distinct[i], len(distinct), bins)
				}
			}
		}
	}
}

func TestMaxBinByFeature(t *testing.T) {
	tab := table(t, floats64("x", sequence(1000)...), floats64("y", sequence(1000)...), floats32("z", append(narrow(sequence(999)), float32(nan))...))
	p := params(func(p *binning.Params) { p.MaxBin, p.MaxBinByFeature = 5, map[string]int{"y": 1000, "z": 3} })
	cuts := fit(t, tab, p)
	equal(t, "n_codes", cuts.NCodes(), []uint32{5, 1000, 3})
	// z: two bins of 999 values, border after ⌊998/2⌋ = 499.
	equal(t, "cuts of z", cuts.Of32(2), []float32{499.5})
}

func TestColumnParams(t *testing.T) {
	tab := table(t, floats64("income", 1.1, 2, 3), levels("city", []string{"a"}, 0, 0, 0), floats64("gaps", 1.1, nan, 3))
	for _, c := range []struct {
		name   string
		change func(p *binning.Params)
		is     error
		want   string
	}{
		{"unknown", func(p *binning.Params) { p.ForcedCuts = map[string][]float64{"incme": {1}} }, dataset.ErrTable,
			`the table has no feature column "incme", which binning.forced_cuts names (did you mean "income"?)`},
		{"unknown bins", func(p *binning.Params) { p.MaxBinByFeature = map[string]int{"zzz": 4} }, dataset.ErrTable,
			`the table has no feature column "zzz", which binning.max_bin_by_feature names`},
		{"categorical", func(p *binning.Params) { p.MaxBinByFeature = map[string]int{"city": 4} }, binning.ErrParams,
			`binning.max_bin_by_feature names column "city", which is categorical`},
		{"not ascending", func(p *binning.Params) { p.ForcedCuts = map[string][]float64{"income": {1, 3, 3}} }, binning.ErrParams,
			`column "income": 3 does not ascend after 3`},
		{"NaN", func(p *binning.Params) { p.ForcedCuts = map[string][]float64{"income": {nan}} }, binning.ErrParams, `cut 1 is NaN`},
		{"infinite", func(p *binning.Params) { p.ForcedCuts = map[string][]float64{"income": {1, inf}} }, binning.ErrParams, `cut 2 is +Inf`},
		{"too many", func(p *binning.Params) { p.MaxBin, p.ForcedCuts = 3, map[string][]float64{"income": {1, 2, 3}} }, binning.ErrParams,
			`column "income" has 3 cuts, its max_bin = 3 allows 2`},
		{"too many for its own", func(p *binning.Params) {
			p.MaxBinByFeature, p.ForcedCuts = map[string]int{"income": 2}, map[string][]float64{"income": {1, 2}}
		}, binning.ErrParams, `column "income" has 2 cuts, its max_bin = 2 allows 1`},
		{"too many beside gaps", func(p *binning.Params) { p.MaxBin, p.ForcedCuts = 3, map[string][]float64{"gaps": {1, 2}} }, binning.ErrParams,
			`column "gaps" has 2 cuts, its max_bin = 3 allows 1 beside the code of its missing values`},
		{"bins out of range", func(p *binning.Params) { p.MaxBinByFeature = map[string]int{"b": 1, "a": 1 << 25} }, binning.ErrParams,
			"binning.max_bin_by_feature of column \"a\" = 33554432: must be 2 … 16,777,216\ninvalid binning parameter: binning.max_bin_by_feature of column \"b\" = 1: must be"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := binning.Fit(context.Background(), tab, nil, params(c.change), 1, pool(t, 1))
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if _, _, sampled := binning.FitSampled(context.Background(), tab, populationOf(tab), nil, params(c.change), pool(t, 1)); sampled == nil || sampled.Error() != err.Error() {
				t.Errorf("FitSampled: %v", sampled)
			}
		})
	}
}

func TestParseForcedCuts(t *testing.T) {
	features := []string{"a", "b"}
	t.Run("LightGBM's example", func(t *testing.T) {
		// examples/regression/forced_bins.json of LightGBM 4.
		got, err := binning.ParseForcedCuts(strings.NewReader(`[
    {
        "feature": 0,
        "bin_upper_bound": [
            0.3,
            0.35,
            0.4
        ]
    },
    {
        "feature": 1,
        "bin_upper_bound": [
            -0.1,
            -0.15,
            -0.2
        ]
    }
]
`), features)
		want := map[string][]float64{"a": {.3, .35, .4}, "b": {-.2, -.15, -.1}}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
	})
	t.Run("order_and_repeats", func(t *testing.T) {
		got, err := binning.ParseForcedCuts(strings.NewReader(`[{"feature": 1, "bin_upper_bound": [3, 1, 3]}]`), features)
		if want := map[string][]float64{"b": {1, 3}}; err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
	})
	for text, want := range map[string]string{
		`{}`:                                                                 `want a list of {"feature"`,
		`[{"feature": 2}]`:                                                   `entry 1 needs a "feature" of 0 to 1`,
		`[{"bin_upper_bound": [1]}]`:                                         `entry 1 needs a "feature"`,
		`[{"feature": 0, "bounds": [1]}]`:                                    `unknown field "bounds"`,
		`[{"feature": 0}, {"feature": 0}]`:                                   `feature 0 ("a") stands there twice`,
		`[{"feature": 0, "bin_upper_bound": [1]}] x`:                         `something follows the list`,
		`[{"feature": 0, "bin_upper_bound": ["1"]}]`:                         `cannot unmarshal string`,
		`[{"feature": 0, "bin_upper_bound": [1e999]}]`:                       `cannot unmarshal number`,
		`[{"feature": 0, "bin_upper_bound": [1]}, {"feature": -1}]`:          `entry 2 needs a "feature"`,
		`[{"feature": 0.5, "bin_upper_bound": [1]}]`:                         `cannot unmarshal number 0.5`,
		`[{"feature": 0, "bin_upper_bound": [1]}][{"feature": 1, "b": [1]}]`: `something follows the list`,
	} {
		if _, err := binning.ParseForcedCuts(strings.NewReader(text), features); !errors.Is(err, binning.ErrParams) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}
