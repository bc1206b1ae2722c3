package model_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"boost/binning"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/testenv"
	"boost/objectives"
	"boost/parallel"
	"boost/tree"
	"boost/tree/pack"
)

// A model of the contents that Narrow leaves gives every row, of whatever values and levels, the
// bits that it had before, and reaches leaves of the same values.
func TestNarrow(t *testing.T) {
	testenv.Unraced(t)
	levels := []string{"a", "b", "c", "d", "e", "f", "g"}
	for _, c := range []struct {
		outputs, rounds, leaves, numeric int
		levels                           []string
	}{
		{1, 30, 12, 3, levels}, {3, 5, 30, 2, levels}, {1, 2, 3, 40, levels}, {2, 10, 8, 5, nil}, {1, 5, 1, 2, levels}, {1, 40, 9, 0, levels},
	} {
		t.Run(fmt.Sprintf("S3.57/outputs=%d/leaves=%d/numeric=%d", c.outputs, c.leaves, c.numeric), func(t *testing.T) {
			h := newHostile(t, 4000, c.outputs, c.rounds, c.leaves, c.numeric, c.levels)
			checkNarrow(t, h.model)
			small := narrowed(t, h.model)
			got, err := small.PredictRaw(context.Background(), h.table)
			if err != nil {
				t.Fatal(err)
			}
			sameBits(t, "raw scores", got, h.want)
		})
	}
	for _, f := range []*forest{newForest(t, 500, 1, 3, 8), newForestOver(t, 2000, 2, 20, 31, 40, 1200)} {
		checkNarrow(t, f.model)
		got, err := narrowed(t, f.model).PredictRaw(context.Background(), f.table)
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, "raw scores of a forest", got, f.reference())
	}
}

