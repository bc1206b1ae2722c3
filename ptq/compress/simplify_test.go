package compress_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"boost/binning"
	"boost/booster/model"
	"boost/dataset"
	"boost/objectives"
	"boost/ptq/compress"
	"boost/tree"
)

// wildLevels is the number of levels of wildModel's categories.
const wildLevels = 5

// wildModel makes a model over two numeric features of 3 cuts, at 0.5, 1.5 and 2.5, and two
// categorical ones of 5 levels, of trees that no training would grow: splits that their parents
// have decided, equal sides, and few leaf values, so that sides often agree.
func wildModel(tb testing.TB, r *rand.Rand, trees, leaves int, values []float64, statistics bool) *model.Model {
	tb.Helper()
	c := model.Contents{
		Objective: "regression", Link: objectives.Identity, Outputs: 1, BaseScore: []float64{0.25},
		Params: json.RawMessage("{}"), NumericsVersion: 1, Fingerprint: strings.Repeat("0", 32), BestRound: trees,
		Cuts: &binning.Cuts{
			Ptrs: []uint32{0, 3, 6, 6, 6}, Ptrs64: make([]uint32, 5), Values: []float32{0.5, 1.5, 2.5, 0.5, 1.5, 2.5},
		},
	}
	for _, name := range []string{"n", "m"} {
		c.Schema.Columns = append(c.Schema.Columns, dataset.ColumnSchema{Name: name, Kind: dataset.Float32, Role: dataset.Feature})
		c.Cuts.Features = append(c.Cuts.Features, binning.Feature{Name: name, Kind: binning.Numeric32, Regular: 4})
	}
	for _, name := range []string{"c", "d"} {
		f := binning.Feature{Name: name, Kind: binning.Categorical, Regular: wildLevels}
		s := dataset.ColumnSchema{Name: name, Kind: dataset.Category, Role: dataset.Feature}
		for i := range wildLevels {
			s.Levels, f.Codes = append(s.Levels, fmt.Sprintf("level %d", i)), append(f.Codes, uint32(i))
		}
		c.Schema.Columns, c.Cuts.Features = append(c.Schema.Columns, s), append(c.Cuts.Features, f)
	}
	c.Schema.Columns = append(c.Schema.Columns, dataset.ColumnSchema{Name: "y", Kind: dataset.Float64, Role: dataset.LabelRole})
	for range trees {
		c.Trees = append(c.Trees, wildTree(r, model.Features(c.Cuts), 1+r.IntN(leaves), values, statistics))
	}
	m, err := model.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func wildTree(r *rand.Rand, features []tree.Feature, leaves int, values []float64, statistics bool) tree.Tree {
	var t tree.Tree
	slots := []*int32{new(int32)} // the reference that points to each leaf
	var links [][2]*int32         // both references of each node
	for node := int32(0); len(slots) < leaves; node++ {
		f := r.IntN(len(features))
		t.Feature, t.Categorical = append(t.Feature, int32(f)), append(t.Categorical, features[f].Categorical)
		t.MissingLeft = append(t.MissingLeft, r.IntN(2) == 0)
		if features[f].Categorical {
			if t.SetPtrs == nil {
				t.SetPtrs = []uint32{0}
			}
			t.Code = append(t.Code, uint32(len(t.SetPtrs)-1))
			for c := range features[f].Regular {
				if r.IntN(3) == 0 {
					t.Sets = append(t.Sets, c)
				}
			}
			t.SetPtrs = append(t.SetPtrs, uint32(len(t.Sets)))
		} else {
			t.Code = append(t.Code, r.Uint32N(features[f].Regular))
		}
		at := r.IntN(len(slots))
		*slots[at] = node
		left, right := new(int32), new(int32)
		t.Left, t.Right = append(t.Left, 0), append(t.Right, 0)
		links = append(links, [2]*int32{left, right})
		slots[at] = left
		slots = append(slots, right)
	}
	for leaf, s := range slots {
		*s = ^int32(leaf)
		t.Leaf = append(t.Leaf, values[r.IntN(len(values))])
	}
	for n := range t.Feature {
		t.Left[n], t.Right[n] = *links[n][0], *links[n][1]
	}
	if statistics {
		t.Gain, t.Cover = make([]float32, len(t.Feature)), make([]float64, len(t.Feature))
		for range t.Leaf {
			t.LeafCover = append(t.LeafCover, float64(1+r.IntN(9)))
		}
		for n := len(t.Feature) - 1; n >= 0; n-- {
			t.Gain[n] = float32(r.IntN(100))
			for _, child := range [2]int32{t.Left[n], t.Right[n]} {
				if child < 0 {
					t.Cover[n] += t.LeafCover[^child]
				} else {
					t.Cover[n] += t.Cover[child]
				}
			}
		}
	}
	return t
}

// everyRow has a row for each way through wildModel's cuts and levels: a value of every bin or a
// missing one, every level, a missing one or one never seen.
func everyRow(tb testing.TB) *dataset.Table {
	tb.Helper()
	numbers := []float64{0, 1, 2, 3, math.NaN()}
	levels := []string{"level 0", "level 1", "level 2", "level 3", "level 4", "", "never seen"}
	var n, m []float64
	var c, d []string
	for _, x := range numbers {
		for _, y := range numbers {
			for _, u := range levels {
				for _, v := range levels {
					n, m, c, d = append(n, x), append(m, y), append(c, u), append(d, v)
				}
			}
		}
	}
	t, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "n", Values: n}, {Name: "m", Values: m}, {Name: "c", Values: c}, {Name: "d", Values: d},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// Every row that there can be gets the bits that it got before, and nothing is left to do.
func TestSimplify(t *testing.T) {
	rows := everyRow(t)
	removed := compress.Simplification{}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		values := [][]float64{{0.5}, {0, math.Copysign(0, -1)}, {1, 2}, {1, 2, 3, 4, 5, 6, 7, 8}}[seed%4]
		m := wildModel(t, r, 4, 30, values, seed%3 > 0)
		simple, what, err := compress.Simplify(m)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := len(simple.Leaves()), len(m.Leaves())-what.Leaves(); got != want {
			t.Fatalf("seed %d: %d leaves are left, not %d of %d", seed, got, want, len(m.Leaves()))
		}
		want, got := raw(t, m, rows), raw(t, simple, rows)
		for i := range want {
			if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
				t.Fatalf("seed %d: row %d gets %v instead of %v", seed, i, got[i], want[i])
			}
		}
		again, more, err := compress.Simplify(simple)
		if err != nil {
			t.Fatal(err)
		}
		if again != simple || more != (compress.Simplification{}) {
			t.Fatalf("seed %d: a second time %+v is taken out", seed, more)
		}
		if seed%4 == 0 && len(simple.Leaves()) != simple.NumTrees() {
			t.Errorf("seed %d: trees whose leaves are all equal have %d leaves", seed, len(simple.Leaves()))
		}
		if simple.HasStatistics() != m.HasStatistics() {
			t.Errorf("seed %d: statistics came or went", seed)
		}
		removed.Unreachable += what.Unreachable
		removed.Alike += what.Alike
		removed.Levels += what.Levels
		removed.Codes += what.Codes
	}
	if removed.Unreachable == 0 || removed.Alike == 0 || removed.Levels == 0 || removed.Codes == 0 {
		t.Errorf("the trees do not show everything: %+v", removed)
	}
}

