package model

import (
	"slices"

	"boost/binning"
	"boost/dataset"
	"boost/tree"
)

// kinship says which levels of a categorical feature trees tell apart: those of a class go to the
// same side at every split that they reach. A missing value is a level too, behind the others.
type kinship struct {
	class []uint32 // by code
	size  []uint32 // by class: its codes
	left  []uint32 // by class: its codes that go left at a split; 0 between splits
	heir  []uint32 // by class: the class of these from then on
}

// kinships returns for each categorical feature that trees split on which of its levels they tell
// apart, nil for all other features.
func kinships(trees []tree.Tree, features []tree.Feature) []*kinship {
	w := kinWalk{features: features, kin: make([]*kinship, len(features)), gone: make([]int, len(features))}
	for i := range trees {
		if trees[i].NumSplits() > 0 {
			w.walk(&trees[i], 0)
		}
	}
	return w.kin
}

type kinWalk struct {
	features []tree.Feature
	kin      []*kinship
	gone     []int // by feature: splits on the path at which missing values went the other way
	left     []uint32
}

func (w *kinWalk) walk(t *tree.Tree, node int32) {
	if node < 0 {
		return
	}
	f := t.Feature[node]
	if !t.Categorical[node] {
		w.walk(t, t.Left[node])
		w.walk(t, t.Right[node])
		return
	}
	if w.kin[f] == nil {
		w.kin[f] = newKinship(w.features[f].Regular)
	}
	w.left = append(w.left[:0], t.Set(int(node))...)
	with, without := t.Right[node], t.Left[node]
	if t.MissingLeft[node] {
		with, without = without, with
		if w.gone[f] == 0 {
			w.left = append(w.left, w.features[f].Regular)
		}
	}
	w.kin[f].divide(w.left)
	w.walk(t, with)
	w.gone[f]++
	w.walk(t, without)
	w.gone[f]--
}

func newKinship(regular uint32) *kinship {
	return &kinship{make([]uint32, regular+1), []uint32{regular + 1}, []uint32{0}, []uint32{0}}
}

// divide tells the codes that go left at a split from the others of their classes. A class
// reaches a split whole or not at all, since its codes parted nowhere above it; where codes that do not
// reach the split are in its set nevertheless, classes become smaller than they need to be.
func (k *kinship) divide(left []uint32) {
	for _, code := range left {
		k.left[k.class[code]]++
	}
	for _, code := range left {
		c := k.class[code]
		if n := k.left[c]; n > 0 {
			k.left[c], k.heir[c] = 0, c
			if n < k.size[c] {
				k.heir[c] = uint32(len(k.size))
				k.size[c] -= n
				k.size, k.left, k.heir = append(k.size, n), append(k.left, 0), append(k.heir, 0)
			}
		}
		k.class[code] = k.heir[c]
	}
}

// narrow gives each class of levels one code, in the order of the first that they had, and leaves out
// the names that need not be kept. It returns the new code of each old one, NoCode for those that no
// present value has any more.
func (k *kinship) narrow(column *dataset.ColumnSchema, feature *binning.Feature, naming Naming) []uint32 {
	missing, others := k.class[feature.Regular], k.others(column.Levels, feature, naming)
	names := make([][]string, len(k.size)) // by class
	dropped := feature.Unlisted != binning.UnlistedUnseen
	// Names that a table would be read otherwise without: they are words for missing values else.
	gaps := dataset.DefaultMissing()
	var without []string // levels that no training row had
	for level, code := range feature.Codes {
		name := column.Levels[level]
		switch {
		case code == binning.NoCode:
			without = append(without, name)
		case naming != NameAll && k.class[code] == others && !slices.Contains(gaps, name):
			dropped = true
		default:
			names[k.class[code]] = append(names[k.class[code]], name)
		}
	}
	var order []uint32 // classes that get a code
	placed := make([]bool, len(k.size))
	for _, c := range k.class[:feature.Regular] {
		if !placed[c] && len(names[c]) > 0 && (c != others || others == missing) {
			order = append(order, c)
			slices.Sort(names[c])
		}
		placed[c] = true
	}
	feature.Unlisted = binning.UnlistedUnseen
	if others != missing {
		feature.Unlisted = binning.UnlistedLast
		order = append(order, others)
	} else if dropped {
		feature.Unlisted = binning.UnlistedMissing
	}

	feature.Regular, column.Levels, feature.Codes = uint32(max(len(order), 1)), nil, []uint32{}
	codes := make([]uint32, len(k.size)) // by class
	for c := range codes {
		codes[c] = binning.NoCode
	}
	for code, c := range order {
		codes[c] = uint32(code)
		for _, name := range names[c] {
			column.Levels, feature.Codes = append(column.Levels, name), append(feature.Codes, uint32(code))
		}
	}
	if naming == NameAll && others == missing {
		for _, name := range without {
			column.Levels, feature.Codes = append(column.Levels, name), append(feature.Codes, binning.NoCode)
		}
	}
	for old, c := range k.class[:len(k.class)-1] {
		k.class[old] = codes[c]
	}
	return k.class[:len(k.class)-1]
}

// others returns the class that levels which are not named go with: that of missing values
// unless another one is, or is to be, in its place.
func (k *kinship) others(levels []string, feature *binning.Feature, naming Naming) uint32 {
	missing := k.class[feature.Regular]
	switch {
	case feature.Unlisted == binning.UnlistedLast:
		return k.class[feature.Regular-1]
	case feature.Unlisted == binning.UnlistedMissing || naming != NameFew:
		return missing
	}
	count, bytes := make([]int, len(k.size)), make([]int, len(k.size))
	for level, code := range feature.Codes {
		if code != binning.NoCode {
			count[k.class[code]]++
			bytes[k.class[code]] += len(levels[level]) + 1
		}
	}
	best := missing
	for c := range count {
		if count[c] > 1 && bytes[c] > bytes[best] {
			best = uint32(c)
		}
	}
	return best
}

// renumberSets gives the codes in a tree's sets new numbers, by feature; nil where they stay.
func renumberSets(t *tree.Tree, codes [][]uint32) {
	if t.NumSets() == 0 {
		return
	}
	sets := make([][]uint32, t.NumSets())
	total := 0
	for n, f := range t.Feature {
		if !t.Categorical[n] {
			continue
		}
		var set []uint32
		for _, old := range t.Set(n) {
			if code := codes[f][old]; code != binning.NoCode {
				set = append(set, code)
			}
		}
		slices.Sort(set)
		sets[t.Code[n]] = slices.Compact(set)
		total += len(sets[t.Code[n]])
	}
	t.SetPtrs, t.Sets = make([]uint32, 1, len(sets)+1), make([]uint32, 0, total)
	for _, set := range sets {
		t.Sets = append(t.Sets, set...)
		t.SetPtrs = append(t.SetPtrs, uint32(len(t.Sets)))
	}
}
