package model

import (
	"cmp"
	"slices"

	"boost/binning"
	"boost/dataset"
	"boost/tree"
	"boost/tree/pack"
)

// Narrow returns contents with only the cuts and dictionaries that trees use, and the trees
// in canonical order (pack.Canonical): every value, unseen level and missing value reaches the leaf
// that it reached before, under another number. What the trees do not use of the columns is gone:
// a numeric feature keeps the cuts that nodes name, a feature that no node splits on has none
// and no levels. Features with sets keep all of theirs, in the order of their codes, since one that
// is known goes right where an unseen one is missing. Slices may be shared; c is not changed.
func (c *Contents) Narrow() Contents {
	n := *c
	use := c.inUse()
	n.Cuts = use.cuts(c.Cuts)
	n.Schema = dataset.Schema{Columns: slices.Clone(c.Schema.Columns)}
	use.levels(&n)
	n.Trees = use.trees(c.Trees)
	return n
}

// inUse says what trees name of the features.
type inUse struct {
	features []bool
	// codes of numeric features, ascending; the last one, that only divides present values
	// from missing ones, is left out: there is no cut behind it.
	codes [][]uint32
}

func (c *Contents) inUse() inUse {
	features := len(c.Cuts.Features)
	use := inUse{make([]bool, features), make([][]uint32, features)}
	for i := range c.Trees {
		t := &c.Trees[i]
		for node, f := range t.Feature {
			use.features[f] = true
			if !t.Categorical[node] && t.Code[node] < c.Cuts.Features[f].Regular-1 {
				use.codes[f] = append(use.codes[f], t.Code[node])
			}
		}
	}
	for f, codes := range use.codes {
		slices.Sort(codes)
		use.codes[f] = slices.Compact(codes)
	}
	return use
}

func (u *inUse) cuts(all *binning.Cuts) *binning.Cuts {
	features := len(all.Features)
	cuts := &binning.Cuts{
		Features: slices.Clone(all.Features),
		Ptrs:     make([]uint32, 1, features+1),
		Ptrs64:   make([]uint32, 1, features+1),
	}
	for f := range cuts.Features {
		feature := &cuts.Features[f]
		switch feature.Kind {
		case binning.Categorical:
			// The codes go with the levels, which the schema has.
			if !u.features[f] {
				feature.Regular = 1
			}
		case binning.Numeric32:
			cuts.Values = append(cuts.Values, inOrder(all.Of32(f), u.codes[f])...)
		default:
			cuts.Values64 = append(cuts.Values64, inOrder(all.Of64(f), u.codes[f])...)
		}
		if feature.Kind != binning.Categorical {
			feature.Regular = uint32(len(u.codes[f])) + 1
		}
		cuts.Ptrs = append(cuts.Ptrs, uint32(len(cuts.Values)))
		cuts.Ptrs64 = append(cuts.Ptrs64, uint32(len(cuts.Values64)))
	}
	return cuts
}

// inOrder returns the values at these places.
func inOrder[T any](values []T, places []uint32) []T {
	some := make([]T, len(places))
	for i, at := range places {
		some[i] = values[at]
	}
	return some
}

// levels leaves columns the levels that are in use, in the order of their codes.
func (u *inUse) levels(c *Contents) {
	for f, column := range c.featureColumns() {
		if column.Kind != dataset.Category {
			continue
		}
		feature := &c.Cuts.Features[f]
		if u.features[f] {
			column.Levels, feature.Codes = byCode(column.Levels, feature.Codes)
		} else {
			column.Levels, feature.Codes = nil, []uint32{}
		}
	}
}

// byCode returns levels and their codes in the order of the codes, levels of one code by their
// bytes: an order that need not be stored.
func byCode(levels []string, codes []uint32) ([]string, []uint32) {
	order := make([]uint32, len(levels))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(codes[a], codes[b]), cmp.Compare(levels[a], levels[b]))
	})
	return inOrder(levels, order), inOrder(codes, order)
}

func (u *inUse) trees(all []tree.Tree) []tree.Tree {
	trees := make([]tree.Tree, len(all))
	for i := range all {
		trees[i] = pack.Canonical(&all[i])
		t := &trees[i]
		for node, f := range t.Feature {
			if !t.Categorical[node] {
				// Where the last code is left out, its new number is one more than the others'.
				place, _ := slices.BinarySearch(u.codes[f], t.Code[node])
				t.Code[node] = uint32(place)
			}
		}
	}
	return trees
}
