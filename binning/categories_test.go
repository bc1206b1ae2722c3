package binning_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"boost/binning"
	"boost/dataset"
)

const none = binning.NoCode

func TestCategories(t *testing.T) {
	// Rows per level: a 2, b 4, c 0, d 2, e 1, f 1, and two rows without a value.
	dictionary := []string{"a", "b", "c", "d", "e", "f"}
	tab := table(t, levels("k", dictionary, 0, 1, -1, 3, 1, 4, 1, 0, 5, 1, 3, -1))
	for _, c := range []struct {
		name             string
		maxCat, minRows  int
		codes            []uint32
		regular, missing uint32
		note             string
	}{
		{"all", 65_000, 1, []uint32{1, 0, none, 2, 3, 4}, 5, 5, ""},
		{"rare", 65_000, 2, []uint32{1, 0, none, 2, 3, 3}, 4, 4,
			`column "k": 2 levels (2 rows) share one code: rarer than categorical.min_data_per_cat = 2`},
		{"beyond", 2, 0, []uint32{1, 0, none, 2, 2, 2}, 3, 3,
			`column "k": 3 levels (4 rows) share one code: beyond categorical.max_cat = 2`},
		{"both", 2, 2, []uint32{1, 0, none, 2, 2, 2}, 3, 3,
			`column "k": 3 levels (4 rows) share one code: beyond categorical.max_cat = 2 or rarer than categorical.min_data_per_cat = 2`},
		{"one level in other", 4, 1, []uint32{1, 0, none, 2, 3, 4}, 5, 5, ""},
		{"as many as there are", 5, 1, []uint32{1, 0, none, 2, 3, 4}, 5, 5, ""},
		{"all are rare", 65_000, 100, []uint32{0, 0, none, 0, 0, 0}, 1, 1,
			`column "k": 5 levels (10 rows) share one code: rarer than categorical.min_data_per_cat = 100`},
	} {
		t.Run("S0.2/categories/"+c.name, func(t *testing.T) {
			p := params(func(p *binning.Params) { p.MaxCat, p.MinDataPerCat = c.maxCat, c.minRows })
			cuts, notes, err := binning.Fit(context.Background(), tab, nil, p, 1, pool(t, 1))
			if err != nil {
				t.Fatal(err)
			}
			feature := cuts.Features[0]
			equal(t, "codes", feature.Codes, c.codes)
			if feature.Kind != binning.Categorical || feature.Regular != c.regular || feature.MissingCode() != c.missing || feature.NCodes() != c.missing+1 {
				t.Errorf("feature %+v: want %d regular codes, missing %d", feature, c.regular, c.missing)
			}
			var want []string
			if c.note != "" {
				want = []string{c.note}
			}
			equal(t, "notes", notes, want)
			if got := build(t, cuts, tab, p).Bin(0, 2); got != c.missing {
				t.Errorf("missing row has code %d, want %d", got, c.missing)
			}
		})
	}
	t.Run("S0.2/max_bin_does_not_apply", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(10, 1))
		const many = 100_000
		dictionary := make([]string, many)
		indices := make([]int32, many+many/2)
		for i := range dictionary {
			dictionary[i] = fmt.Sprint("v", i)
		}
		for row := range indices {
			indices[row] = int32(row % many) // the first half of the levels has two rows
		}
		rng.Shuffle(len(indices), func(i, j int) { indices[i], indices[j] = indices[j], indices[i] })
		tab := table(t, levels("k", dictionary, indices...))
		cuts, notes, err := binning.Fit(context.Background(), tab, nil, params(func(p *binning.Params) { p.MaxBin = 16 }), 1, pool(t, 1))
		if err != nil || len(notes) != 1 {
			t.Fatalf("notes %q, error %v", notes, err)
		}
		if got := cuts.NCodes()[0]; got != 65_001 {
			t.Errorf("100,000 levels have %d codes, want max_cat and one more", got)
		}
		for level, code := range cuts.Features[0].Codes {
			if want := uint32(min(level, 65_000)); code != want {
				t.Fatalf("level %d has code %d, want %d", level, code, want)
			}
		}
		m := build(t, cuts, tab, params(nil))
		if m.FeatureInfo(0).Bits != binning.U16 {
			t.Errorf("stored in %v", m.FeatureInfo(0).Bits)
		}
		for row, level := range indices {
			if want := uint32(min(level, 65_000)); m.Bin(0, row) != want {
				t.Fatalf("row %d of level %d has code %d", row, level, m.Bin(0, row))
			}
		}
	})
}

