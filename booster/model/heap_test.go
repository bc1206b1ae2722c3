package model

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"boost/binning"
	"boost/booster/model/internal/format"
	"boost/booster/model/internal/packed"
	"boost/dataset"
	"boost/internal/heapsize"
	"boost/internal/testenv"
	"boost/ptq"
	"boost/tree"
	"boost/tree/pack"
)

// stumps returns the parts of a compressed model of that many trees of one split, whose leaf values take a bit each.
func stumps(t *testing.T, trees int) []format.Section {
	t.Helper()
	small := smallCompressed(t, ptq.FormOf(ptq.Binary), GroupModel, false)
	sections := partsOf(t, small)
	text, err := packed.UnpackAbout(sections[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	features := Features(small.contents.Cuts)
	numeric := slices.IndexFunc(features, func(f tree.Feature) bool { return !f.Categorical && f.Regular > 1 })
	one := tree.Tree{
		Feature: []int32{int32(numeric)}, Code: []uint32{0}, Categorical: []bool{false}, MissingLeft: []bool{false},
		Left: []int32{^0}, Right: []int32{^1}, Leaf: make([]float64, 2),
	}
	claim := put(t, put(t, put(t, string(text), "best_round", fmt.Sprint(trees)), "outputs", "1"), "base_score", "[0]")
	for i := range sections {
		switch sections[i].Name {
		case "about":
			sections[i].Data = packed.PackAbout([]byte(claim))
		case "structure":
			sections[i].Data = pack.Write(slices.Repeat([]tree.Tree{one}, trees), features, 1)
		case "leaves":
			sections[i].Data = make([]byte, (2*trees+7)/8)
		}
	}
	return sections
}

// withPart replaces a part.
func withPart(sections []format.Section, name string, change func([]byte) []byte) []format.Section {
	sections = slices.Clone(sections)
	for i := range sections {
		if sections[i].Name == name {
			sections[i].Data = change(bytes.Clone(sections[i].Data))
			return sections
		}
	}
	return append(sections, format.Section{Name: name, Data: change(nil)})
}

// Sound trees take a thousand times their bytes. One thing is wrong that is said elsewhere: it is found before they are made.
func TestBombsOfSoundTrees(t *testing.T) {
	testenv.Memory(t)
	sound := stumps(t, 200_000)
	about, err := packed.UnpackAbout(sound[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Decode(joined(sound)); err != nil {
		t.Fatalf("the model that the others are made of: %v", err)
	}
	more := func(b []byte) []byte { return append(b, 0) }
	said := func(key, value string) []format.Section {
		return withPart(sound, "about", func([]byte) []byte { return packed.PackAbout([]byte(put(t, string(about), key, value))) })
	}
	for name, sections := range map[string][]format.Section{
		"a scale that is no number": withPart(sound, "scales", func(b []byte) []byte {
			return binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.NaN()))
		}),
		"two scales":                withPart(sound, "scales", func(b []byte) []byte { return append(b, b...) }),
		"half a scale":              withPart(sound, "scales", func(b []byte) []byte { return b[:4] }),
		"no scale":                  withPart(sound, "scales", func([]byte) []byte { return nil }),
		"bytes behind the leaves":   withPart(sound, "leaves", more),
		"packed leaves":             withPart(sound, "packed_leaves", more),
		"statistics":                withPart(sound, "statistics", more),
		"bytes behind the trees":    withPart(sound, "structure", more),
		"bytes behind the cuts":     withPart(sound, "cuts", more),
		"bytes behind the levels":   withPart(sound, "dictionaries", more),
		"bytes behind the manifest": withPart(sound, "about", more),
		"statistics that are none":  said("statistics", "true"),
		"an unknown grouping":       said("grouping", `"leaf"`),
		"scales by tree":            said("grouping", `"tree"`),
		"scales by block":           said("grouping", `"block"`),
		"another form":              said("form", `"Q4_0"`),
		"another method":            said("method", `"percentile"`),
		"a certificate":             said("certificate", "[]"),
		"a space":                   said("outputs", " 1"),
		"a round":                   said("best_round", "199999"),
	} {
		t.Run("S4.29/"+name, func(t *testing.T) {
			refusedWithin(t, joined(sections), Decode)
			refusedWithin(t, joined(sections), func(data []byte) (*Model, error) {
				_, err := DecodeCompact(data)
				return nil, err
			})
		})
	}
}

// The same for every way in which leaf values are kept, with a fault in the last ones.
func TestBombsOfLeaves(t *testing.T) {
	testenv.Memory(t)
	for _, form := range fuzzedForms {
		t.Run("S4.29/"+form.name, func(t *testing.T) {
			sections := partsOf(t, smallCompressed(t, form.form, form.grouping, form.statistics))
			for _, s := range sections {
				if s.Name == "about" || s.Name == "structure" {
					continue
				}
				for _, change := range []func([]byte) []byte{
					func(b []byte) []byte { return append(b, 0) },
					func(b []byte) []byte { return b[:len(b)-1] },
					func(b []byte) []byte { return append(b, b...) },
				} {
					refusedWithin(t, joined(withPart(sections, s.Name, change)), Decode)
				}
			}
		})
	}
}

// Lists of numbers in a history take eight times their text: they are made last.
func TestBombsOfHistory(t *testing.T) {
	testenv.Memory(t)
	text, sections := smallFile(t)
	text = withMark(t, text)
	numbers := "[" + strings.Repeat("0,", 300_000) + "0]"
	history := put(t, text, "history", `[{"metric":"a","set":"a","values":`+numbers+`}]`)
	data := full(history, sections)
	if m, err := Decode(data); err != nil || len(m.contents.History[0].Values) != 300_001 {
		t.Fatalf("the model that the others are made of: %v", err)
	}
	for name, bomb := range map[string]string{
		"a space":         strings.Replace(history, ",0]", ", 0]", 1),
		"another writing": strings.Replace(history, ",0]", ",0.0]", 1),
		"no number":       strings.Replace(history, ",0]", ",{}]", 1),
		"too large":       strings.Replace(history, ",0]", ",1e999]", 1),
		"outputs":         put(t, history, "outputs", "1000"),
		"a round":         put(t, history, "best_round", "1000"),
	} {
		data := full(bomb, sections)
		var err error
		peak := heapsize.Peak(func() { _, err = Decode(data) })
		if !errors.Is(err, ErrModel) {
			t.Errorf("%s: %v, want ErrModel", name, err)
		}
		// The constant is 16 MiB on the page, for five times as much.
		if most := uint64(len(data) + 16<<20/5); peak > most {
			t.Errorf("%s: %d bytes were refused with %d on the heap, at most %d allowed: %v", name, len(data), peak, most, err)
		}
	}
}

// complete returns a tree of 2^depth leaves whose splits are alike.
func complete(feature int32, depth int) tree.Tree {
	n := 1<<depth - 1
	t := tree.Tree{
		Feature: slices.Repeat([]int32{feature}, n), Code: make([]uint32, n), Categorical: make([]bool, n), MissingLeft: make([]bool, n),
		Left: make([]int32, n), Right: make([]int32, n), Leaf: make([]float64, n+1),
	}
	node, leaf := int32(0), int32(0)
	var grow func(depth int) int32
	grow = func(depth int) int32 {
		if depth == 0 {
			leaf++
			return ^(leaf - 1)
		}
		at := node
		node++
		t.Left[at] = grow(depth - 1)
		t.Right[at] = grow(depth - 1)
		return at
	}
	grow(depth)
	return t
}

// swollen are compressed files that say much in few bytes, with how much that is.
type swollen struct {
	parts []format.Section
	text  int // bytes of texts, unpacked
	cuts  int
	nodes int // of the one tree
	trees int
	value int // numbers of the history
}

func swollenFiles(t *testing.T) map[string]swollen {
	small := smallCompressed(t, ptq.FormOf(ptq.Binary), GroupModel, false)
	features := Features(small.contents.Cuts)
	numeric := int32(slices.IndexFunc(features, func(f tree.Feature) bool { return !f.Categorical && f.Regular > 1 }))
	const depth = 15
	giant := stumps(t, 1)
	giant = withPart(giant, "structure", func([]byte) []byte { return pack.Write([]tree.Tree{complete(numeric, depth)}, features, 1) })
	giant = withPart(giant, "leaves", func([]byte) []byte { return make([]byte, 1<<depth/8) })
	about, err := packed.UnpackAbout(giant[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	const values = 200_000
	curve := put(t, string(about), "history", `[{"metric":"a","set":"a","values":[`+strings.Repeat("0,", values-1)+`0]}]`)
	return map[string]swollen{
		"stumps":  {parts: stumps(t, 10_000), trees: 10_000, nodes: 10_000},
		"giant":   {parts: giant, nodes: 1 << depth, trees: 1},
		"columns": {parts: grown(t, small, 20_000, 0, dataset.Float32), text: 20_000 * 70},
		"cuts":    {parts: grown(t, small, 1, 100_000, dataset.Float64), cuts: 100_000},
		"levels":  {parts: grown(t, small, 1, 50_000, dataset.Category), text: 50_000 * 6},
		"history": {parts: withPart(giant, "about", func([]byte) []byte { return packed.PackAbout([]byte(curve)) }),
			text: len(curve), value: values, nodes: 1 << depth, trees: 1},
	}
}

// grown returns the parts of a model with that many columns more, each with so many cuts or levels.
func grown(t *testing.T, m *Model, columns, each int, kind dataset.Kind) []format.Section {
	t.Helper()
	c, cuts := *m.contents, *m.contents.Cuts
	c.Schema.Columns, c.Cuts = slices.Clone(c.Schema.Columns), &cuts
	cuts.Features, cuts.Ptrs, cuts.Ptrs64 = slices.Clone(cuts.Features), slices.Clone(cuts.Ptrs), slices.Clone(cuts.Ptrs64)
	cuts.Values64 = slices.Clone(cuts.Values64)
	for i := range columns {
		column := dataset.ColumnSchema{Name: fmt.Sprint("c", i), Role: dataset.Feature, Kind: kind}
		feature := binning.Feature{Name: column.Name, Kind: binning.KindOfColumn[kind], Regular: 1}
		for k := range each {
			if kind == dataset.Category {
				column.Levels, feature.Codes = append(column.Levels, fmt.Sprintf("%x", k)), append(feature.Codes, binning.NoCode)
				continue
			}
			cuts.Values64 = append(cuts.Values64, float64(k))
			feature.Regular++
		}
		if kind == dataset.Category {
			feature.Codes[0] = 0
		}
		c.Schema.Columns, cuts.Features = append(c.Schema.Columns, column), append(cuts.Features, feature)
		cuts.Ptrs, cuts.Ptrs64 = append(cuts.Ptrs, uint32(len(cuts.Values))), append(cuts.Ptrs64, uint32(len(cuts.Values64)))
	}
	grown, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return partsOf(t, grown)
}

// What compressed models take, sound and with a fault at the end, is what the page of the format says.
func TestMemoryOfSwollenModels(t *testing.T) {
	testenv.Memory(t)
	for name, s := range swollenFiles(t) {
		for what, parts := range map[string][]format.Section{
			"sound": s.parts, "behind the leaves": withPart(s.parts, "leaves", func(b []byte) []byte { return append(b, 0) }),
			"behind the manifest": withPart(s.parts, "about", func(b []byte) []byte { return append(b, 0) }),
		} {
			if testing.Short() && what != "behind the leaves" || !testenv.Soak() && what == "behind the manifest" {
				continue
			}
			t.Run("S4.29/"+name+"/"+what, func(t *testing.T) {
				data := joined(parts)
				var err error
				peak := heapsize.Peak(func() { _, err = Decode(data) })
				if (err == nil) != (what == "sound") {
					t.Fatal(err)
				}
				// The constant is 16 MiB on the page, for a hundred times as much.
				most := 2*len(data) + 6*s.text + 40*s.cuts + 2<<20
				switch {
				case what == "sound":
					most += 400*s.trees + 80*s.nodes + 16*s.value
				case name == "giant":
					most += 40 * s.nodes
				}
				t.Logf("%d bytes: peak %d of %d", len(data), peak, most)
				if peak > uint64(most) {
					t.Errorf("%d bytes took %d on the heap, at most %d allowed (%v)", len(data), peak, most, err)
				}
			})
		}
	}
}
