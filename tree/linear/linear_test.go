package linear_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/binning"
	"boost/parallel"
	"boost/tree"
	"boost/tree/linear"
)

// fitted fits a tree with one split, on the first feature after its first code, to rows whose leaf values are to be y.
func fitted(t testing.TB, threads int, lambda, maxStep float64, columns [][]float32, cut float32, y []float64) *tree.Tree {
	t.Helper()
	pool := parallel.NewPool(threads)
	t.Cleanup(pool.Close)
	features := len(columns)
	cuts := &binning.Cuts{Ptrs: []uint32{0}, Ptrs64: make([]uint32, features+1)}
	for range columns {
		cuts.Features = append(cuts.Features, binning.Feature{Kind: binning.Numeric32, Regular: 2})
		cuts.Values = append(cuts.Values, cut)
		cuts.Ptrs = append(cuts.Ptrs, uint32(len(cuts.Values)))
	}
	// Each feature is split once, so that the leaves have all of them.
	made := &tree.Tree{Leaf: make([]float64, features+1)}
	for f := range columns {
		made.Feature, made.Code = append(made.Feature, int32(f)), append(made.Code, 0)
		made.Categorical, made.MissingLeft = append(made.Categorical, false), append(made.MissingLeft, false)
		made.Left, made.Right = append(made.Left, ^int32(f)), append(made.Right, int32(f+1))
	}
	made.Right[features-1] = ^int32(features)
	fit := linear.New(linear.Config{Pool: pool, Columns: columns, Cuts: cuts, Rows: len(y), Leaves: features + 1, Lambda: lambda, MaxStep: maxStep})
	grad, hess := make([]float32, len(y)), make([]float32, len(y))
	fit.Reset()
	for row, v := range y {
		grad[row], hess[row] = float32(-v), 1
		leaf := 0
		for leaf < features && columns[leaf][row] > cut {
			leaf++
		}
		fit.Leaf()[row] = uint32(leaf)
	}
	fit.Fit(made, grad, hess)
	scores := make([]float64, len(y))
	fit.AddScores(made, scores)
	for row := range y {
		want := make([]float64, features)
		for f := range columns {
			want[f] = float64(columns[f][row])
		}
		leaf := int(fit.Leaf()[row])
		value := made.Leaf[leaf]
		if made.Linear != nil {
			value = made.LinearValue(leaf, want)
		}
		if scores[row] != value {
			t.Fatalf("row %d gets %v, its leaf adds %v", row, scores[row], value)
		}
	}
	return made
}

// A line is found again, also where values are far from 0 and close together, and on any number of threads.
func TestLine(t *testing.T) {
	const n, far = 20_000, 4_000_000
	x, y := make([]float32, n), make([]float64, n)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range x {
		x[i] = far + float32(random.IntN(64))
		y[i] = 3 - 0.25*(float64(x[i])-far)
	}
	made := fitted(t, 1, 0, 0, [][]float32{x}, far+31, y)
	for leaf := range 2 {
		c := made.Linear.Coef[made.Linear.Ptrs[leaf]]
		if math.Abs(c+0.25) > 1e-9 {
			t.Errorf("leaf %d has slope %v, want -0.25", leaf, c)
		}
		for _, v := range []float64{far, far + 63} {
			if got, want := made.LinearValue(leaf, []float64{v}), 3-0.25*(v-far); math.Abs(got-want) > 1e-6 {
				t.Errorf("leaf %d adds %v at %v, want %v", leaf, got, v, want)
			}
		}
	}
	if other := fitted(t, 3, 0, 0, [][]float32{x}, far+31, y); !other.Linear.Equal(made.Linear) {
		t.Error("three threads give other lines")
	}
	// By hand: at most 2 away from 0 is what no row of the second leaf, 3 − 0.25·63 = −12.75, keeps to.
	if bound := fitted(t, 1, 0, 5, [][]float32{x}, far+31, y); len(bound.LeafFeatures(0)) != 1 || len(bound.LeafFeatures(1)) != 0 {
		t.Errorf("with a longest step of 5 the leaves have %d and %d coefficients, want 1 and 0", len(bound.LeafFeatures(0)), len(bound.LeafFeatures(1)))
	}
}

