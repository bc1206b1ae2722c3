package model_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"boost/binning"
	"boost/booster/model"
	"boost/tree/pack"
)

// A model of the contents that Narrow leaves gives every row, of whatever values and levels, the
// bits that it had before, and reaches leaves of the same values.
func TestNarrow(t *testing.T) {
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
	c := m.Contents().Narrow()
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
	c := all.Narrow()
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
		case used[f] && feature.Kind == binning.Categorical && feature.Regular != old.Regular:
			t.Errorf("feature %d has %d codes of levels, had %d", f, feature.Regular, old.Regular)
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
	if again := c.Narrow(); len(again.Cuts.Values) != len(c.Cuts.Values) || len(again.Cuts.Values64) != len(c.Cuts.Values64) {
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
