package predict_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/cpu"
	"boost/internal/kernel/predict"
)

// codeScene is features of which trees use every cut.
type codeScene struct {
	cuts  [][]float64
	at    []int32 // where the values stand
	width int     // of the values
	row   *predict.Row
}

// newCodeScene makes features whose values stand behind each other, save for gaps.
func newCodeScene(t *testing.T, features int, gaps []int, single bool) *codeScene {
	t.Helper()
	s := &codeScene{}
	r := rand.New(rand.NewPCG(uint64(features), 15))
	sizes := []int{254, 0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100, 240, 253}
	for f := range features {
		s.width += gaps[f]
		s.at = append(s.at, int32(s.width))
		s.width++
		// Groups of few cuts too.
		n := sizes[f%len(sizes)]
		if f/16%3 == 1 {
			n = f % 3
		}
		s.cuts = append(s.cuts, hostileCuts(r, n, single))
	}
	s.compile(t)
	return s
}

// hostileCuts draws n cuts, at the ends of what a float32 can be and around 0 before others.
func hostileCuts(r *rand.Rand, n int, single bool) []float64 {
	cuts := []float64{0, 1, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, math.MaxFloat32, -math.MaxFloat32, 0x1p-126, -0x1p-126}
	if !single {
		cuts = append(cuts, 0.1, math.Nextafter(0.1, 1), math.Nextafter(1, 2), 1e300, -1e300, 1e-310, -1e-310, 5e-324, 1+0x1p-24, 1-0x1p-25)
	}
	r.Shuffle(len(cuts), func(i, j int) { cuts[i], cuts[j] = cuts[j], cuts[i] })
	cuts = cuts[:min(n, len(cuts))]
	for len(cuts) < n {
		if cut := float64(float32(r.NormFloat64())); !slices.Contains(cuts, cut) {
			cuts = append(cuts, cut)
		}
	}
	slices.Sort(cuts)
	return cuts
}

// compile makes the row of a tree for each feature that compares with all its cuts in turn.
func (s *codeScene) compile(t *testing.T) {
	t.Helper()
	var of []predict.RowFeature
	var trees []predict.Tree
	for f, cuts := range s.cuts {
		of = append(of, predict.RowFeature{Index: s.at[f], Cuts: cuts})
		var comb predict.Tree
		comb.Reset(make([]float64, len(cuts)+1))
		for n := range cuts {
			right := int32(n + 1)
			if n == len(cuts)-1 {
				right = ^int32(n + 1)
			}
			comb.Numeric(int32(f), uint32(n), uint32(len(cuts)+1), false, ^int32(n), right)
		}
		trees = append(trees, comb)
	}
	var ok bool
	if s.row, ok = predict.NewRow(of, trees, 1); !ok {
		t.Fatal("no Row")
	}
}

// probes are values on and beside a feature's cuts, and hostile ones.
func probes(cuts []float64) []float64 {
	up, down := math.Inf(1), math.Inf(-1)
	values := []float64{up, down, 0, math.Copysign(0, -1), 1e300, -1e300, 5e-324, -5e-324, 1e-310, -1e-310,
		math.MaxFloat64, -math.MaxFloat64, 0x1p128, -0x1p128, 0x1p-149, -0x1p-149, 0x1p-150, -0x1p-150}
	for _, x := range append(slices.Clone(values[2:]), cuts...) {
		values = append(values, x, math.Nextafter(x, up), math.Nextafter(x, down),
			float64(math.Nextafter32(float32(x), float32(up))), float64(math.Nextafter32(float32(x), float32(down))))
	}
	return values
}

// check compares codes with a search one cut after the other.
func (s *codeScene) check(t *testing.T, set cpu.Level, values []float64, codes []uint8) {
	t.Helper()
	missing := predict.Codes(s.row, set, values, (*[predict.RowFeatures]uint8)(codes))
	anyMissing := false
	for f, cuts := range s.cuts {
		x, want := values[s.at[f]], 0
		for _, cut := range cuts {
			if cut < x {
				want++
			}
		}
		if math.IsNaN(x) {
			want, anyMissing = 255, true
		}
		if int(codes[f]) != want {
			t.Fatalf("%d features: the code of %v among %d cuts, feature %d, is %d, want %d", len(s.cuts), x, len(cuts), f, codes[f], want)
		}
	}
	if missing != anyMissing {
		t.Fatalf("%d features: missing is %t, want %t", len(s.cuts), missing, anyMissing)
	}
}

func TestRowCodes(t *testing.T) {
	everySet(t, func(t *testing.T, set cpu.Level) {
		r := rand.New(rand.NewPCG(16, 0))
		for _, features := range []int{1, 15, 16, 17, 32, 33, 64, 65, 100, 128} {
			for _, single := range []bool{true, false} {
				gaps := make([]int, features)
				newCodeScene(t, features, gaps, single).checkProbes(t, set, r)
				gaps[0] = 5
				newCodeScene(t, features, gaps, single).checkProbes(t, set, r)
				for f := range gaps {
					gaps[f] = f % 3
				}
				newCodeScene(t, features, gaps, single).checkProbes(t, set, r)
				s := newCodeScene(t, features, gaps, single)
				r.Shuffle(features, func(i, j int) { s.at[i], s.at[j] = s.at[j], s.at[i] })
				s.compile(t)
				s.checkProbes(t, set, r)
			}
		}
	})
}

// checkProbes takes all probes of all features, each feature's in another order. In one of
// three rows a value may be missing; what no feature reads is NaN.
func (s *codeScene) checkProbes(t *testing.T, set cpu.Level, r *rand.Rand) {
	t.Helper()
	most, all := 0, make([][]float64, len(s.cuts))
	for f, cuts := range s.cuts {
		all[f] = probes(cuts)
		r.Shuffle(len(all[f]), func(i, j int) { all[f][i], all[f][j] = all[f][j], all[f][i] })
		most = max(most, len(all[f]))
	}
	values, codes := make([]float64, s.width), make([]uint8, predict.RowFeatures)
	for i := range values {
		values[i] = math.NaN()
	}
	for row := range most {
		for f, at := range s.at {
			values[at] = all[f][row%len(all[f])]
			if row%3 == 2 && r.IntN(len(s.at)) == 0 {
				values[at] = math.NaN()
			}
		}
		s.check(t, set, values, codes)
	}
}

// The stack of who asks for codes may move when they are searched, with the values on it.
func TestRowCodesOnAnyStack(t *testing.T) {
	everySet(t, func(t *testing.T, set cpu.Level) {
		for _, single := range []bool{true, false} {
			s := newCodeScene(t, 28, make([]int, 28), single)
			done := make(chan [predict.RowFeatures]uint8)
			want := onStack(s.row, set, 0)
			for depth := range 200 {
				go func() { done <- onStack(s.row, set, depth) }()
				if got := <-done; !slices.Equal(got[:28], want[:28]) {
					t.Fatalf("codes %d calls down are %v, want %v", depth, got[:28], want[:28])
				}
			}
		}
	})
}

// onStack makes the codes of values on the stack, so many calls down.
func onStack(row *predict.Row, set cpu.Level, depth int) (codes [predict.RowFeatures]uint8) {
	if depth > 0 {
		return onStack(row, set, depth-1)
	}
	var values [28]float64
	for i := range values {
		values[i] = float64(i-14) / 8
	}
	predict.Codes(row, set, values[:], &codes)
	return codes
}
