package tree_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"boost/tree"
)

// handMade is drawn in the comment of each test's expectation:
//
//	node 0: f0 ≤ 2, missing left ── leaf 0 (10)
//	        └ no: node 1: f1 in {0, 3}, missing right ── leaf 1 (20)
//	              └ no: leaf 2 (30)
func handMade() *tree.Tree {
	return &tree.Tree{
		Feature: []int32{0, 1}, Code: []uint32{2, 0},
		Categorical: []bool{false, true}, MissingLeft: []bool{true, false},
		Left: []int32{^0, ^1}, Right: []int32{1, ^2},
		SetPtrs: []uint32{0, 2}, Sets: []uint32{0, 3},
		Leaf: []float64{10, 20, 30},
		Gain: []float32{8, 2.5}, Cover: []float64{9, 5}, LeafCover: []float64{4, 3, 2},
	}
}

// features: f0 has codes 0 … 4, f1 categories 0 … 3.
func features() []tree.Feature {
	return []tree.Feature{{Regular: 5}, {Regular: 4, Categorical: true}}
}

func TestLeafIndex(t *testing.T) {
	tr := handMade()
	for _, c := range []struct {
		name  string
		codes []uint32
		leaf  int
	}{
		{"numeric at the border goes left", []uint32{2, 1}, 0},
		{"numeric above, category in the set", []uint32{3, 0}, 1},
		{"second category of the set", []uint32{4, 3}, 1},
		{"known category outside the set goes right", []uint32{3, 2}, 2},
		{"S0.5/numeric missing code goes the missing way", []uint32{5, 1}, 0},
		{"S0.5/code above the missing code too", []uint32{77, 1}, 0},
		{"S0.5/categorical missing code goes the missing way", []uint32{3, 4}, 2},
		{"S0.5/unseen category", []uint32{3, math.MaxUint32}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := tr.LeafIndex(features(), c.codes); got != c.leaf {
				t.Errorf("LeafIndex(%v) = %d, want %d", c.codes, got, c.leaf)
			}
		})
	}
}

func TestSingleLeaf(t *testing.T) {
	stump := &tree.Tree{Leaf: []float64{1.5}, LeafCover: []float64{7}}
	t.Run("S0.9/only useless features", func(t *testing.T) {
		if err := stump.Validate(nil); err != nil {
			t.Fatal(err)
		}
		if got := stump.LeafIndex(nil, nil); got != 0 {
			t.Errorf("LeafIndex = %d, want 0", got)
		}
	})
	if got := stump.Depth(); got != 0 {
		t.Errorf("Depth = %d, want 0", got)
	}
	var b strings.Builder
	if err := stump.Dump(&b, nil, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "leaf 0 = 1.5  cover 7\n"; got != want {
		t.Errorf("Dump = %q, want %q", got, want)
	}
}

func TestDepth(t *testing.T) {
	if got := handMade().Depth(); got != 2 {
		t.Errorf("Depth = %d, want 2", got)
	}
	if got := handMade().NodeDepths(); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("NodeDepths = %v, want [0 1]", got)
	}
	// A chain of 100,000 nodes: nothing may recurse on the way down.
	n := 100_000
	chain := &tree.Tree{
		Feature: make([]int32, n), Code: make([]uint32, n), Categorical: make([]bool, n), MissingLeft: make([]bool, n),
		Left: make([]int32, n), Right: make([]int32, n), Leaf: make([]float64, n+1),
		Gain: make([]float32, n), Cover: make([]float64, n), LeafCover: make([]float64, n+1),
	}
	for i := range n {
		chain.Left[i], chain.Right[i] = ^int32(i), int32(i+1)
	}
	chain.Right[n-1] = ^int32(n)
	if err := chain.Validate(features()); err != nil {
		t.Fatal(err)
	}
	if got := chain.Depth(); got != n {
		t.Errorf("Depth = %d, want %d", got, n)
	}
}

