package tree_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"boost/tree"
)

// Leaves out of order take their mean, weighted by cover; those that predictions are not bound to keep their values.
func TestKeepOrder(t *testing.T) {
	chain := &tree.Tree{ // f0 ≤ 1 → leaf 0; f0 ≤ 3 → leaf 1; leaf 2
		Feature: []int32{0, 0}, Code: []uint32{1, 3}, Categorical: make([]bool, 2), MissingLeft: make([]bool, 2),
		Left: []int32{^0, ^1}, Right: []int32{1, ^2}, Leaf: []float64{1, 5, 2}, LeafCover: []float64{4, 1, 2},
	}
	// Side by side in f0, of two halves of f1 each: leaf 0 is bound to 2, and 1 to 3.
	square := &tree.Tree{
		Feature: []int32{0, 1, 1}, Code: []uint32{2, 0, 0}, Categorical: make([]bool, 3), MissingLeft: []bool{true, false, false},
		Left: []int32{1, ^0, ^2}, Right: []int32{2, ^1, ^3}, Leaf: []float64{9, 1, 5, 3},
	}
	sets := &tree.Tree{ // the same with sets of f1, apart from leaf 2, which has a level of leaf 1 too
		Feature: []int32{0, 1, 1}, Code: []uint32{2, 0, 1}, Categorical: []bool{false, true, true}, MissingLeft: []bool{true, false, false},
		SetPtrs: []uint32{0, 1, 3}, Sets: []uint32{0, 0, 2}, Left: []int32{1, ^0, ^2}, Right: []int32{2, ^1, ^3}, Leaf: []float64{9, 1, 0, 3},
	}
	for _, c := range []struct {
		name       string
		tree       *tree.Tree
		directions []int8
		want       []float64
		split      int
	}{
		{"chain", chain, []int8{1}, []float64{1, 3, 3}, 1}, // (5 + 2·2)/3
		{"chain down", chain, []int8{-1}, []float64{13.0 / 7, 13.0 / 7, 13.0 / 7}, 0},
		{"free", chain, []int8{0}, []float64{1, 5, 2}, -1},
		{"square", square, []int8{1, 0}, []float64{7, 1, 7, 3}, 0},
		{"square in order", square, []int8{-1, -1}, []float64{9, 3, 5, 2}, -1},
		{"sets", sets, []int8{1, 0}, []float64{4.5, 1, 4.5, 3}, 0}, // 2 is bound to 0 and to 1
	} {
		made := *c.tree
		made.Leaf = slices.Clone(c.tree.Leaf)
		if c.name == "square in order" {
			made.Leaf = slices.Clone(c.want)
		}
		if got := made.OutOfOrder(c.directions); got != c.split {
			t.Errorf("%s: split %d is out of order, want %d", c.name, got, c.split)
		}
		made.KeepOrder(made.Leaf, c.directions)
		for i, v := range made.Leaf {
			if d := v - c.want[i]; d > 1e-15 || d < -1e-15 {
				t.Errorf("%s: leaves %v, want %v", c.name, made.Leaf, c.want)
				break
			}
		}
	}
}

// After KeepOrder no code of a feature with a direction leads to a leaf out of order, whatever the codes of the others; the mean stays,
// and a second time changes nothing.
func TestKeepOrderOfAnyTree(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const codes = 5 // the last one is missing
	kinds := []tree.Feature{{Regular: codes - 1}, {Regular: codes - 1}, {Regular: codes - 1}, {Regular: codes - 1, Categorical: true}}
	for range 3000 {
		made := tree.Tree{SetPtrs: []uint32{0}}
		leaves := 1 + random.IntN(14)
		at := []int32{-1} // of each leaf, the split that it belongs to
		for split := range int32(leaves - 1) {
			leaf := random.IntN(len(at))
			if up := at[leaf]; up >= 0 && made.Left[up] == ^int32(leaf) {
				made.Left[up] = split
			} else if up >= 0 {
				made.Right[up] = split
			}
			f := random.IntN(len(kinds))
			made.Feature, made.Categorical = append(made.Feature, int32(f)), append(made.Categorical, kinds[f].Categorical)
			made.MissingLeft = append(made.MissingLeft, random.IntN(2) == 0)
			made.Left, made.Right = append(made.Left, ^int32(leaf)), append(made.Right, ^int32(len(at)))
			if kinds[f].Categorical {
				made.Code = append(made.Code, uint32(made.NumSets()))
				for code := range uint32(codes - 1) {
					if random.IntN(2) == 0 {
						made.Sets = append(made.Sets, code)
					}
				}
				made.SetPtrs = append(made.SetPtrs, uint32(len(made.Sets)))
			} else {
				made.Code = append(made.Code, uint32(random.IntN(codes-1)))
			}
			at[leaf] = split
			at = append(at, split)
		}
		sum := 0.0
		for range leaves {
			made.Leaf, made.LeafCover = append(made.Leaf, float64(random.IntN(9))), append(made.LeafCover, float64(1+random.IntN(5)))
			sum += made.Leaf[len(made.Leaf)-1] * made.LeafCover[len(made.Leaf)-1]
		}
		directions := []int8{int8(random.IntN(3) - 1), int8(random.IntN(3) - 1), 1, 0}
		before := slices.Clone(made.Leaf)
		wasOrdered := made.OutOfOrder(directions) < 0
		made.KeepOrder(made.Leaf, directions)
		if wasOrdered != slices.Equal(before, made.Leaf) {
			t.Fatalf("in order %v: %v became %v", wasOrdered, before, made.Leaf)
		}
		for i, v := range made.Leaf {
			sum -= v * made.LeafCover[i]
		}
		if sum > 1e-9 || sum < -1e-9 {
			t.Fatalf("%v became %v, of another mean", before, made.Leaf)
		}
		if made.OutOfOrder(directions) >= 0 {
			t.Fatalf("%v is out of order", made.Leaf)
		}
		for point := range codes * codes * codes * codes {
			row := []uint32{uint32(point % codes), uint32(point / codes % codes), uint32(point / codes / codes % codes), uint32(point / codes / codes / codes)}
			here := made.Leaf[made.LeafIndex(kinds, row)]
			for f, direction := range directions {
				if next := slices.Clone(row); direction != 0 && row[f] < codes-2 {
					next[f]++
					if there := made.Leaf[made.LeafIndex(kinds, next)]; float64(direction)*(there-here) < 0 {
						t.Fatalf("leaves %v: %v has %v, %v has %v", made.Leaf, row, here, next, there)
					}
				}
			}
		}
	}
}
