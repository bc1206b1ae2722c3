package predict_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/cpu"
	"boost/internal/kernel/predict"
	"boost/internal/testenv"
	"boost/tree"
)

// rowScene is random trees over numeric features with cuts.
type rowScene struct {
	cuts     [][]float64
	at       []int // where the features' values stand
	features []tree.Feature
	trees    []tree.Tree
	row      *predict.Row
}

func newRowScene(t *testing.T, r *rand.Rand, features, trees, leaves, outputs int) *rowScene {
	t.Helper()
	s := &rowScene{}
	// Eighths are float32, tenths are not.
	unit := []float64{8, 10}[r.IntN(2)]
	for f := range features {
		s.at = append(s.at, f)
		cuts := make([]float64, r.IntN([]int{1, 17, 255}[r.IntN(3)]))
		for i := range cuts {
			cuts[i] = math.Round(r.NormFloat64()*100) / unit
		}
		slices.Sort(cuts)
		cuts = slices.Compact(cuts)
		s.cuts = append(s.cuts, cuts)
		s.features = append(s.features, tree.Feature{Regular: uint32(len(cuts)) + 1})
	}
	for range trees {
		one := &scene{features: s.features}
		one.grow(r, 1+r.IntN(leaves))
		s.trees = append(s.trees, one.tree)
	}
	s.compile(t, outputs)
	return s
}

// compile makes the row of the trees.
func (s *rowScene) compile(t *testing.T, outputs int) {
	t.Helper()
	var of []predict.RowFeature
	for f, cuts := range s.cuts {
		of = append(of, predict.RowFeature{Index: int32(s.at[f]), Cuts: cuts})
	}
	compiled := make([]predict.Tree, len(s.trees))
	for i := range compiled {
		compiled[i] = *(&scene{features: s.features, tree: s.trees[i]}).compile()
	}
	var ok bool
	if s.row, ok = predict.NewRow(of, compiled, outputs); !ok {
		t.Fatal("no Row")
	}
}

// scatter lets the values stand among n others, not in the order of the features.
func (s *rowScene) scatter(t *testing.T, r *rand.Rand, n, outputs int) {
	t.Helper()
	s.at = r.Perm(len(s.at) + n)[:len(s.at)]
	s.compile(t, outputs)
}

// draw writes values on, beside and between the cuts.
func (s *rowScene) draw(r *rand.Rand, values []float64, missing bool) {
	for i := range values {
		values[i] = math.NaN()
	}
	for f, at := range s.at {
		values[at] = r.NormFloat64() * 12
		if n := len(s.cuts[f]); n > 0 && r.IntN(2) == 0 {
			cut := s.cuts[f][r.IntN(n)]
			values[at] = []float64{cut, math.Nextafter(cut, 1e9), math.Nextafter(cut, -1e9), math.Copysign(0, -1), math.Inf(1), math.Inf(-1)}[r.IntN(6)]
		}
		if missing && r.IntN(4) == 0 {
			values[at] = math.NaN()
		}
	}
}

func (s *rowScene) check(t *testing.T, set cpu.Level, r *rand.Rand, values []float64, outputs int) {
	t.Helper()
	codes := make([]uint32, len(s.cuts))
	for f := range codes {
		x := values[s.at[f]]
		for _, cut := range s.cuts[f] {
			if cut < x {
				codes[f]++
			}
		}
		if math.IsNaN(x) {
			codes[f] = s.features[f].Regular
		}
	}
	sums, want := make([]float64, outputs), make([]float64, outputs)
	for k := range sums {
		sums[k] = r.NormFloat64()
		want[k] = sums[k]
	}
	for i := range s.trees {
		want[i%outputs] += s.trees[i].Leaf[s.trees[i].LeafIndex(s.features, codes)]
	}
	s.row.Add(set, values, sums)
	for k := range want {
		if math.Float64bits(sums[k]) != math.Float64bits(want[k]) {
			t.Fatalf("%d trees, %d features, values %v: output %d is %v, want %v", len(s.trees), len(s.features), values, k, sums[k], want[k])
		}
	}
}

// everySet runs a test in Go, which says what vectors do, and with each instruction set.
func everySet(t *testing.T, test func(t *testing.T, set cpu.Level)) {
	t.Helper()
	for _, set := range []cpu.Level{cpu.Generic, cpu.AVX2, cpu.AVX512} {
		t.Run(set.String(), func(t *testing.T) {
			testenv.Vectors(t, set)
			test(t, set)
		})
	}
}

