package shapley_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/tree"
	"boost/tree/shapley"
)

// grow returns a tree of random splits of some features; a feature may be split on several times on one way.
func grow(r *rand.Rand, splits, features int) *tree.Tree {
	t := &tree.Tree{Leaf: []float64{r.NormFloat64()}, LeafCover: []float64{1 + 100*r.Float64()}}
	where := []*int32{nil} // by leaf: the reference to it
	for n := range splits {
		leaf := r.IntN(len(t.Leaf))
		if where[leaf] != nil {
			*where[leaf] = int32(n)
		}
		cover := t.LeafCover[leaf]
		share := r.Float64()
		if r.IntN(8) == 0 {
			share = float64(r.IntN(2))
		}
		t.Feature, t.Cover = append(t.Feature, int32(r.IntN(features))), append(t.Cover, cover)
		t.Left, t.Right = append(t.Left, ^int32(leaf)), append(t.Right, ^int32(len(t.Leaf)))
		t.Leaf, t.LeafCover = append(t.Leaf, r.NormFloat64()), append(t.LeafCover, cover*(1-share))
		t.LeafCover[leaf] = cover * share
		where = append(where, nil)
		for i := range t.Left { // slices may have moved
			for _, child := range []*int32{&t.Left[i], &t.Right[i]} {
				if *child < 0 {
					where[^*child] = child
				}
			}
		}
	}
	return t
}

// known returns what the tree is expected to add where some features are known, straight from the definition.
func known(t *tree.Tree, child int32, left []bool, set uint) float64 {
	if child < 0 {
		return t.Leaf[^child]
	}
	if set>>t.Feature[child]&1 == 1 {
		if left[child] {
			return known(t, t.Left[child], left, set)
		}
		return known(t, t.Right[child], left, set)
	}
	cover := func(c int32) float64 {
		if c < 0 {
			return t.LeafCover[^c]
		}
		return t.Cover[c]
	}
	a, b := cover(t.Left[child]), cover(t.Right[child])
	if a+b == 0 {
		a, b = 1, 1
	}
	return (a*known(t, t.Left[child], left, set) + b*known(t, t.Right[child], left, set)) / (a + b)
}

// bySets returns the Shapley values of the definition: the mean of what a feature changes over all orders of features.
func bySets(t *tree.Tree, left []bool, features int) []float64 {
	factorial := func(n int) float64 { return math.Gamma(float64(n + 1)) }
	values := make([]float64, features)
	for f := range values {
		for set := range uint(1) << features {
			if set>>f&1 == 1 {
				continue
			}
			size := bits.OnesCount(set)
			weight := factorial(size) * factorial(features-size-1) / factorial(features)
			values[f] += weight * (known(t, 0, left, set|1<<f) - known(t, 0, left, set))
		}
	}
	return values
}

func TestDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s shapley.Scratch
	for range 300 {
		features := 1 + r.IntN(7)
		grown := grow(r, 1+r.IntN(25), features)
		left := make([]bool, grown.NumSplits())
		for n := range left {
			left[n] = r.IntN(2) == 0
		}
		e := shapley.New(grown)
		got, want := make([]float64, features), bySets(grown, left, features)
		e.Add(left, &s, got)
		sum := e.Expected()
		for f := range want {
			if sum += got[f]; math.Abs(got[f]-want[f]) > 1e-13*float64(grown.NumLeaves()) {
				t.Fatalf("feature %d of %d: %v, want %v", f, features, got[f], want[f])
			}
		}
		if want := known(grown, 0, left, 1<<features-1); math.Abs(sum-want) > 1e-12 {
			t.Fatalf("all together %v, the row has %v", sum, want)
		}
		if want := known(grown, 0, left, 0); math.Abs(e.Expected()-want) > 1e-12 {
			t.Fatalf("expected %v, want %v", e.Expected(), want)
		}
	}
}

// By hand: a leaf of 1 where both features say yes, of a quarter of the cover; all others are 0. A row of two yeses has 1, which is
// ¾ more than the mean, of which each feature has half. One of yes and no has ¼ less: the first feature, alone, would make ½ of
// ¼; known after the other it changes nothing. So it has ½·(½ − ¼) + ½·0 = ⅛, and the other the rest, −⅜.
func TestByHand(t *testing.T) {
	and := &tree.Tree{Feature: []int32{0, 1}, Left: []int32{^0, ^1}, Right: []int32{1, ^2}, Leaf: []float64{0, 0, 1},
		Cover: []float64{4, 2}, LeafCover: []float64{2, 1, 1}}
	e := shapley.New(and)
	var s shapley.Scratch
	for _, test := range []struct {
		left []bool
		want []float64
	}{{[]bool{false, false}, []float64{0.375, 0.375}}, {[]bool{false, true}, []float64{0.125, -0.375}}} {
		got := make([]float64, 2)
		e.Add(test.left, &s, got)
		for f := range got {
			if math.Abs(got[f]-test.want[f]) > 1e-15 {
				t.Errorf("%v: %v, want %v", test.left, got, test.want)
			}
		}
	}
	if e.Expected() != 0.25 {
		t.Errorf("expected %v, want 0.25", e.Expected())
	}
}

// On a way of 300 features nothing cancels: all features are alike, and have equal parts.
func TestLongWay(t *testing.T) {
	const depth = 300
	long := &tree.Tree{Leaf: []float64{1}, LeafCover: []float64{1}}
	left := make([]bool, depth)
	for n := range depth {
		long.Feature, long.Cover = append(long.Feature, int32(n)), append(long.Cover, 1)
		long.Left, long.Right = append(long.Left, int32(n+1)), append(long.Right, ^int32(n+1))
		long.Leaf, long.LeafCover = append(long.Leaf, 0), append(long.LeafCover, 0.01)
		left[n] = true
	}
	long.Left[depth-1] = ^int32(0)
	for n := depth - 1; n >= 0; n-- { // each split keeps 99 %
		long.Cover[n] = long.LeafCover[0] / math.Pow(0.99, float64(depth-n))
		long.LeafCover[n+1] = long.Cover[n] * 0.01
	}
	e := shapley.New(long)
	got := make([]float64, depth)
	e.Add(left, &shapley.Scratch{}, got)
	want := (1 - math.Pow(0.99, depth)) / depth
	if low, high := slices.Min(got), slices.Max(got); math.Abs(low/want-1) > 1e-10 || math.Abs(high/want-1) > 1e-10 {
		t.Errorf("between %v and %v, want %v", low, high, want)
	}
}

func TestOneLeaf(t *testing.T) {
	e := shapley.New(&tree.Tree{Leaf: []float64{3}, LeafCover: []float64{7}})
	out := []float64{5}
	if e.Add(nil, &shapley.Scratch{}, out); out[0] != 5 || e.Expected() != 3 {
		t.Errorf("%v and %v, want 5 and 3", out[0], e.Expected())
	}
}

func BenchmarkAdd(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	grown := grow(r, 30, 28)
	e, left, out := shapley.New(grown), make([]bool, 30), make([]float64, 28)
	var s shapley.Scratch
	for b.Loop() {
		e.Add(left, &s, out)
	}
}