// Of features that depend on each other the later ones get no coefficient.
func TestTwins(t *testing.T) {
	const n = 300
	a, b, twin, y := make([]float32, n), make([]float32, n), make([]float32, n), make([]float64, n)
	for i := range a {
		a[i], b[i] = float32(i%20), float32(i*i%23)
		twin[i] = a[i] + b[i]
		y[i] = 1 + 2*float64(a[i]) - float64(b[i])
	}
	made := fitted(t, 1, 0, 0, [][]float32{a, b, twin}, -1, y)
	last := made.NumLeaves() - 1
	if got := made.LeafFeatures(last); !slices.Equal(got, []int32{0, 1}) {
		t.Fatalf("coefficients of features %v, want of 0 and 1", got)
	}
	at := made.Linear.Ptrs[last]
	if c := made.Linear.Coef[at:]; math.Abs(c[0]-2) > 1e-9 || math.Abs(c[1]+1) > 1e-9 || math.Abs(made.Linear.Const[last]-1) > 1e-8 {
		t.Errorf("%v + %v · x, want 1 + [2 -1] · x", made.Linear.Const[last], c)
	}
}

// Ridge by hand: x = −1, 0, 1 with y = −2, 0, 2 has slope 4/(2 + λ); a leaf needs one row more than features.
func TestRidge(t *testing.T) {
	made := fitted(t, 1, 2, 0, [][]float32{{-1, 0, 1}}, -2, []float64{-2, 0, 2})
	if c := made.Linear.Coef; len(c) != 1 || math.Abs(c[0]-1) > 1e-15 {
		t.Errorf("slope %v, want 1", c)
	}
	if made := fitted(t, 1, 0, 0, [][]float32{{1}}, 0, []float64{3}); made.Linear != nil {
		t.Errorf("one row has a line: %v", made.Linear)
	}
	nan := float32(math.NaN())
	if made := fitted(t, 1, 0, 0, [][]float32{{nan, nan, 4}}, 0, []float64{3, 1, 2}); made.Linear != nil {
		t.Errorf("one row that is not missing has a line: %v", made.Linear)
	}
}

func BenchmarkFit(b *testing.B) {
	const n, leaves = 100_000, 31
	random := rand.New(rand.NewPCG(1, 2))
	columns, y := make([][]float32, 5), make([]float64, n)
	for f := range columns {
		columns[f] = make([]float32, n)
		for i := range n {
			columns[f][i] = random.Float32()
		}
	}
	pool := parallel.NewPool(1)
	defer pool.Close()
	cuts := &binning.Cuts{Ptrs: []uint32{0}, Ptrs64: make([]uint32, len(columns)+1)}
	for f := range columns {
		cuts.Features = append(cuts.Features, binning.Feature{Kind: binning.Numeric32, Regular: 2})
		cuts.Values, cuts.Ptrs = append(cuts.Values, 0.5), append(cuts.Ptrs, uint32(f+1))
	}
	made := &tree.Tree{Leaf: make([]float64, leaves)}
	for i := range leaves - 1 { // a complete tree, nearly
		made.Feature, made.Code = append(made.Feature, int32(i%5)), append(made.Code, 0)
		made.Categorical, made.MissingLeft = append(made.Categorical, false), append(made.MissingLeft, false)
		child := func(c int) int32 {
			if c < leaves-1 {
				return int32(c)
			}
			return ^int32(c - leaves + 1)
		}
		made.Left, made.Right = append(made.Left, child(2*i+1)), append(made.Right, child(2*i+2))
	}
	fit := linear.New(linear.Config{Pool: pool, Columns: columns, Cuts: cuts, Rows: n, Leaves: leaves, MaxStep: 30})
	grad, hess, scores := make([]float32, n), make([]float32, n), make([]float64, n)
	for i := range y {
		grad[i], hess[i] = random.Float32()-0.5, 1
		fit.Leaf()[i] = uint32(random.IntN(leaves))
	}
	b.Run("do=fit", func(b *testing.B) {
		for b.Loop() {
			made.Linear = nil
			fit.Fit(made, grad, hess)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
	})
	b.Run("do=score", func(b *testing.B) {
		for b.Loop() {
			fit.AddScores(made, scores)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
	})
}