func TestRowEqualsReferenceWalk(t *testing.T) {
	everySet(t, func(t *testing.T, set cpu.Level) {
		r := rand.New(rand.NewPCG(11, 0))
		for try := range 200 {
			features, outputs := 1+r.IntN([]int{32, 128}[try/2%2]), 1+r.IntN(3)
			s := newRowScene(t, r, features, r.IntN([]int{50, 300}[try/4%2]), []int{1, 2, 31, 32, 100}[r.IntN(5)], outputs)
			values := make([]float64, features)
			if try/8%2 == 0 {
				values = make([]float64, features+3)
				s.scatter(t, r, 3, outputs)
			}
			for range 10 {
				s.draw(r, values, try%2 == 0)
				s.check(t, set, r, values, outputs)
			}
		}
	})
}

// Features fill tables, and one more: nodes of all of them in each lane.
func TestRowOfManyFeatures(t *testing.T) {
	everySet(t, func(t *testing.T, set cpu.Level) {
		r := rand.New(rand.NewPCG(14, 0))
		for _, features := range []int{1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128} {
			for _, missing := range []bool{false, true} {
				s := newRowScene(t, r, features, 200, 32, 1)
				values := make([]float64, features)
				for range 50 {
					s.draw(r, values, missing)
					s.check(t, set, r, values, 1)
				}
			}
		}
	})
}

// The last place that a byte can name, and as many trees as fill groups, and one more.
func TestRowOfManyLeaves(t *testing.T) {
	everySet(t, func(t *testing.T, set cpu.Level) {
		r := rand.New(rand.NewPCG(13, 0))
		for _, trees := range []int{1, 63, 64, 65, 128, 129} {
			s := newRowScene(t, r, 128, trees, 1, 1)
			for i := range s.trees {
				one := &scene{features: s.features}
				one.grow(r, []int{256, 255, 1}[i%3])
				s.trees[i] = one.tree
			}
			s.compile(t, 1)
			values := make([]float64, 128)
			for range 20 {
				s.draw(r, values, true)
				s.check(t, set, r, values, 1)
			}
		}
	})
}

func TestRowAllocatesNothing(t *testing.T) {
	everySet(t, func(t *testing.T, set cpu.Level) {
		r := rand.New(rand.NewPCG(12, 0))
		for _, others := range []int{0, 3} {
			s := newRowScene(t, r, 28, 100, 31, 1)
			if others > 0 {
				s.scatter(t, r, others, 1)
			}
			values, sums := make([]float64, 28+others), make([]float64, 1)
			s.draw(r, values, true)
			if n := testing.AllocsPerRun(100, func() { s.row.Add(set, values, sums) }); n != 0 {
				t.Errorf("a row among %d other values allocates %v times", others, n)
			}
		}
	})
}

// Where a Row cannot be made the caller has to know.
func TestNoRow(t *testing.T) {
	var many, sets predict.Tree
	many.Reset(make([]float64, 257))
	sets.Reset([]float64{0, 1})
	sets.Categorical(0, []uint32{1}, 3, false, ^0, ^1)
	// A comb of 255 nodes, each with a cut of its own.
	var comb predict.Tree
	comb.Reset(make([]float64, 256))
	for n := range int32(255) {
		right := n + 1
		if n == 254 {
			right = ^255
		}
		comb.Numeric(0, uint32(n), 300, false, ^n, right)
	}
	cuts := make([]float64, 299)
	for i := range cuts {
		cuts[i] = float64(i)
	}
	for name, c := range map[string]struct {
		features []predict.RowFeature
		trees    []predict.Tree
	}{
		"257 leaves":   {nil, []predict.Tree{many}},
		"categories":   {make([]predict.RowFeature, 1), []predict.Tree{sets}},
		"129 features": {make([]predict.RowFeature, 129), nil},
		"255 cuts":     {[]predict.RowFeature{{Cuts: cuts}}, []predict.Tree{comb}},
	} {
		if _, ok := predict.NewRow(c.features, c.trees, 1); ok {
			t.Errorf("a Row of %s", name)
		}
	}
}