// narrowed is the model of what Narrow leaves, through a file.
func narrowed(t *testing.T, m *model.Model) *model.Model {
	t.Helper()
	before := encode(t, m)
	c := m.Contents().Narrow(model.KnownNames)
	small, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(encode(t, m), before) {
		t.Fatal("Narrow changed what it was called on")
	}
	again, err := model.Decode(encode(t, small))
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// checkNarrow holds that what is left is used, by what trees name.
func checkNarrow(t *testing.T, m *model.Model) {
	t.Helper()
	all := m.Contents()
	c := all.Narrow(model.KnownNames)
	named := map[[2]uint32]bool{} // feature and code
	used := map[int]bool{}
	for i := range c.Trees {
		tr := &c.Trees[i]
		if !pack.IsCanonical(tr) {
			t.Fatalf("tree %d is not in canonical order", i)
		}
		for n, f := range tr.Feature {
			used[int(f)] = true
			if !tr.Categorical[n] {
				named[[2]uint32{uint32(f), tr.Code[n]}] = true
			}
		}
	}
	for f, feature := range c.Cuts.Features {
		old := all.Cuts.Features[f]
		switch {
		case feature.Name != old.Name || feature.Kind != old.Kind || feature.HasMissing != old.HasMissing:
			t.Errorf("feature %d is %+v, was %+v", f, feature, old)
		case !used[f] && (feature.Regular != 1 || len(feature.Codes) > 0 || len(cutsOf(c.Cuts, f)) > 0):
			t.Errorf("feature %d is not used and has %d codes", f, feature.Regular)
		case used[f] && feature.Kind == binning.Categorical:
			// Sets of these trees may have levels that do not reach them: such are told apart, too.
			if least, most := toldApart(all, int32(f)); int(feature.Regular) < least || int(feature.Regular) > most {
				t.Errorf("feature %d has %d codes of levels, had %d, of which trees tell %d to %d apart", f, feature.Regular, old.Regular, least, most)
			}
		}
		cuts := cutsOf(c.Cuts, f)
		for code, cut := range cuts {
			if !named[[2]uint32{uint32(f), uint32(code)}] {
				t.Errorf("no node names cut %d of feature %d", code, f)
			}
			if !slices.Contains(cutsOf(all.Cuts, f), cut) {
				t.Errorf("feature %d has the cut %v, which it had not", f, cut)
			}
		}
	}
	if again := c.Narrow(model.KnownNames); len(again.Cuts.Values) != len(c.Cuts.Values) || len(again.Cuts.Values64) != len(c.Cuts.Values64) {
		t.Error("to narrow once more leaves less")
	}
}

// A feature that no tree splits on has no levels left, and none of a table is called unseen.
func TestNarrowUnseen(t *testing.T) {
	h := newHostile(t, 100, 1, 1, 1, 1, []string{"a", "b"})
	if u, err := h.model.Unseen(h.table); err != nil || len(u) != 1 || u[0].Levels != 1 {
		t.Fatalf("of the whole model %+v, %v", u, err)
	}
	if u, err := narrowed(t, h.model).Unseen(h.table); err != nil || len(u) != 0 {
		t.Errorf("of the narrow one %+v, %v", u, err)
	}
}

// toldApart counts the ways that levels of a feature go through all trees, but for that of missing
// values: the nodes that a level comes to, whatever the other features are; and in how many ways levels
// stand in sets.
func toldApart(c *model.Contents, feature int32) (least, most int) {
	regular := c.Cuts.Features[feature].Regular
	ways, sets := map[string]bool{}, map[string]bool{}
	missing := ""
	for code := range regular + 1 {
		var way, in []byte
		for i := range c.Trees {
			tr := &c.Trees[i]
			for n := range tr.NumSplits() {
				if tr.Categorical[n] && tr.Feature[n] == feature {
					in = fmt.Append(in, slices.Contains(tr.Set(n), code))
				}
			}
		}
		if code < regular {
			sets[string(in)] = true
		}
		for i := range c.Trees {
			tr := &c.Trees[i]
			var walk func(n int32)
			walk = func(n int32) {
				if n < 0 {
					way = fmt.Append(way, i, n, " ")
					return
				}
				left := tr.MissingLeft[n]
				if code < regular && tr.Categorical[n] {
					left = slices.Contains(tr.Set(int(n)), code)
				}
				if tr.Feature[n] != feature || left {
					walk(tr.Left[n])
				}
				if tr.Feature[n] != feature || !left {
					walk(tr.Right[n])
				}
			}
			if tr.NumSplits() > 0 {
				walk(0)
			}
		}
		if missing = string(way); code < regular {
			ways[missing] = true
		}
	}
	delete(ways, missing)
	return max(len(ways), 1), len(sets)
}

func rowsOf(t *testing.T, levels ...string) *dataset.Table {
	return table(t, []dataset.ColumnData{{Name: "level", Values: levels}})
}

// By hand: of levels a … h the two splits send {a, c} and {a, b, c} left, missing values left at the
// first and right at the second one, so that a and c go the same way, b goes another, and all others a
// third; missing values go a fourth. Without b in the second set, it goes with the others.
func TestNaming(t *testing.T) {
	const is = " is a level"
	levels := []string{"a" + is, "b" + is, "c" + is, "d" + is, "e" + is, "f" + is, "g" + is, "h" + is}
	stump := func(left, right float64, missingLeft bool, set ...uint32) tree.Tree {
		return tree.Tree{
			Feature: []int32{0}, Code: []uint32{0}, Categorical: []bool{true}, MissingLeft: []bool{missingLeft},
			Left: []int32{-1}, Right: []int32{-2}, Gain: []float32{1}, Cover: []float64{2},
			Leaf: []float64{left, right}, LeafCover: []float64{1, 1}, SetPtrs: []uint32{0, uint32(len(set))}, Sets: set,
		}
	}
	make := func(t *testing.T, trees ...tree.Tree) *model.Model {
		t.Helper()
		train := rowsOf(t, levels...)
		pool := parallel.NewPool(1)
		defer pool.Close()
		c := smallContents()
		c.Objective, c.Link, c.Classes, c.WideRounds, c.History = "regression", objectives.Identity, nil, nil, nil
		c.BaseScore, c.Schema, c.BestRound, c.Trees = []float64{0}, train.Schema(), len(trees), trees
		var err error
		if c.Cuts, _, err = binning.Fit(t.Context(), train, nil, binning.Defaults(), 1, pool); err != nil {
			t.Fatal(err)
		}
		m, err := model.New(c)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	first, second := stump(1, 2, true, 0, 2), stump(10, 20, false, 0, 1, 2)
	for _, c := range []struct {
		name            string
		trees           []tree.Tree
		naming          model.LevelNames
		names           string
		codes           []uint32
		regular         uint32
		unnamed         bool
		marks           int
		unseen, missing float64
	}{
		{"all", []tree.Tree{first, second}, model.AllNames, "acbdefgh", []uint32{0, 0, 1, 2, 2, 2, 2, 2}, 3, false, 0, 21, 21},
		{"known", []tree.Tree{first, second}, model.KnownNames, "acbdefgh", []uint32{0, 0, 1, 2, 2, 2, 2, 2}, 3, false, 0, 21, 21},
		{"marked", []tree.Tree{first, second}, model.HashedNames, "acb", []uint32{0, 0, 1}, 3, false, 5, 21, 21},
		{"as missing", []tree.Tree{second}, model.KnownNames, "abc", []uint32{0, 0, 0}, 1, true, 0, 20, 20},
		{"marked as missing", []tree.Tree{second}, model.HashedNames, "abc", []uint32{0, 0, 0}, 1, true, 0, 20, 20},
		{"all as missing", []tree.Tree{second}, model.AllNames, "abcdefgh", []uint32{0, 0, 0, 1, 1, 1, 1, 1}, 2, false, 0, 20, 20},
		{"marked, one as missing", []tree.Tree{stump(1, 2, true, 7)}, model.HashedNames, "", []uint32{}, 1, true, 7, 1, 1},
		{"known, one as missing", []tree.Tree{stump(1, 2, true, 7)}, model.KnownNames, "abcdefg", []uint32{0, 0, 0, 0, 0, 0, 0}, 1, true, 0, 1, 1},
		{"none", []tree.Tree{stump(1, 2, true, 0, 1, 2, 3, 4, 5, 6, 7)}, model.KnownNames, "", []uint32{}, 1, true, 0, 1, 1},
	} {
		t.Run("S3.57/"+c.name, func(t *testing.T) {
			m := make(t, c.trees...)
			small, err := m.Narrowed(c.naming)
			if err != nil {
				t.Fatal(err)
			}
			forms := map[string]*model.Model{"narrow": small}
			if forms["file"], err = model.Decode(encode(t, small)); err != nil {
				t.Fatal(err)
			}
			if forms["text"], err = model.DecodeText(small.EncodeText()); err != nil {
				t.Fatal(err)
			}
			for name, form := range forms {
				f := form.Contents().Cuts.Features[0]
				got := strings.ReplaceAll(strings.Join(form.Schema().Columns[0].Levels, ""), is, "")
				if got != c.names || !slices.Equal(f.Codes, c.codes) || f.Regular != c.regular || f.Unnamed != c.unnamed || len(f.NameHashes) != c.marks {
					t.Errorf("%s: levels %s with codes %v of %d, %v, %d marks; want %s, %v of %d, %v, %d", name, got, f.Codes, f.Regular, f.Unnamed, len(f.NameHashes), c.names, c.codes, c.regular, c.unnamed, c.marks)
				}
				if got, want := raws(t, form, rowsOf(t, levels...)), raws(t, m, rowsOf(t, levels...)); !slices.Equal(got, want) {
					t.Errorf("%s: levels predict %v, before %v", name, got, want)
				}
				if got := raws(t, form, rowsOf(t, "new", "", "a"+is)); got[0] != c.unseen || got[1] != c.missing {
					t.Errorf("%s: a new level predicts %v and a missing value %v, want %v and %v", name, got[0], got[1], c.unseen, c.missing)
				}
				// A row by itself: a level that is none of those that the model knows is a new one.
				out, whole := []float64{0}, []float64{0}
				for i, level := range levels {
					m.PredictValuesRaw([]float64{float64(i)}, whole)
					if form.PredictValuesRaw([]float64{form.LevelIndex(0, level)}, out); out[0] != whole[0] {
						t.Errorf("%s: a row with %s predicts %v, want %v", name, level, out[0], whole[0])
					}
				}
				for _, value := range []float64{1000, -1, 0.5, form.LevelIndex(0, "new")} {
					if form.PredictValuesRaw([]float64{value}, out); out[0] != c.unseen {
						t.Errorf("%s: a row with level %v predicts %v, want %v", name, value, out[0], c.unseen)
					}
				}
				if form.PredictValuesRaw([]float64{math.NaN()}, out); out[0] != c.missing {
					t.Errorf("%s: a row without a level predicts %v, want %v", name, out[0], c.missing)
				}
				u, err := form.Unseen(rowsOf(t, "new", "a"+is))
				if all := !c.unnamed && c.marks == 0; err != nil || (len(form.Unlisted()) == 0) != all || (len(u) == 1) != all {
					t.Errorf("%s: of a new level %+v (%v), and not all levels are named of %v", name, u, err, form.Unlisted())
				}
			}
			again, err := small.Narrowed(model.HashedNames)
			if c.naming == model.HashedNames && (err != nil || !bytes.Equal(encode(t, again), encode(t, small))) {
				t.Errorf("to narrow once more changes the model (%v)", err)
			}
		})
	}
}

func raws(t *testing.T, m *model.Model, rows *dataset.Table) []float64 {
	t.Helper()
	got, err := m.PredictRaw(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Rows whose levels training had keep their bits with marks, whatever the trees.
func TestMarked(t *testing.T) {
	levels := strings.Split("abcdefghijklmnopqrstuvwxyz", "")
	for i := range levels {
		levels[i] += " is a level"
	}
	for outputs := 1; outputs < 4; outputs++ {
		h := newHostile(t, 4000, outputs, 4, 12, 2, levels)
		few, err := h.model.Narrowed(model.HashedNames)
		if err != nil {
			t.Fatal(err)
		}
		column := h.table.Columns()[2]
		known := 0
		got := raws(t, few, h.table)
		for row, level := range column.Codes() {
			if int(level) >= len(levels) {
				continue
			}
			known++
			for k := range outputs {
				if i := row*outputs + k; math.Float64bits(got[i]) != math.Float64bits(h.want[i]) {
					t.Fatalf("row %d: %v, want %v", row, got[i], h.want[i])
				}
			}
		}
		if known < 3000 || known == len(column.Codes()) {
			t.Fatalf("%d rows of known levels", known)
		}
	}
}

// A level that is called as missing values are keeps its name: a table is read by the levels that
// the model names, and a cell that is none of them would be a gap.
func TestNameOfMissing(t *testing.T) {
	c := smallContents()
	c.Objective, c.Link, c.Classes, c.WideRounds, c.History, c.BestRound = "regression", objectives.Identity, nil, nil, nil, 1
	c.BaseScore = []float64{0}
	c.Schema = dataset.Schema{Columns: []dataset.ColumnSchema{{Name: "level", Kind: dataset.Category, Levels: []string{"a is a title", "?", "NA", "d", "e is a title", "f is a title", "g is a title"}}}}
	c.Cuts = &binning.Cuts{
		Features: []binning.Feature{{Name: "level", Kind: binning.Categorical, Codes: []uint32{0, 1, 2, 3, 4, 5, 6}, Regular: 7}},
		Ptrs:     []uint32{0, 0}, Ptrs64: []uint32{0, 0},
	}
	c.Trees = []tree.Tree{{
		Feature: []int32{0}, Code: []uint32{0}, Categorical: []bool{true}, MissingLeft: []bool{true}, Left: []int32{-1}, Right: []int32{-2},
		Gain: []float32{1}, Cover: []float64{2}, Leaf: []float64{1, 2}, LeafCover: []float64{1, 1}, SetPtrs: []uint32{0, 1}, Sets: []uint32{3},
	}}
	m, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	few, err := m.Narrowed(model.HashedNames)
	if err != nil {
		t.Fatal(err)
	}
	if got := few.Schema().Columns[0].Levels; !slices.Equal(got, []string{"?", "NA"}) {
		t.Errorf("levels %q are named", got)
	}
	cells := "level\nd\n?\nNA\na is a title\nnew\n"
	read := func(m *model.Model) []float64 {
		rows, err := dataset.Read(t.Context(), strings.NewReader(cells), "rows.csv", dataset.As(m.Schema()))
		if err != nil {
			t.Fatal(err)
		}
		return raws(t, m, rows)
	}
	if full, small := read(m), read(few); !slices.Equal(full, []float64{1, 2, 2, 2, 1}) || !slices.Equal(small, full) {
		t.Errorf("%v, of few names %v", full, small)
	}
}

// A model that sends new levels where some go that it does not name is nothing to build on.
func TestNamesLeftOut(t *testing.T) {
	levels := make([]string, 60)
	for i := range levels {
		levels[i] = fmt.Sprint(i, " is a level")
	}
	few, err := newHostile(t, 10, 1, 2, 3, 0, levels).model.Narrowed(model.HashedNames)
	if err != nil || len(few.Contents().Cuts.Features[0].NameHashes) == 0 {
		t.Fatal(few.Contents().Cuts.Features[0], err)
	}
	if _, err := few.TreesOn(few.Contents().Cuts); err == nil || !strings.Contains(err.Error(), `does not name all levels of column "level"`) {
		t.Errorf("to train on: %v", err)
	}
	if _, err := model.Merge(few, few); err == nil || !strings.Contains(err.Error(), `does not name all levels of column "level"`) {
		t.Errorf("to merge: %v", err)
	}
}