func TestValidate(t *testing.T) {
	if err := handMade().Validate(features()); err != nil {
		t.Fatalf("the sound tree: %v", err)
	}
	for _, c := range []struct {
		name, want string
		spoil      func(t *tree.Tree)
	}{
		{"leaf missing", "need 3 leaves", func(t *tree.Tree) { t.Leaf = t.Leaf[:2] }},
		{"no leaf at all", "need 1 leaves", func(t *tree.Tree) { *t = tree.Tree{} }},
		{"short Code", "Code has 1", func(t *tree.Tree) { t.Code = t.Code[:1] }},
		{"short Gain", "Gain has 1", func(t *tree.Tree) { t.Gain = t.Gain[:1] }},
		{"short LeafCover", "LeafCover has 2", func(t *tree.Tree) { t.LeafCover = t.LeafCover[:2] }},
		{"short Right", "Right has 1", func(t *tree.Tree) { t.Right = t.Right[:1] }},
		{"child out of range", "only 2", func(t *tree.Tree) { t.Left[0] = 2 }},
		{"leaf out of range", "only 3", func(t *tree.Tree) { t.Left[0] = ^3 }},
		{"own child", "must be higher", func(t *tree.Tree) { t.Left[1] = 1 }},
		{"cycle to the root", "must be higher", func(t *tree.Tree) { t.Left[1] = 0 }},
		{"node twice", "node 1 has two parents", func(t *tree.Tree) { t.Left[0] = 1 }},
		{"leaf twice", "leaf 1 has two parents", func(t *tree.Tree) { t.Right[1] = ^1 }},
		{"feature out of range", "feature 2 of 2", func(t *tree.Tree) { t.Feature[1] = 2 }},
		{"negative feature", "feature -1 of 2", func(t *tree.Tree) { t.Feature[0] = -1 }},
		{"numeric split of a category", "node 1 is numeric", func(t *tree.Tree) { t.Categorical[1] = false }},
		{"categorical split of a number", "node 0 is categorical", func(t *tree.Tree) { t.Categorical[0] = true }},
		{"code is the missing code", "codes end at 4", func(t *tree.Tree) { t.Code[0] = 5 }},
		{"set number", "set 1 of 1", func(t *tree.Tree) { t.Code[1] = 1 }},
		{"set of no node", "belongs to no node", func(t *tree.Tree) { t.SetPtrs = []uint32{0, 2, 2} }},
		{"set with the missing code", "above the last code 3", func(t *tree.Tree) { t.Sets[1] = 4 }},
		{"set descending", "code 0 follows code 3", func(t *tree.Tree) { t.Sets[0], t.Sets[1] = 3, 0 }},
		{"set with a code twice", "code 3 follows code 3", func(t *tree.Tree) { t.Sets[0] = 3 }},
		{"set pointers start late", "starts at 1", func(t *tree.Tree) { t.SetPtrs[0] = 1 }},
		{"set pointers past the end", "ends at 3", func(t *tree.Tree) { t.SetPtrs[1] = 3 }},
		{"set pointers fall", "before its start", func(t *tree.Tree) { t.SetPtrs = []uint32{0, 2, 1} }},
		{"codes without pointers", "SetPtrs is empty", func(t *tree.Tree) { t.SetPtrs = nil }},
		{"leaf NaN", "leaf 2 has value NaN", func(t *tree.Tree) { t.Leaf[2] = math.NaN() }},
		{"leaf Inf", "leaf 0 has value -Inf", func(t *tree.Tree) { t.Leaf[0] = math.Inf(-1) }},
		{"gain NaN", "node 1 has gain NaN", func(t *tree.Tree) { t.Gain[1] = float32(math.NaN()) }},
		{"cover negative", "node 0 has cover -1", func(t *tree.Tree) { t.Cover[0] = -1 }},
		{"leaf cover Inf", "leaf 1 has cover +Inf", func(t *tree.Tree) { t.LeafCover[1] = math.Inf(1) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := handMade()
			c.spoil(tr)
			err := tr.Validate(features())
			if !errors.Is(err, tree.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Validate = %v, want ErrInvalid with %q", err, c.want)
			}
		})
	}
}

func TestDump(t *testing.T) {
	var b strings.Builder
	if err := handMade().Dump(&b, nil, nil); err != nil {
		t.Fatal(err)
	}
	want := `node 0: feature 0 code ≤ 2 or missing  gain 8 cover 9
  yes: leaf 0 = 10  cover 4
  no: node 1: feature 1 code in {0, 3}  gain 2.5 cover 5
    yes: leaf 1 = 20  cover 3
    no: leaf 2 = 30  cover 2
`
	if b.String() != want {
		t.Errorf("Dump:\n%s\nwant:\n%s", b.String(), want)
	}
	full := errors.New("disk full")
	if err := handMade().Dump(writer{full}, nil, nil); !errors.Is(err, full) {
		t.Errorf("Dump to a failing writer = %v, want %v", err, full)
	}
}

type writer struct{ err error }

func (w writer) Write([]byte) (int, error) { return 0, w.err }
