package format

import (
	"slices"

	"boost/binning"
	"boost/dataset"
	"boost/tree"
	"boost/tree/pack"
)

// LevelNames says of which levels of categorical features Contents.Narrow keeps the names.
type LevelNames uint8

const (
	// AllNames keeps those of all levels that training had, so that Unseen can tell others from them.
	AllNames LevelNames = iota
	// KnownNames leaves out those of levels that go where missing values go at every split.
	KnownNames
	// HashedNames leaves out those of the group that has the longest names too, of levels that every
	// split sends the same way, and keeps marks in their place (binning.Feature.Marked): once in 4,096
	// a level that training had not is taken for one of them.
	HashedNames
)

// Narrow returns contents with only the cuts and dictionaries that trees use, and the trees
// in canonical order (pack.Canonical): every value, level and missing value reaches the leaf
// that it reached before, under another number, but for few of the levels that training had not if
// HashedNames is asked for. What the trees do not use of the columns is gone: a numeric feature keeps the cuts
// that nodes name, a feature that no node splits on has none and no levels. Levels that no split
// divides have one code; codes keep their order. Slices may be shared; c is not changed.
func (c *Contents) Narrow(keep LevelNames) Contents {
	n := *c
	use := c.inUse()
	n.Cuts = use.cuts(c.Cuts)
	n.Schema.Columns = slices.Clone(c.Schema.Columns)
	n.Trees = use.trees(c.Trees)
	partitions := levelPartitions(n.Trees, Features(n.Cuts))
	renumbered := make([][]uint32, len(partitions))
	for f, column := range n.FeatureColumns() {
		feature := &n.Cuts.Features[f]
		switch {
		case column.Kind != dataset.Category || feature.Ordered:
		case partitions[f] == nil:
			column.Levels, feature.Codes, feature.Unnamed, feature.NameHashes = nil, []uint32{}, false, nil
		default:
			renumbered[f] = partitions[f].narrow(column, feature, keep)
		}
	}
	for i := range n.Trees {
		renumberSets(&n.Trees[i], renumbered)
	}
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
			switch {
			case !u.features[f]:
				feature.Regular, feature.Ordered = 1, false
			case feature.Ordered: // levels that no split divides share a code
				feature.Codes = slices.Clone(feature.Codes)
				for level, code := range feature.Codes {
					if code != binning.NoCode {
						place, _ := slices.BinarySearch(u.codes[f], code)
						feature.Codes[level] = uint32(place)
					}
				}
				feature.Regular = uint32(len(u.codes[f])) + 1
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
