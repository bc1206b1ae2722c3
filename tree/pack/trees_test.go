package pack_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/tree"
)

// numeric and categorical make features of so many codes each.
func numeric(regular ...uint32) []tree.Feature { return featuresOf(false, regular) }

func categorical(regular ...uint32) []tree.Feature { return featuresOf(true, regular) }

func featuresOf(categorical bool, regular []uint32) []tree.Feature {
	features := make([]tree.Feature, len(regular))
	for f, n := range regular {
		features[f] = tree.Feature{Regular: n, Categorical: categorical}
	}
	return features
}

// repeated returns n features of so many codes.
func repeated(regular uint32, n int) []uint32 { return slices.Repeat([]uint32{regular}, n) }

// how says how random trees are grown.
type how struct {
	splits int
	chain  bool // the leaf that is split is always the youngest
	loose  bool // codes are any, not only those that reach the node
	codes  int  // at most, in a set
	full   bool // sets of all levels
}

// open is a leaf that may be split, and which codes reach it.
type open struct {
	parent    int32
	right     bool
	low, high map[int32]uint32   // of numeric features
	levels    map[int32][]uint32 // of categorical features
}

// grown makes a random valid tree. Nodes and leaves are numbered in the order in which they are
// made, or the leaves in a random one.
func grown(r *rand.Rand, features []tree.Feature, h how) tree.Tree {
	t := tree.Tree{
		Feature: make([]int32, h.splits), Code: make([]uint32, h.splits),
		Categorical: make([]bool, h.splits), MissingLeft: make([]bool, h.splits),
		Left: make([]int32, h.splits), Right: make([]int32, h.splits),
		Leaf: make([]float64, h.splits+1), LeafCover: make([]float64, h.splits+1),
		Gain: make([]float32, h.splits), Cover: make([]float64, h.splits),
	}
	leaves := []open{{parent: -1}}
	for n := range int32(h.splits) {
		k := len(leaves) - 1
		if !h.chain {
			k = r.IntN(len(leaves))
		}
		at := leaves[k]
		leaves = slices.Delete(leaves, k, k+1)
		attach(&t, at, n)
		f := int32(r.IntN(len(features)))
		if r.IntN(2) == 0 { // some features are liked
			f = min(f, int32(r.IntN(len(features))), int32(r.IntN(len(features))))
		}
		t.Feature[n], t.Categorical[n], t.MissingLeft[n] = f, features[f].Categorical, r.IntN(3) == 0
		t.Gain[n], t.Cover[n] = float32(r.IntN(100)), float64(r.IntN(100))
		left, right := at, at
		left.parent, right.parent, left.right, right.right = n, n, false, true
		if features[f].Categorical {
			left.levels, right.levels = divideLevels(r, &t, n, at.levels, features[f].Regular, h)
		} else {
			left.high, right.low = divideCodes(r, &t, n, at, features[f].Regular, h)
		}
		leaves = append(leaves, left, right)
		if r.IntN(2) == 0 {
			last := len(leaves) - 1
			leaves[last], leaves[last-1] = leaves[last-1], leaves[last]
		}
	}
	numbers := r.Perm(len(leaves))
	for i, at := range leaves {
		attach(&t, at, ^int32(numbers[i]))
	}
	for i := range t.Leaf {
		t.Leaf[i], t.LeafCover[i] = r.NormFloat64(), float64(i)
	}
	return t
}

func attach(t *tree.Tree, at open, child int32) {
	switch {
	case at.parent < 0:
	case at.right:
		t.Right[at.parent] = child
	default:
		t.Left[at.parent] = child
	}
}

// divideCodes gives a node a code and returns the new bounds of its children.
func divideCodes(r *rand.Rand, t *tree.Tree, n int32, at open, regular uint32, h how) (high, low map[int32]uint32) {
	f := t.Feature[n]
	first, last := uint32(0), regular-1
	if v, is := at.low[f]; is && !h.loose {
		first = v
	}
	if v, is := at.high[f]; is && !h.loose {
		last = v
	}
	code := first + uint32(r.Uint64N(uint64(last-first)+1))
	if r.IntN(20) == 0 {
		code = last // divides from missing values only
	}
	t.Code[n] = code
	return with(at.high, f, code), with(at.low, f, min(code+1, last))
}

