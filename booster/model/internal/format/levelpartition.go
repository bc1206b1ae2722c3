package format

import (
	"slices"

	"boost/binning"
	"boost/dataset"
	"boost/tree"
)

// levelPartition holds which levels of a categorical feature trees tell apart: those of a class go to the
// same side at every split that they reach. A missing value is a level too, behind the others.
type levelPartition struct {
	class     []uint32 // by code
	size      []uint32 // by class: its codes
	left      []uint32 // by class: its codes that go left at a split; 0 between splits
	splitInto []uint32 // by class: the class of these from then on
}

// levelPartitions returns for each categorical feature that trees split on which of its levels they tell
// apart, nil for all other features.
func levelPartitions(trees []tree.Tree, features []tree.Feature) []*levelPartition {
	w := partitionWalk{features: features, partitions: make([]*levelPartition, len(features)), gone: make([]int, len(features))}
	for i := range trees {
		if trees[i].NumSplits() > 0 {
			w.walk(&trees[i], 0)
		}
	}
	return w.partitions
}

type partitionWalk struct {
	features   []tree.Feature
	partitions []*levelPartition
	gone       []int // by feature: splits on the path at which missing values went the other way
	left       []uint32
}

func (w *partitionWalk) walk(t *tree.Tree, node int32) {
	if node < 0 {
		return
	}
	f := t.Feature[node]
	if !t.Categorical[node] {
		w.walk(t, t.Left[node])
		w.walk(t, t.Right[node])
		return
	}
	if w.partitions[f] == nil {
		n := w.features[f].Regular
		w.partitions[f] = &levelPartition{make([]uint32, n+1), []uint32{n + 1}, []uint32{0}, []uint32{0}}
	}
	w.left = append(w.left[:0], t.Set(int(node))...)
	with, without := t.Right[node], t.Left[node]
	if t.MissingLeft[node] {
		with, without = without, with
		if w.gone[f] == 0 {
			w.left = append(w.left, w.features[f].Regular)
		}
	}
	w.partitions[f].divide(w.left)
	w.walk(t, with)
	w.gone[f]++
	w.walk(t, without)
	w.gone[f]--
}

// divide tells the codes that go left at a split from the others of their classes. A class
// reaches a split whole or not at all, since its codes parted nowhere above it; where codes that do not
// reach the split are in its set nevertheless, classes become smaller than they need to be.
func (k *levelPartition) divide(left []uint32) {
	for _, code := range left {
		k.left[k.class[code]]++
	}
	for _, code := range left {
		c := k.class[code]
		if n := k.left[c]; n > 0 {
			k.left[c], k.splitInto[c] = 0, c
			if n < k.size[c] {
				k.splitInto[c] = uint32(len(k.size))
				k.size[c] -= n
				k.size, k.left, k.splitInto = append(k.size, n), append(k.left, 0), append(k.splitInto, 0)
			}
		}
		k.class[code] = k.splitInto[c]
	}
}

// narrow gives each class of levels one code, in the order of the first that they had, and leaves out
// the names that need not be kept. It returns the new code of each old one, NoCode for those that no
// present value has any more.
func (k *levelPartition) narrow(column *dataset.ColumnSchema, feature *binning.Feature, keep LevelNames) []uint32 {
	missing := k.class[feature.Regular]
	marked, marks := k.marked(column, feature, keep), feature.NameHashes
	if marked == missing {
		feature.Unnamed, marks = feature.Unnamed || len(marks) > 0, nil
	}
	fresh := marked != missing && len(marks) == 0
	names := make([][]string, len(k.size)) // by class
	var without, toMark []string           // levels that no training row had; names that marks take the place of
	for level, code := range feature.Codes {
		name := column.Levels[level]
		switch {
		case code == binning.NoCode:
			without = append(without, name)
		case keep == AllNames || slices.Contains(gaps, name):
			names[k.class[code]] = append(names[k.class[code]], name)
		case k.class[code] == missing:
			feature.Unnamed = true
		case fresh && k.class[code] == marked:
			toMark = append(toMark, name)
		default:
			names[k.class[code]] = append(names[k.class[code]], name)
		}
	}
	var order []uint32 // classes that get a code, that of marks the last one
	placed := make([]bool, len(k.size))
	for _, c := range k.class[:feature.Regular] {
		if !placed[c] && len(names[c]) > 0 && (c != marked || marked == missing) {
			order = append(order, c)
		}
		placed[c] = true
	}
	if marked != missing {
		order = append(order, marked)
	}
	if fresh {
		marks = binning.NameHashes(toMark)
	}

	feature.Regular, feature.NameHashes = uint32(max(len(order), 1)), marks
	column.Levels, feature.Codes = nil, []uint32{}
	codes := make([]uint32, len(k.size)) // by class
	for c := range codes {
		codes[c] = binning.NoCode
	}
	for code, c := range order {
		codes[c] = uint32(code)
		slices.Sort(names[c])
		for _, name := range names[c] {
			column.Levels, feature.Codes = append(column.Levels, name), append(feature.Codes, uint32(code))
		}
	}
	if keep == AllNames {
		for _, name := range without {
			column.Levels, feature.Codes = append(column.Levels, name), append(feature.Codes, binning.NoCode)
		}
	}
	for old, c := range k.class[:len(k.class)-1] {
		k.class[old] = codes[c]
	}
	return k.class[:len(k.class)-1]
}

// gaps are names that are always kept: a table is read by the levels that the model names, and a
// cell that is none of them and reads like one of these would be a missing value.
var gaps = dataset.DefaultMissing()

// fewestMarks is how many names of a class are kept rather than marks: fewer are not worth it.
const fewestMarks = 4

// marked returns the class of which marks take the place of names; that of missing values if none is to
// be.
func (k *levelPartition) marked(column *dataset.ColumnSchema, feature *binning.Feature, keep LevelNames) uint32 {
	missing := k.class[feature.Regular]
	switch {
	case len(feature.NameHashes) > 0:
		return k.class[feature.Regular-1]
	case keep != HashedNames || column.NumericLevels: // numbers are as short as marks
		return missing
	}
	names := make([][]string, len(k.size))
	for level, code := range feature.Codes {
		if name := column.Levels[level]; code != binning.NoCode && k.class[code] != missing && !slices.Contains(gaps, name) {
			names[k.class[code]] = append(names[k.class[code]], name)
		}
	}
	best, most := missing, 0
	for c, list := range names {
		if len(list) < fewestMarks || len(list) > binning.MaxNameHashes {
			continue
		}
		// What is new in a name beside the one before takes about half of its bytes in the file, a mark two.
		slices.Sort(list)
		fresh, before := 0, ""
		for _, name := range list {
			fresh += len(name) - shared(name, before) + 1
			before = name
		}
		if worth := fresh - 4*len(list); worth > most {
			best, most = uint32(c), worth
		}
	}
	return best
}

// shared is the length of what two names begin with alike.
func shared(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
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
