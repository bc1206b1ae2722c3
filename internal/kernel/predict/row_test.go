package predict_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/cpu"
	"boost/internal/kernel/predict"
	"boost/internal/need"
	"boost/tree"
)

// rowScene is random trees over numeric features with cuts.
type rowScene struct {
	cuts     [][]float64
	features []tree.Feature
	trees    []tree.Tree
	row      *predict.Row
}

func newRowScene(t *testing.T, r *rand.Rand, features, trees, outputs int) *rowScene {
	t.Helper()
	s := &rowScene{}
	var of []predict.RowFeature
	for f := range features {
		cuts := make([]float64, r.IntN([]int{1, 17, 256}[r.IntN(3)]))
		for i := range cuts {
			cuts[i] = math.Round(r.NormFloat64()*100) / 8
		}
		slices.Sort(cuts)
		cuts = slices.Compact(cuts)
		s.cuts = append(s.cuts, cuts)
		s.features = append(s.features, tree.Feature{Regular: uint32(len(cuts)) + 1})
		of = append(of, predict.RowFeature{Index: int32(f), Cuts: cuts})
	}
	compiled := make([]predict.Tree, trees)
	for i := range compiled {
		one := &scene{features: s.features}
		one.grow(r, 1+r.IntN(1+31*(trees%3)/2))
		s.trees = append(s.trees, one.tree)
		compiled[i] = *one.compile()
	}
	var ok bool
	if s.row, ok = predict.NewRow(of, compiled, outputs); !ok {
		t.Fatal("no Row")
	}
	return s
}

// draw writes values on, beside and between the cuts.
func (s *rowScene) draw(r *rand.Rand, values []float64, missing bool) {
	for f := range values {
		values[f] = r.NormFloat64() * 12
		if n := len(s.cuts[f]); n > 0 && r.IntN(2) == 0 {
			cut := s.cuts[f][r.IntN(n)]
			values[f] = []float64{cut, math.Nextafter(cut, 1e9), math.Nextafter(cut, -1e9), math.Copysign(0, -1), math.Inf(1), math.Inf(-1)}[r.IntN(6)]
		}
		if missing && r.IntN(4) == 0 {
			values[f] = math.NaN()
		}
	}
}

func (s *rowScene) check(t *testing.T, r *rand.Rand, values []float64, outputs int) {
	t.Helper()
	codes := make([]uint32, len(values))
	for f, x := range values {
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
	s.row.Add(values, sums)
	for k := range want {
		if math.Float64bits(sums[k]) != math.Float64bits(want[k]) {
			t.Fatalf("%d trees, %d features, values %v: output %d is %v, want %v", len(s.trees), len(s.features), values, k, sums[k], want[k])
		}
	}
}

// everyRowLevel runs a test where Rows are made: in vectors, and in Go, which says what
// vectors do.
func everyRowLevel(t *testing.T, test func(t *testing.T, inGo func(bool))) {
	t.Helper()
	need.Vectors(t, cpu.AVX512)
	defer predict.UseLevel("avx512")
	for _, level := range []string{"generic", "avx512"} {
		t.Run(level, func(t *testing.T) {
			test(t, func(in bool) {
				predict.UseLevel("avx512")
				if in {
					predict.UseLevel(level)
				}
			})
		})
	}
}

func TestRowEqualsReferenceWalk(t *testing.T) {
	everyRowLevel(t, func(t *testing.T, own func(bool)) {
		r := rand.New(rand.NewPCG(11, 0))
		for try := range 200 {
			features, outputs := 1+r.IntN(32), 1+r.IntN(3)
			own(false)
			s := newRowScene(t, r, features, r.IntN(50), outputs)
			own(true)
			values := make([]float64, features)
			for range 20 {
				s.draw(r, values, try%2 == 0)
				s.check(t, r, values, outputs)
			}
		}
	})
}

func TestRowAllocatesNothing(t *testing.T) {
	everyRowLevel(t, func(t *testing.T, own func(bool)) {
		r := rand.New(rand.NewPCG(12, 0))
		own(false)
		s := newRowScene(t, r, 28, 100, 1)
		own(true)
		values, sums := make([]float64, 28), make([]float64, 1)
		s.draw(r, values, true)
		if n := testing.AllocsPerRun(100, func() { s.row.Add(values, sums) }); n != 0 {
			t.Errorf("a row allocates %v times", n)
		}
	})
}

// Where a Row cannot be made the caller has to know.
func TestNoRow(t *testing.T) {
	var many, sets predict.Tree
	many.Reset(make([]float64, 33))
	sets.Reset([]float64{0, 1})
	sets.Categorical(0, []uint32{1}, 3, false, ^0, ^1)
	for name, c := range map[string]struct {
		features []predict.RowFeature
		trees    []predict.Tree
	}{
		"33 leaves":   {nil, []predict.Tree{many}},
		"categories":  {make([]predict.RowFeature, 1), []predict.Tree{sets}},
		"33 features": {make([]predict.RowFeature, 33), nil},
		"256 cuts":    {[]predict.RowFeature{{Cuts: make([]float64, 256)}}, nil},
	} {
		if _, ok := predict.NewRow(c.features, c.trees, 1); ok {
			t.Errorf("a Row of %s", name)
		}
	}
}
