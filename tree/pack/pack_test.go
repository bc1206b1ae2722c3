package pack_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/tree"
	"boost/tree/pack"
)

// sample is trees to pack, of a kind.
type sample struct {
	name     string
	features []tree.Feature
	outputs  int
	trees    []tree.Tree
}

func samples(seed uint64) []sample {
	mixed := append(numeric(255, 2, 1, 70_000, 16), categorical(3, 40, 1, 1_200)...)
	many := numeric(repeated(255, 300)...)
	for f := 0; f < 300; f += 7 {
		many[f] = tree.Feature{Regular: 12, Categorical: true}
	}
	alike := slices.Repeat(forest(seed, 1, mixed, how{splits: 20, codes: 5})[:1], 300)
	if alike[0].NumSplits() == 0 {
		alike = slices.Repeat([]tree.Tree{chain(3)}, 300)
	}
	list := []sample{
		{"no tree", mixed, 1, nil},
		{"no tree and no feature", nil, 3, nil},
		{"leaves alone", nil, 2, forest(seed, 40, nil, how{})},
		{"one split", numeric(255), 1, forest(seed, 10, numeric(255), how{splits: 1})},
		{"grown", mixed, 1, forest(seed, 40, mixed, how{splits: 30, codes: 9})},
		{"7 outputs", mixed, 7, forest(seed, 70, mixed, how{splits: 12, codes: 9})},
		{"any codes", mixed, 1, forest(seed, 30, mixed, how{splits: 30, codes: 9, loose: true})},
		{"300 features", many, 2, forest(seed, 60, many, how{splits: 30, codes: 9})},
		{"two codes", numeric(repeated(2, 30)...), 1, forest(seed, 30, numeric(repeated(2, 30)...), how{splits: 30})},
		{"one code", numeric(1), 1, forest(seed, 30, numeric(1), how{splits: 9})},
		{"the largest code", numeric(1 << 31), 1, forest(seed, 30, numeric(1<<31), how{splits: 30})},
		{"chains", mixed[:5], 1, forest(seed, 4, mixed[:5], how{splits: 200, chain: true})},
		{"a chain of 5,000", numeric(5_000), 1, []tree.Tree{chain(5_000)}},
		{"empty sets", categorical(5, 2_000), 1, forest(seed, 30, categorical(5, 2_000), how{splits: 9})},
		{"full sets", categorical(5, 1_024, 1_025), 1, forest(seed, 20, categorical(5, 1_024, 1_025), how{splits: 9, full: true})},
		{"1,024 levels", categorical(1_024), 1, forest(seed, 20, categorical(1_024), how{splits: 20, codes: 400})},
		{"1,025 levels", categorical(1_025), 1, forest(seed, 20, categorical(1_025), how{splits: 20, codes: 400})},
		{"100,000 levels", categorical(100_000), 1, forest(seed, 3, categorical(100_000), how{splits: 3, codes: 32})},
		{"full sets of 100,000 levels", categorical(100_000), 1, forest(seed, 1, categorical(100_000), how{splits: 4, full: true, loose: true})},
		{"70 categorical features", categorical(repeated(2_000, 70)...), 1, forest(seed, 20, categorical(repeated(2_000, 70)...), how{splits: 20, codes: 3})},
		{"all alike", mixed, 1, alike},
	}
	return list
}

func newReader(t testing.TB, b []byte, s sample) *pack.Reader {
	t.Helper()
	r, err := pack.NewReader(b, len(s.trees), s.features, s.outputs)
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	return r
}

// checkTrees reads all trees into one and compares them with what they are in canonical order.
func checkTrees(t *testing.T, r *pack.Reader, s sample, what string) {
	t.Helper()
	var got tree.Tree
	for i := range s.trees {
		if err := r.Next(&got); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		want := pack.Canonical(&s.trees[i])
		if differs := sameStructure(&got, &want); differs != "" {
			t.Fatalf("%s: tree %d has other %s:\n%+v\nwant\n%+v", what, i, differs, got, want)
		}
	}
	if err := r.Next(&got); err == nil {
		t.Errorf("%s: a tree more than there are", what)
	}
}

func TestRoundTrip(t *testing.T) {
	for seed := range uint64(3) {
		for _, s := range samples(seed) {
			t.Run(fmt.Sprintf("S3.57/%s/%d", s.name, seed), func(t *testing.T) {
				validate(t, s.trees, s.features)
				nodes := 0
				for i := range s.trees {
					nodes += s.trees[i].NumSplits()
				}
				b := pack.Write(s.trees, s.features, s.outputs)
				r := newReader(t, b, s)
				if r.Nodes() != nodes {
					t.Errorf("%d nodes, want %d", r.Nodes(), nodes)
				}
				checkTrees(t, r, s, "first pass")
				r.Rewind()
				checkTrees(t, r, s, "second pass")
				if len(s.trees) > 0 {
					var first tree.Tree
					r.Rewind()
					if err := r.Next(&first); err != nil {
						t.Fatal(err)
					}
					r.Rewind() // in the middle of a tree's forest
					checkTrees(t, r, s, "after one tree")
				}
				sizes := pack.Measure(s.trees, s.features, s.outputs)
				sum := sizes.Head + sizes.Feature + sizes.Code + sizes.Sets + sizes.Shape + sizes.Direction
				if sizes.Total != len(b) || sum > float64(len(b))+1 {
					t.Errorf("sizes %+v add up to %.1f, %d bytes are written", sizes, sum, len(b))
				}
			})
		}
	}
}