// Rare levels go by FNV-1a of their text modulo 3, of a separate script: a 1, c 0, d 1, e 0, f 0. Codes follow the buckets.
func TestHashedLevels(t *testing.T) {
	// Rows per level: a 2, b 4, c 0, d 2, e 1, f 1, and a row without a value.
	dictionary := []string{"a", "b", "c", "d", "e", "f"}
	tab := table(t, levels("k", dictionary, 0, 1, -1, 3, 1, 4, 1, 0, 5, 1, 3))
	for _, c := range []struct {
		name    string
		change  func(p *binning.Params)
		codes   []uint32
		regular uint32
		note    string
	}{
		{"fewer levels than max_cat", func(p *binning.Params) { p.MaxCat = 5 }, []uint32{1, 0, none, 2, 3, 4}, 5, ""},
		{"one of its own", func(p *binning.Params) { p.MaxCat = 1 }, []uint32{2, 0, none, 2, 1, 1}, 3,
			`column "k": 4 levels (6 rows) share 2 codes by hash: beyond categorical.max_cat = 1`},
		{"rare", func(p *binning.Params) { p.MinDataPerCat = 2 }, []uint32{1, 0, none, 2, 3, 3}, 4,
			`column "k": 2 levels (2 rows) share 1 codes by hash: rarer than categorical.min_data_per_cat = 2`},
		{"none of its own", func(p *binning.Params) { p.MinDataPerCat = 5 }, []uint32{1, 1, none, 1, 0, 0}, 2,
			`column "k": 5 levels (10 rows) share 2 codes by hash: rarer than categorical.min_data_per_cat = 5`},
		{"by name", func(p *binning.Params) { p.Order, p.MaxCat = "name", 2 }, []uint32{0, 1, none, 3, 2, 2}, 4,
			`column "k": 3 levels (4 rows) share 2 codes by hash: beyond categorical.max_cat = 2`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := params(func(p *binning.Params) { p.HashBuckets = 3; c.change(p) })
			cuts, notes, err := binning.Fit(context.Background(), tab, nil, p, 1, pool(t, 1))
			if err != nil {
				t.Fatal(err)
			}
			feature := cuts.Features[0]
			equal(t, "codes", feature.Codes, c.codes)
			var want []string
			if c.note != "" {
				want = []string{c.note}
			}
			equal(t, "notes", notes, want)
			if feature.Regular != c.regular {
				t.Errorf("%d codes, want %d", feature.Regular, c.regular)
			}
		})
	}
}

func TestOrderByName(t *testing.T) {
	byName := func(maxCat, minRows int) binning.Params {
		return params(func(p *binning.Params) { p.Order, p.MaxCat, p.MinDataPerCat = "name", maxCat, minRows })
	}
	t.Run("S0.2/text_by_bytes", func(t *testing.T) {
		// Rows per level: b 4, é 2, Z 1, a 1, c none. Bytes: Z < a < b < é.
		tab := table(t, levels("k", []string{"b", "é", "Z", "a", "c"}, 0, 1, 0, 2, 0, 1, 0, 3))
		feature := fit(t, tab, byName(65_000, 1)).Features[0]
		equal(t, "codes", feature.Codes, []uint32{2, 3, 0, 1, none})
		// Two levels with a code of their own: the two most frequent ones, b and é.
		feature = fit(t, tab, byName(2, 1)).Features[0]
		equal(t, "max_cat 2", feature.Codes, []uint32{0, 1, 2, 2, none})
		// Three: of the equally rare Z and a the first by name.
		feature = fit(t, tab, byName(3, 1)).Features[0]
		equal(t, "max_cat 3", feature.Codes, []uint32{1, 2, 0, 3, none})
		feature = fit(t, tab, byName(65_000, 2)).Features[0]
		equal(t, "min_data_per_cat 2", feature.Codes, []uint32{0, 1, 2, 2, none})
	})
	t.Run("S0.2/numbers_by_value", func(t *testing.T) {
		texts := []string{"10", "9", "-1", "1e+21", "0.5", "9", "10", "-2"}
		tab, err := dataset.FromColumns([]dataset.ColumnData{{Name: "k", Values: texts}}, dataset.Categorical("k"))
		if err != nil {
			t.Fatal(err)
		}
		if !tab.Column("k").NumericLevels() {
			t.Fatal("the levels are not numeric")
		}
		equal(t, "levels", tab.Column("k").Levels(), []string{"10", "9", "-1", "1e+21", "0.5", "-2"})
		equal(t, "codes", fit(t, tab, byName(65_000, 1)).Features[0].Codes, []uint32{4, 3, 1, 5, 2, 0})
	})
	t.Run("S0.2/equal_for_any_order_of_rows", func(t *testing.T) {
		r := rand.New(rand.NewPCG(10, 2))
		for range cases(500) {
			texts := make([]string, 1+r.IntN(80))
			for row := range texts {
				texts[row] = []string{fmt.Sprint("v", r.IntN(20)), fmt.Sprint(r.IntN(20))}[len(texts)%2]
			}
			p := byName(1+r.IntN(25), 1+r.IntN(3))
			codeOf := func() map[string]uint32 {
				tab, err := dataset.FromColumns([]dataset.ColumnData{{Name: "k", Values: texts}}, dataset.Categorical("k"))
				if err != nil {
					t.Fatal(err)
				}
				codes := map[string]uint32{}
				for level, code := range fit(t, tab, p).Features[0].Codes {
					codes[tab.Column("k").Levels()[level]] = code
				}
				return codes
			}
			want := codeOf()
			r.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
			if got := codeOf(); !maps.Equal(got, want) {
				t.Fatalf("%+v: codes %v, before the rows were shuffled %v", p, got, want)
			}
		}
	})
}
