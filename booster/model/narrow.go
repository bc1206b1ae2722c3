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
// in canonical order (pack.Canonical): every value and every missing one reaches the leaf that
// it reached before, under another number. What the trees do not use of the columns is gone:
// a numeric feature keeps the cuts that nodes name, a feature that no node splits on has none
// and no levels. Levels stand in the order of their codes.
func (c *Contents) Narrow() Contents {
	n := *c
	features := len(c.Cuts.Features)
	used := make([]bool, features)
	named := make([][]uint32, features) // codes of numeric features, ascending
	for i := range c.Trees {
		t := &c.Trees[i]
		for node, f := range t.Feature {
			used[f] = true
			if !t.Categorical[node] {
				named[f] = append(named[f], t.Code[node])
			}
		}
	}
	cuts := &binning.Cuts{Features: slices.Clone(c.Cuts.Features), Ptrs: make([]uint32, 1, features+1), Ptrs64: make([]uint32, 1, features+1)}
	for f := range cuts.Features {
		feature := &cuts.Features[f]
		slices.Sort(named[f])
		named[f] = slices.Compact(named[f])
		last := feature.Regular - 1
		if feature.Kind == binning.Categorical {
			if !used[f] {
				feature.Regular = 1
			}
		} else {
			// The last code names no cut: it divides present values from missing ones.
			if k := len(named[f]); k > 0 && named[f][k-1] == last {
				named[f] = named[f][:k-1]
			}
			for _, code := range named[f] {
				if feature.Kind == binning.Numeric32 {
					cuts.Values = append(cuts.Values, c.Cuts.Of32(f)[code])
				} else {
					cuts.Values64 = append(cuts.Values64, c.Cuts.Of64(f)[code])
				}
			}
			feature.Regular = uint32(len(named[f])) + 1
		}
		cuts.Ptrs = append(cuts.Ptrs, uint32(len(cuts.Values)))
		cuts.Ptrs64 = append(cuts.Ptrs64, uint32(len(cuts.Values64)))
	}
	n.Cuts = cuts
	n.Schema = dataset.Schema{Columns: slices.Clone(c.Schema.Columns)}
	feature := 0
	for i := range n.Schema.Columns {
		column := &n.Schema.Columns[i]
		if column.Role != dataset.Feature {
			continue
		}
		if column.Kind == dataset.Category {
			if column.Levels, cuts.Features[feature].Codes = nil, []uint32{}; used[feature] {
				column.Levels, cuts.Features[feature].Codes = byCode(c.Schema.Columns[i].Levels, c.Cuts.Features[feature].Codes)
			}
		}
		feature++
	}
	n.Trees = make([]tree.Tree, len(c.Trees))
	for i := range c.Trees {
		t := pack.Canonical(&c.Trees[i])
		for node, f := range t.Feature {
			if !t.Categorical[node] {
				place, found := slices.BinarySearch(named[f], t.Code[node])
				if !found {
					place = len(named[f])
				}
				t.Code[node] = uint32(place)
			}
		}
		n.Trees[i] = t
	}
	return n
}

// byCode returns levels and their codes in the order of the codes, levels of one code by their
// bytes: an order that need not be stored.
func byCode(levels []string, codes []uint32) ([]string, []uint32) {
	order := make([]int, len(levels))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(codes[a], codes[b]), cmp.Compare(levels[a], levels[b]))
	})
	sortedLevels, sortedCodes := make([]string, len(levels)), make([]uint32, len(levels))
	for i, old := range order {
		sortedLevels[i], sortedCodes[i] = levels[old], codes[old]
	}
	return sortedLevels, sortedCodes
}