// Writing does not depend on how the trees are numbered, and reading neither on what the tree
// that is read into was before.
func TestNumberingIsNotWritten(t *testing.T) {
	for _, s := range samples(77) {
		canonical := make([]tree.Tree, len(s.trees))
		for i := range s.trees {
			canonical[i] = pack.Canonical(&s.trees[i])
		}
		a, b := pack.Write(s.trees, s.features, s.outputs), pack.Write(canonical, s.features, s.outputs)
		if !slices.Equal(a, b) {
			t.Errorf("%s: %d bytes, and %d of the same trees in canonical order", s.name, len(a), len(b))
		}
	}
}

// Every row reaches the leaf of the same value, and the statistics move with it.
func TestCanonical(t *testing.T) {
	for _, s := range samples(5) {
		r := rand.New(rand.NewPCG(1, 1))
		for i := range min(len(s.trees), 20) {
			old := &s.trees[i]
			c := pack.Canonical(old)
			if err := c.Validate(s.features); err != nil {
				t.Fatalf("%s, tree %d: %v", s.name, i, err)
			}
			if !pack.IsCanonical(&c) {
				t.Fatalf("%s, tree %d: canonical order is not canonical", s.name, i)
			}
			if again := pack.Canonical(&c); sameStructure(&again, &c) != "" || !slices.Equal(again.Leaf, c.Leaf) {
				t.Fatalf("%s, tree %d: canonical order changes", s.name, i)
			}
			for range 50 {
				row := randomRow(r, s.features)
				a, b := old.LeafIndex(s.features, row), c.LeafIndex(s.features, row)
				if old.Leaf[a] != c.Leaf[b] || old.LeafCover[a] != c.LeafCover[b] {
					t.Fatalf("%s, tree %d: a row reaches %v instead of %v", s.name, i, c.Leaf[b], old.Leaf[a])
				}
			}
		}
	}
	// By hand: node 0 has node 2 on its left and node 1, a set, on its right; node 2 is a set.
	t.Run("by hand", func(t *testing.T) {
		old := tree.Tree{
			Feature: []int32{0, 1, 1}, Code: []uint32{4, 0, 1},
			Categorical: []bool{false, true, true}, MissingLeft: []bool{true, false, true},
			Left: []int32{2, ^0, ^3}, Right: []int32{1, ^2, ^1},
			SetPtrs: []uint32{0, 1, 3}, Sets: []uint32{7, 2, 3},
			Leaf: []float64{10, 11, 12, 13}, LeafCover: []float64{0, 1, 2, 3},
			Gain: []float32{5, 6, 7}, Cover: []float64{8, 9, 10},
		}
		if pack.IsCanonical(&old) {
			t.Error("it is not canonical")
		}
		want := tree.Tree{
			Feature: []int32{0, 1, 1}, Code: []uint32{4, 0, 1},
			Categorical: []bool{false, true, true}, MissingLeft: []bool{true, true, false},
			Left: []int32{1, ^0, ^2}, Right: []int32{2, ^1, ^3},
			SetPtrs: []uint32{0, 2, 3}, Sets: []uint32{2, 3, 7},
		}
		got := pack.Canonical(&old)
		want.Leaf = got.Leaf
		if differs := sameStructure(&got, &want); differs != "" {
			t.Errorf("other %s: %+v", differs, got)
		}
		if !slices.Equal(got.Leaf, []float64{13, 11, 10, 12}) || !slices.Equal(got.LeafCover, []float64{3, 1, 0, 2}) ||
			!slices.Equal(got.Gain, []float32{5, 7, 6}) || !slices.Equal(got.Cover, []float64{8, 10, 9}) {
			t.Errorf("numbers did not move along: %+v", got)
		}
		old.Gain, old.Cover, old.LeafCover = nil, nil, nil
		if got := pack.Canonical(&old); got.Gain != nil || got.Cover != nil || got.LeafCover != nil || sameStructure(&got, &want) != "" {
			t.Errorf("without statistics: %+v", got)
		}
	})
}

// After the first pass, reading allocates nothing.
func TestNextAllocatesNothing(t *testing.T) {
	for _, s := range samples(9) {
		r := newReader(t, pack.Write(s.trees, s.features, s.outputs), s)
		var into tree.Tree
		pass := func() {
			for range s.trees {
				if err := r.Next(&into); err != nil {
					t.Fatal(err)
				}
			}
			r.Rewind()
		}
		pass()
		if n := testing.AllocsPerRun(3, pass); n != 0 {
			t.Errorf("%s: %v allocations a pass", s.name, n)
		}
	}
}

// Trees that repeat themselves cost next to nothing: the estimates learn them.
func TestRepetitionIsCheap(t *testing.T) {
	for _, s := range samples(3) {
		if s.name != "all alike" {
			continue
		}
		one := len(pack.Write(s.trees[:1], s.features, s.outputs))
		all := len(pack.Write(s.trees, s.features, s.outputs))
		if all > one*len(s.trees)/8 {
			t.Errorf("%d trees take %d bytes, one of them %d", len(s.trees), all, one)
		}
	}
}