// divideLevels gives a node a set and returns which levels reach its children.
func divideLevels(r *rand.Rand, t *tree.Tree, n int32, reach map[int32][]uint32, regular uint32, h how) (left, right map[int32][]uint32) {
	f := t.Feature[n]
	levels, known := reach[f]
	if !known || h.loose {
		levels = nil
		for level := range regular {
			levels = append(levels, level)
		}
	}
	var in, out []uint32
	for i, at := range r.Perm(len(levels)) {
		if h.full || i < r.IntN(h.codes+1) {
			in = append(in, levels[at])
		} else {
			out = append(out, levels[at])
		}
	}
	slices.Sort(in)
	slices.Sort(out)
	if len(t.SetPtrs) == 0 {
		t.SetPtrs = []uint32{0}
	}
	t.Code[n] = uint32(len(t.SetPtrs) - 1)
	t.Sets = append(t.Sets, in...)
	t.SetPtrs = append(t.SetPtrs, uint32(len(t.Sets)))
	return with(reach, f, in), with(reach, f, out)
}

func with[V any](m map[int32]V, f int32, v V) map[int32]V {
	changed := make(map[int32]V, len(m)+1)
	for k, old := range m {
		changed[k] = old
	}
	changed[f] = v
	return changed
}

// forest makes trees of up to so many splits.
func forest(seed uint64, trees int, features []tree.Feature, h how) []tree.Tree {
	r := rand.New(rand.NewPCG(seed, 57))
	all := make([]tree.Tree, trees)
	for i := range all {
		some := h
		if i%3 == 0 {
			some.splits = r.IntN(h.splits + 1)
		}
		all[i] = grown(r, features, some)
	}
	return all
}

// chain is a tree in which every left child is a leaf, and node n splits after code n.
func chain(splits int) tree.Tree {
	t := tree.Tree{
		Feature: make([]int32, splits), Code: make([]uint32, splits),
		Categorical: make([]bool, splits), MissingLeft: make([]bool, splits),
		Left: make([]int32, splits), Right: make([]int32, splits),
		Leaf: make([]float64, splits+1), LeafCover: make([]float64, splits+1),
		Gain: make([]float32, splits), Cover: make([]float64, splits),
	}
	for n := range int32(splits) {
		t.Code[n], t.Left[n], t.Right[n] = uint32(n), ^n, n+1
	}
	t.Right[splits-1] = ^int32(splits)
	return t
}

// sameStructure says in what a tree differs from the one that is wanted, but for leaf
// values and statistics: nothing if in nothing.
func sameStructure(got, want *tree.Tree) string {
	switch {
	case len(got.Leaf) != len(want.Leaf):
		return "leaves"
	case !slices.Equal(got.Feature, want.Feature):
		return "features"
	case !slices.Equal(got.Code, want.Code):
		return "codes"
	case !slices.Equal(got.Categorical, want.Categorical):
		return "kinds"
	case !slices.Equal(got.MissingLeft, want.MissingLeft):
		return "directions"
	case !slices.Equal(got.Left, want.Left), !slices.Equal(got.Right, want.Right):
		return "children"
	case !slices.Equal(got.SetPtrs, want.SetPtrs), !slices.Equal(got.Sets, want.Sets):
		return "sets"
	}
	return ""
}

// complete fills in what a tree lacks that was read.
func complete(t *tree.Tree) {
	clear(t.Leaf)
	t.LeafCover = make([]float64, len(t.Leaf))
	t.Gain, t.Cover = make([]float32, len(t.Feature)), make([]float64, len(t.Feature))
}

func validate(t *testing.T, trees []tree.Tree, features []tree.Feature) {
	t.Helper()
	for i := range trees {
		if err := trees[i].Validate(features); err != nil {
			t.Fatalf("tree %d: %v", i, err)
		}
	}
}

// randomRow draws a code for each feature: present, missing or above the missing code.
func randomRow(r *rand.Rand, features []tree.Feature) []uint32 {
	codes := make([]uint32, len(features))
	for f := range codes {
		switch r.IntN(8) {
		case 0:
			codes[f] = features[f].Regular
		case 1:
			codes[f] = math.MaxUint32
		default:
			codes[f] = r.Uint32N(features[f].Regular)
		}
	}
	return codes
}
