package binning_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"boost/binning"
	"boost/dataset"
)

// The cuts know red (0), blue (1), others that are rare (2), and green, which had no row. New rows
// are of green (2), of grey (3) and pink (1), and of red: green and grey are frequent enough.
func TestExtend(t *testing.T) {
	c := &binning.Cuts{
		Features: []binning.Feature{
			{Name: "x", Kind: binning.Numeric32, Regular: 2},
			{Name: "color", Kind: binning.Categorical, Regular: 3, Codes: []uint32{0, 1, 2, 2, binning.NoCode}},
		},
		Values: []float32{1.5}, Ptrs: []uint32{0, 1, 1}, Ptrs64: []uint32{0, 0, 0},
	}
	schema := dataset.Schema{Columns: []dataset.ColumnSchema{
		{Name: "y", Role: dataset.LabelRole, Kind: dataset.Float64},
		{Name: "x", Kind: dataset.Float32},
		{Name: "color", Kind: dataset.Category, Levels: []string{"red", "blue", "rare", "odd", "green", "pink", "grey", "gone"}},
	}}
	counts := []int{5, 0, 0, 0, 2, 1, 3, 0}
	pop := binning.Population{Rows: 12, Missing: []int{1, 0}, Counts: [][]int{nil, counts}}
	p := binning.Defaults()
	for _, v := range []struct {
		name    string
		change  func(p *binning.Params)
		codes   []uint32
		regular uint32
	}{
		{"by count", func(*binning.Params) {}, []uint32{0, 1, 2, 2, 4, 5, 3, binning.NoCode}, 6},
		{"by name", func(p *binning.Params) { p.Order = binning.ByName }, []uint32{0, 1, 2, 2, 3, 5, 4, binning.NoCode}, 6},
		{"rare ones share", func(p *binning.Params) { p.MinDataPerCat = 3 }, []uint32{0, 1, 2, 2, 4, 4, 3, binning.NoCode}, 5},
		{"no more than max_cat", func(p *binning.Params) { p.MaxCat = 2 }, []uint32{0, 1, 2, 2, 3, 3, 3, binning.NoCode}, 4},
	} {
		q := p
		v.change(&q)
		got, notes, err := c.Extend(schema, pop, q)
		if err != nil {
			t.Fatal(err)
		}
		f := got.Features[1]
		if !slices.Equal(f.Codes, v.codes) || f.Regular != v.regular || f.HasMissing {
			t.Errorf("%s: codes %v of %d, want %v of %d", v.name, f.Codes, f.Regular, v.codes, v.regular)
		}
		if !got.Features[0].HasMissing || got.Features[0].Regular != 2 || !slices.Equal(got.Values, c.Values) {
			t.Errorf("%s: numeric feature %+v", v.name, got.Features[0])
		}
		if len(notes) != 1 || !strings.Contains(notes[0], `"color"`) || !strings.Contains(notes[0], "3") {
			t.Errorf("%s: notes %q", v.name, notes)
		}
	}
	if c.Features[0].HasMissing || len(c.Features[1].Codes) != 5 {
		t.Error("the cuts themselves have changed")
	}
	for name, bad := range map[string]binning.Population{
		"another number of features": {Missing: []int{0}, Counts: [][]int{nil}},
		"levels not counted":         {Missing: []int{0, 0}, Counts: [][]int{nil, {1}}},
	} {
		if _, _, err := c.Extend(schema, bad, p); !errors.Is(err, binning.ErrMismatch) {
			t.Errorf("%s: %v", name, err)
		}
	}
	short := dataset.Schema{Columns: slices.Clone(schema.Columns)}
	short.Columns[2].Levels = []string{"red"}
	if _, _, err := c.Extend(short, binning.Population{Missing: []int{0, 0}, Counts: [][]int{nil, {1}}}, p); !errors.Is(err, binning.ErrMismatch) {
		t.Errorf("fewer levels than codes: %v", err)
	}
}

// New levels take the code of the bucket that they hash into; those of a bucket without a code get a new one. By a separate
// script FNV-1a of the texts modulo 3 is: red 1, blue 2, rare 1, odd 2, plum 2, green 2, teal 2, pink 0, grey 0.
func TestExtendHashed(t *testing.T) {
	names := []string{"red", "blue", "rare", "odd", "plum", "green", "pink", "grey", "teal"}
	counts := []int{5, 0, 0, 0, 0, 2, 1, 3, 9}
	schema := dataset.Schema{Columns: []dataset.ColumnSchema{{Name: "color", Kind: dataset.Category, Levels: names}}}
	for _, v := range []struct {
		name     string
		codes    []uint32 // of red, blue, rare, odd and plum
		buckets  int
		maxCat   int
		extended []uint32 // of green, pink, grey and teal
		regular  uint32
	}{
		{"known bucket and new one", []uint32{0, 1, 2, 3, 3}, 3, 2, []uint32{3, 4, 4, 3}, 5},
		{"the most frequent new one has its own", []uint32{0, 1, 2, 3, 3}, 3, 5, []uint32{3, 5, 5, 4}, 6},
		{"a code of several buckets is none", []uint32{0, 1, 2, 2, 2}, 3, 2, []uint32{4, 3, 3, 4}, 5},
		{"all in known ones", []uint32{0, 1, 1, 1, 1}, 1, 1, []uint32{1, 1, 1, 1}, 2},
	} {
		c := &binning.Cuts{
			Features: []binning.Feature{{Name: "color", Kind: binning.Categorical, Regular: slices.Max(v.codes) + 1, Codes: v.codes}},
			Ptrs:     []uint32{0, 0}, Ptrs64: []uint32{0, 0},
		}
		p := binning.Defaults()
		p.MaxCat, p.HashBuckets = v.maxCat, v.buckets
		got, _, err := c.Extend(schema, binning.Population{Rows: 20, Missing: []int{0}, Counts: [][]int{counts}}, p)
		if err != nil {
			t.Fatal(err)
		}
		f := got.Features[0]
		if want := slices.Concat(v.codes, v.extended); !slices.Equal(f.Codes, want) || f.Regular != v.regular {
			t.Errorf("%s: codes %v of %d, want %v of %d", v.name, f.Codes, f.Regular, want, v.regular)
		}
	}
}

// A column that had no level at all in training begins with code 0.
func TestExtendFromNothing(t *testing.T) {
	c := &binning.Cuts{
		Features: []binning.Feature{{Name: "color", Kind: binning.Categorical, Regular: 1, HasMissing: true}},
		Ptrs:     []uint32{0, 0}, Ptrs64: []uint32{0, 0},
	}
	schema := dataset.Schema{Columns: []dataset.ColumnSchema{{Name: "color", Kind: dataset.Category, Levels: []string{"red", "blue"}}}}
	got, _, err := c.Extend(schema, binning.Population{Rows: 3, Missing: []int{0}, Counts: [][]int{{1, 2}}}, binning.Defaults())
	if err != nil || !slices.Equal(got.Features[0].Codes, []uint32{1, 0}) || got.Features[0].Regular != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}
