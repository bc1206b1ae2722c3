package model

import (
	"fmt"
	"slices"

	"boost/binning"
	"boost/tree"
)

// remap says how trees over some cuts become trees over others in which every value has
// a code at least as exact: no row changes its way.
type remap struct {
	feature []int32    // by old feature
	code    [][]uint32 // numeric: the last code of a split's left side, by the old one; nil if it stays
	old     [][]uint32 // categorical: old code of each code, NoCode where that was missing; nil if all stay
}

func newRemap(features int) remap {
	return remap{make([]int32, features), make([][]uint32, features), make([][]uint32, features)}
}

// tree returns the tree over the new cuts, with its sets in the order of nodes; it shares what stays.
func (r *remap) tree(t *tree.Tree) tree.Tree {
	out := *t
	out.Feature, out.Code = slices.Clone(t.Feature), slices.Clone(t.Code)
	var sets [][]uint32
	changed := false
	for n, f := range t.Feature {
		out.Feature[n] = r.feature[f]
		switch {
		case t.Categorical[n]:
			set := t.Set(n)
			if r.old[f] != nil {
				set, changed = r.set(n, t), true
			}
			changed = changed || int(t.Code[n]) != len(sets)
			out.Code[n], sets = uint32(len(sets)), append(sets, set)
		case r.code[f] != nil:
			out.Code[n] = r.code[f][t.Code[n]]
		}
	}
	if t.Linear != nil {
		out.Linear = t.Linear.OnFeatures(r.feature)
	}
	if !changed {
		return out
	}
	out.SetPtrs, out.Sets = make([]uint32, 1, len(sets)+1), nil
	for _, set := range sets {
		out.Sets = append(out.Sets, set...)
		out.SetPtrs = append(out.SetPtrs, uint32(len(out.Sets)))
	}
	return out
}

// set returns the new codes that go left at a node of a categorical feature: those of levels that went left,
// and where missing values go left also those of levels that it knew nothing of.
func (r *remap) set(node int, t *tree.Tree) []uint32 {
	var out []uint32
	for code, old := range r.old[t.Feature[node]] {
		left := t.MissingLeft[node]
		if old != binning.NoCode {
			_, left = slices.BinarySearch(t.Set(node), old)
		}
		if left {
			out = append(out, uint32(code))
		}
	}
	return out
}

// trees takes all trees of a model to the new cuts.
func (r *remap) trees(c *Contents) []tree.Tree {
	out := make([]tree.Tree, len(c.Trees))
	for i := range out {
		out[i] = r.tree(&c.Trees[i])
	}
	return out
}

// TreesOn returns the model's trees over cuts that extend its own (binning.Cuts.Extend): a
// level that had no code goes where it went before, with the missing values. Cuts that do
// not extend the model's are an error.
func (m *Model) TreesOn(c *binning.Cuts) ([]tree.Tree, error) {
	own := m.contents.Cuts
	if len(c.Features) != len(own.Features) {
		return nil, fmt.Errorf("%d features instead of %d", len(c.Features), len(own.Features))
	}
	r := newRemap(len(own.Features))
	changed := false
	for f := range own.Features {
		r.feature[f] = int32(f)
		a, b := &own.Features[f], &c.Features[f]
		switch {
		case a.Name != b.Name || a.Kind != b.Kind:
			return nil, fmt.Errorf("feature %d is %q, not %q, or of another kind", f, b.Name, a.Name)
		case !slices.Equal(own.Of32(f), c.Of32(f)) || !slices.Equal(own.Of64(f), c.Of64(f)):
			return nil, fmt.Errorf("feature %q has other cuts", a.Name)
		case a.Kind != binning.Categorical:
			continue
		case len(a.NameHashes) > 0:
			return nil, errNamesLeftOut(a.Name)
		}
		start := uint32(0)
		for level, code := range a.Codes {
			if level >= len(b.Codes) || code != binning.NoCode && b.Codes[level] != code {
				return nil, fmt.Errorf("feature %q has other codes", a.Name)
			}
			if code != binning.NoCode {
				start = max(start, code+1)
			}
		}
		if r.old[f] = known(b, start); r.old[f] != nil {
			changed = true
		}
	}
	if !changed {
		return m.contents.Trees, nil
	}
	return r.trees(m.contents), nil
}

// known returns the codes of a feature as trees know them that have seen those below start, nil
// where no level has another.
func known(f *binning.Feature, start uint32) []uint32 {
	if !slices.ContainsFunc(f.Codes, func(code uint32) bool { return code != binning.NoCode && code >= start }) {
		return nil
	}
	old := make([]uint32, f.Regular)
	for code := range old {
		old[code] = binning.NoCode
		if uint32(code) < start {
			old[code] = uint32(code)
		}
	}
	return old
}

// errNamesLeftOut is the error about a model that cannot be built upon.
func errNamesLeftOut(column string) error {
	return fmt.Errorf("the model does not name all levels of column %q, and what it does not name cannot be told from new levels for sure: use the full model, or one of boost quantize --keep-levels", column)
}