// one makes a model of a tree over wildModel's features.
func one(t *testing.T, tr tree.Tree) *model.Model {
	t.Helper()
	c := *wildModel(t, rand.New(rand.NewPCG(1, 1)), 1, 1, []float64{0}, false).Contents()
	c.Trees = []tree.Tree{tr}
	m, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSimplifyByHand(t *testing.T) {
	for _, c := range []struct {
		name string
		tree tree.Tree
		want compress.Simplification
		left []float64 // leaves
	}{
		{"equal leaves", tree.Tree{
			Feature: []int32{0}, Code: []uint32{1}, Categorical: []bool{false}, MissingLeft: []bool{true},
			Left: []int32{-1}, Right: []int32{-2}, Leaf: []float64{3, 3},
		}, compress.Simplification{Trees: 1, Alike: 1}, []float64{3}},
		{"zeros of both signs are other bits", tree.Tree{
			Feature: []int32{0}, Code: []uint32{1}, Categorical: []bool{false}, MissingLeft: []bool{true},
			Left: []int32{-1}, Right: []int32{-2}, Leaf: []float64{0, math.Copysign(0, -1)},
		}, compress.Simplification{}, []float64{0, math.Copysign(0, -1)}},
		// n ≤ 1.5 goes left, missing ones too; below, n ≤ 2.5 holds for all but the missing ones.
		{"only missing values go right", tree.Tree{
			Feature: []int32{0, 0}, Code: []uint32{1, 2}, Categorical: []bool{false, false}, MissingLeft: []bool{true, false},
			Left: []int32{1, -1}, Right: []int32{-2, -3}, Leaf: []float64{1, 2, 3},
		}, compress.Simplification{Codes: 1}, []float64{1, 2, 3}},
		{"missing values go left as well", tree.Tree{
			Feature: []int32{0, 0}, Code: []uint32{1, 2}, Categorical: []bool{false, false}, MissingLeft: []bool{true, true},
			Left: []int32{1, -1}, Right: []int32{-2, -3}, Leaf: []float64{1, 2, 3},
		}, compress.Simplification{Trees: 1, Unreachable: 1}, []float64{1, 2}},
		// Left of m ≤ 1.5, n decides: 1 or 2. Right of it n ≤ 0.5 is 1 too, and n > 0.5 is 2.
		{"equal subtrees", tree.Tree{
			Feature: []int32{1, 0, 0}, Code: []uint32{1, 0, 0}, Categorical: make([]bool, 3), MissingLeft: make([]bool, 3),
			Left: []int32{1, -1, -3}, Right: []int32{2, -2, -4}, Leaf: []float64{1, 2, 1, 2},
		}, compress.Simplification{Trees: 1, Alike: 2}, []float64{1, 2}},
		// Rows on the right have n > 0.5, and get from the left what they get on the right.
		{"one side says it all", tree.Tree{
			Feature: []int32{0, 0, 1}, Code: []uint32{2, 0, 1}, Categorical: make([]bool, 3), MissingLeft: make([]bool, 3),
			Left: []int32{1, -1, -3}, Right: []int32{-4, 2, -2}, Leaf: []float64{1, 2, 2, 2},
		}, compress.Simplification{Trees: 1, Alike: 2}, []float64{1, 2}},
		// Levels 0 and 1 of c go left; of 0 and 3 the second comes to no split below.
		{"levels", tree.Tree{
			Feature: []int32{2, 2}, Code: []uint32{0, 1}, Categorical: []bool{true, true}, MissingLeft: make([]bool, 2),
			Left: []int32{1, -1}, Right: []int32{-3, -2}, Leaf: []float64{1, 2, 3}, SetPtrs: []uint32{0, 2, 4}, Sets: []uint32{0, 1, 0, 3},
		}, compress.Simplification{Levels: 1}, []float64{1, 2, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := one(t, c.tree)
			simple, what, err := compress.Simplify(m)
			if err != nil {
				t.Fatal(err)
			}
			if what != c.want || !slices.Equal(simple.Leaves(), c.left) {
				t.Errorf("Simplify took out %+v and left %v, want %+v and %v", what, simple.Leaves(), c.want, c.left)
			}
			if c.want == (compress.Simplification{}) && simple != m {
				t.Error("a model that cannot be simplified is another one")
			}
			if !slices.Equal(raw(t, simple, everyRow(t)), raw(t, m, everyRow(t))) {
				t.Error("rows get something else")
			}
		})
	}
}

// A side that stands for both has the covers of both.
func TestSimplifyCovers(t *testing.T) {
	m := one(t, tree.Tree{
		Feature: []int32{1, 0, 0}, Code: []uint32{1, 0, 0}, Categorical: make([]bool, 3), MissingLeft: make([]bool, 3),
		Left: []int32{1, -1, -3}, Right: []int32{2, -2, -4}, Leaf: []float64{1, 2, 1, 2},
		Gain: []float32{5, 4, 3}, Cover: []float64{40, 10, 30}, LeafCover: []float64{2, 8, 6, 24},
	})
	simple, _, err := compress.Simplify(m)
	if err != nil {
		t.Fatal(err)
	}
	got := simple.Contents().Trees[0]
	// The left side had 10 of 40.
	if !slices.Equal(got.Cover, []float64{40}) || !slices.Equal(got.LeafCover, []float64{8, 32}) || !slices.Equal(got.Gain, []float32{4}) {
		t.Errorf("covers %v and %v, gains %v", got.Cover, got.LeafCover, got.Gain)
	}
}

// Long chains and large equal sides take little time: comparisons end.
func TestSimplifyLarge(t *testing.T) {
	values := make([]float64, 5000)
	for i := range values {
		values[i] = float64(i % 7)
	}
	m := forest(t, 1, values)
	simple, what, err := compress.Simplify(m)
	if err != nil {
		t.Fatal(err)
	}
	if what.Leaves() != 0 || simple != m {
		t.Errorf("a chain whose neighbours differ lost %+v", what)
	}
	clear(values)
	if simple, _, err = compress.Simplify(forest(t, 1, values)); err != nil || len(simple.Leaves()) != 1 {
		t.Errorf("a chain of zeros has %d leaves left (%v)", len(simple.Leaves()), err)
	}
}

// Leaf values in few bits are often equal: splits between such leaves go.
func ExampleSimplify() {
	ctx := context.Background()
	m := wildModel(&testing.T{}, rand.New(rand.NewPCG(5, 3)), 10, 30, []float64{-1, 0, 1}, false)
	simple, what, err := compress.Simplify(m)
	if err != nil {
		panic(err)
	}
	rows := everyRow(&testing.T{})
	before, _ := m.PredictRaw(ctx, rows)
	after, _ := simple.PredictRaw(ctx, rows)
	fmt.Println(what.Leaves() > 0, slices.Equal(before, after))
	// Output: true true
}
