package compress_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"boost/booster/model"
	"boost/ptq"
	"boost/ptq/compress"
)

func morph(t testing.TB, m *model.Model, form ptq.Form, c compress.Calibration) *compress.Leaves {
	t.Helper()
	l, err := compress.MorphModel(m, form, c)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func stored(l *compress.Leaves) []float64 {
	values := make([]float64, l.Values.Len())
	l.Values.DecodeRange(values, 0)
	return values
}

// By hand: with 1.27 the largest, I8 has a scale of 0.01 for the model; trees of their own
// have those of their largest leaf over 127.
func TestMorphByHand(t *testing.T) {
	i8 := ptq.FormOf(ptq.I8)
	m := forest(t, 1, []float64{-1.27, 0.634}, []float64{0.006, 0.0127}, []float64{0})
	for _, c := range []struct {
		by                    compress.Granularity
		values, trees, scales []float64
	}{
		{compress.ByModel, []float64{-1.27, 0.63, 0.01, 0.01, 0}, []float64{0.004, 0.004, 0}, []float64{0.01}},
		{compress.ByOutput, []float64{-1.27, 0.63, 0.01, 0.01, 0}, []float64{0.004, 0.004, 0}, []float64{0.01}},
		{compress.ByTree, []float64{-1.27, 0.63, 0.006, 0.0127, 0}, []float64{0.004, 0, 0}, []float64{0.01, 0.0001, 0}},
		{compress.ByBlock, []float64{-1.27, 0.63, 0.006, 0.0127, 0}, []float64{0.004, 0, 0}, []float64{0.01, 0.0001, 0}},
	} {
		t.Run("S4.20/"+c.by.String(), func(t *testing.T) {
			l := morph(t, m, i8, compress.Calibration{By: c.by})
			near(t, "leaves", stored(l), c.values)
			near(t, "errors of the trees", l.Trees, c.trees)
			near(t, "scales", l.Values.(*ptq.Version).Scales(), c.scales)
			near(t, "bound", l.Bound, []float64{c.trees[0] + c.trees[1]})
			if want := int64(5 + 8*len(c.scales)); l.Bytes() != want {
				t.Errorf("%d bytes, want %d", l.Bytes(), want)
			}
			out, err := l.Apply(m)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(out.Leaves(), stored(l)) {
				t.Errorf("the model has leaves %v", out.Leaves())
			}
		})
	}
}

// A prediction reads the version that GetActive names: eight bits of these leaves have the step
// 1.27/127 = 0.01, and after a refit of 2.54 to -2.54 the step 0.02.
func TestPredictActive(t *testing.T) {
	m := forest(t, 1, []float64{-1.27, 0.634}, []float64{0.006, 0.0127})
	tensor, err := compress.Open(m)
	if err != nil {
		t.Fatal(err)
	}
	predict := func(missing ptq.Missing) []float64 {
		t.Helper()
		a, err := tensor.Store().GetActive(ptq.I8, ptq.Calibration{}, missing)
		if err != nil {
			t.Fatal(err)
		}
		values := make([]float64, a.Version.Len())
		a.Version.DecodeRange(values, 0)
		read, err := m.WithLeaves(values)
		if err != nil {
			t.Fatal(err)
		}
		var low, high [1]float64
		read.PredictValuesRaw([]float64{-1e9}, low[:])
		read.PredictValuesRaw([]float64{1e9}, high[:])
		return []float64{low[0], high[0]}
	}
	t.Run("S4.31/predictions", func(t *testing.T) {
		near(t, "the master, as nothing else is there", predict(ptq.Auto), []float64{-1.27 + 0.006, 0.634 + 0.0127})
		near(t, "made first", predict(ptq.Make), []float64{-1.27 + 0.01, 0.63 + 0.01})
		near(t, "there now", predict(ptq.Auto), []float64{-1.27 + 0.01, 0.63 + 0.01})
		if err := tensor.Store().SetMaster([]float64{-2.54, 0.634, 0.006, 0.0127}, nil); err != nil {
			t.Fatal(err)
		}
		near(t, "after a refit", predict(ptq.Make), []float64{-2.54, 0.64 + 0.02})
	})
}

// Outputs have scales of their own, however many trees they have.
func TestMorphByOutput(t *testing.T) {
	m := forest(t, 3, []float64{1, 0.5}, []float64{10}, []float64{100, 99}, []float64{-1.27, 0.1}, []float64{12.7}, []float64{127, 1})
	l := morph(t, m, ptq.FormOf(ptq.I8), compress.Calibration{By: compress.ByOutput})
	near(t, "scales", l.Values.(*ptq.Version).Scales(), []float64{0.01, 0.1, 1})
	near(t, "leaves", stored(l), []float64{1, 0.5, 10, 100, 99, -1.27, 0.1, 12.7, 127, 1})
	if len(l.Bound) != 3 {
		t.Errorf("bounds %v of 3 outputs", l.Bound)
	}
}

func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
		return
	}
	for i := range got {
		if math.Abs(got[i]-want[i]) > 1e-12 {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}

// Every form keeps a whole model, the scales of blocks of a tree its own: dropping the other
// trees changes none of its bytes (S4.26).
func TestMorphEveryForm(t *testing.T) {
	trees := append(drawn(3, 40, 31), drawn(4, 3, 1)...)
	trees = append(trees, drawn(5, 2, 130)...)
	m := forest(t, 1, trees...)
	before, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range ptq.Forms() {
		t.Run("S4.20/"+form.String(), func(t *testing.T) {
			c := compress.Calibration{}
			if _, typed := form.DType(); typed {
				c.By = compress.ByBlock
			}
			l := morph(t, m, form, c)
			if l.Values.Form() != form || l.Values.Len() != len(m.Leaves()) || len(l.Trees) != len(trees) {
				t.Fatalf("%d values in %s, errors of %d trees", l.Values.Len(), l.Values.Form(), len(l.Trees))
			}
			got, first := stored(l), 0
			for i, leaves := range trees {
				worst := 0.0
				for k, v := range leaves {
					worst = max(worst, math.Abs(v-got[first+k]))
				}
				if e := l.Trees[i]; e < worst || e > worst*(1+1e-15) {
					t.Errorf("tree %d: error %v, want %v", i, e, worst)
				}
				first += len(leaves)
			}
			t.Run("S4.26/a_tree_by_itself", func(t *testing.T) {
				alone := morph(t, forest(t, 1, trees[7]), form, c)
				if from := 7 * 31; !slices.Equal(stored(alone), got[from:from+31]) {
					t.Error("it has other leaves")
				}
			})
		})
	}
	if after, err := m.Encode(); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the model has changed: %v", err)
	}
}

// What is there is not made again (S4.17), whoever asks.
func TestMorphSkipsWhatExists(t *testing.T) {
	t.Run("S4.20/skips_what_exists", checkMorphSkipsWhatExists)
}

func checkMorphSkipsWhatExists(t *testing.T) {
	m := forest(t, 1, drawn(6, 20, 31)...)
	tensor, err := compress.Open(m)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for _, form := range ptq.Forms() {
				first, err := tensor.Morph(form, compress.Calibration{})
				again, err2 := tensor.Morph(form, compress.Calibration{})
				if err != nil || err2 != nil || first != again {
					t.Errorf("%s: made twice, or %v, %v", form, err, err2)
				}
			}
		})
	}
	wait.Wait()
	if n := len(ptq.Forms()); tensor.Made() != n {
		t.Errorf("S4.20/made %d times for %d forms", tensor.Made(), n)
	}
	a, err := tensor.Morph(ptq.FormOf(ptq.I8), compress.Calibration{By: compress.ByTree})
	if err != nil {
		t.Fatal(err)
	}
	b, err := tensor.Morph(ptq.FormOf(ptq.I8), compress.Calibration{Method: ptq.AbsMax, By: compress.ByTree})
	if err != nil || a != b {
		t.Errorf("S4.20/the default by its name is made again: %v", err)
	}
	// Blocks that are there are not what a calibration asks for.
	if l, err := tensor.Morph(ptq.FormWarm, compress.Calibration{Method: ptq.MSE}); !errors.As(err, new(ptq.ErrCalibration)) {
		t.Errorf("S4.20/blocks by another calibration: %v, %v", l, err)
	}
	if tensor.Store().Made() != 22-1 { // F64 is the master itself, I8 is there twice
		t.Errorf("S4.20/the store has made %d versions", tensor.Store().Made())
	}
}

// Models of no trees, of single leaves and of zeros have leaves in every form; values beyond a
// form are refused with the place of the first.
func TestMorphHostile(t *testing.T) {
	for name, m := range map[string]*model.Model{
		"no trees": forest(t, 1), "no trees, 3 outputs": forest(t, 3), "one leaf": forest(t, 1, []float64{0.25}),
		"zeros": forest(t, 2, []float64{0, 0, 0}, []float64{0}),
	} {
		for _, form := range ptq.Forms() {
			for _, by := range []compress.Granularity{compress.ByModel, compress.ByOutput, compress.ByTree, compress.ByBlock} {
				if _, typed := form.DType(); !typed && by != compress.ByOutput {
					continue
				}
				l := morph(t, m, form, compress.Calibration{By: by})
				out, err := l.Apply(m)
				if err != nil {
					t.Fatalf("%s, %s: %v", name, form, err)
				}
				if len(l.Trees) != m.NumTrees() || len(l.Bound) != m.Outputs() {
					t.Errorf("%s, %s: errors %v, bounds %v", name, form, l.Trees, l.Bound)
				}
				if zeros := strings.HasPrefix(name, "zeros") || m.NumTrees() == 0; zeros && !slices.Equal(out.Leaves(), m.Leaves()) {
					t.Errorf("%s, %s: leaves %v", name, form, out.Leaves())
				}
				for k, bound := range l.Bound {
					if s := l.ScoreBound(k, 0); s < bound || bound < 0 {
						t.Errorf("%s, %s: bounds %v and %v", name, form, bound, s)
					}
				}
			}
		}
	}
	large := forest(t, 2, []float64{1}, []float64{2, 3}, []float64{1, -1e39}, []float64{1})
	for _, form := range []ptq.Form{ptq.FormOf(ptq.F32), ptq.FormOf(ptq.F16), ptq.FormOf(ptq.BF16), ptq.FormQ4_0, ptq.FormWarm, ptq.FormCold2} {
		_, err := compress.MorphModel(large, form, compress.Calibration{})
		var overflow ptq.ErrOverflow
		if !errors.As(err, &overflow) || overflow.Index != 4 || !strings.HasPrefix(err.Error(), "tree 2 (round 1, output 0), leaf 1: ") {
			t.Errorf("%s of 1e39: %v", form, err)
		}
	}
	l := morph(t, large, ptq.FormOf(ptq.I8), compress.Calibration{By: compress.ByModel})
	if b := l.Bound[1]; !(b >= 3 && b <= 3+1e39/254) {
		t.Errorf("bound of output 1: %v", b)
	}
	huge := forest(t, 1, []float64{1e308, 1e300}, []float64{1e308, 3}, []float64{-1e308, 7e307})
	l = morph(t, huge, ptq.FormOf(ptq.Binary), compress.Calibration{})
	if s := l.ScoreBound(0, 0); !math.IsInf(s, 1) {
		t.Errorf("sums beyond float64 are bound by %v", s)
	}
	for _, c := range []compress.Calibration{{By: 9}, {Method: ptq.Percentile}, {Method: ptq.Given}, {By: compress.ByTree, Method: ptq.MSE}} {
		for _, form := range []ptq.Form{ptq.FormQ4_0, ptq.FormCold} {
			var refused ptq.ErrCalibration
			if _, err := compress.MorphModel(huge, form, c); !errors.As(err, &refused) {
				t.Errorf("%s with %+v: %v", form, c, err)
			}
		}
	}
	if _, err := compress.MorphModel(huge, ptq.Form(99), compress.Calibration{}); err == nil {
		t.Error("form 99 is none")
	}
	if _, err := l.Apply(forest(t, 1, []float64{1, 2})); err == nil || !strings.Contains(err.Error(), "another model") {
		t.Errorf("leaves of another model: %v", err)
	}
}

func TestGranularityNames(t *testing.T) {
	for _, name := range []string{"model", "output", "tree", "block"} {
		g, err := compress.ParseGranularity(strings.ToUpper(name))
		if err != nil || g.String() != name {
			t.Errorf("%s: %v, %v", name, g, err)
		}
	}
	var refused ptq.ErrCalibration
	if _, err := compress.ParseGranularity("trees"); !errors.As(err, &refused) || !strings.Contains(err.Error(), `did you mean "tree"`) {
		t.Errorf("trees: %v", err)
	}
}

// Covers, and the rows of a table, weigh leaves: mse gives way where rows are few.
func TestWeights(t *testing.T) {
	m := forest(t, 1, []float64{1, 0.3, -0.4})
	covers, err := compress.CoverWeights(m)
	if err != nil {
		t.Fatal(err)
	}
	hits, err := compress.HitWeights(t.Context(), m, column(t, []float64{0, 1, 1, 2, 2, 9}, nil))
	if err != nil {
		t.Fatal(err)
	}
	for name, w := range map[string][]float64{"covers": covers, "hits": hits} {
		if want := []float64{1, 2, 3}; !slices.Equal(w, want) { // either way
			t.Errorf("%s: weights %v, want %v", name, w, want)
		}
		got := morph(t, m, ptq.FormOf(ptq.I2), compress.Calibration{Method: ptq.MSE, Weights: w})
		plain := morph(t, m, ptq.FormOf(ptq.I2), compress.Calibration{Method: ptq.MSE})
		if slices.Equal(stored(got), stored(plain)) {
			t.Errorf("%s: leaves %v, as without weights", name, stored(got))
		}
	}
	c := *m.Contents()
	c.Trees = slices.Clone(c.Trees)
	c.Trees[0].LeafCover = nil
	if bare, err := model.New(c); err == nil {
		if _, err := compress.CoverWeights(bare); err == nil {
			t.Error("weights without covers")
		}
	}
}

// BenchmarkMorphModel keeps 1,000 trees of 31 leaves in each form in 5 ms or less (S4.20).
func BenchmarkMorphModel(b *testing.B) {
	m := forest(b, 1, drawn(1, 1000, 31)...)
	for _, form := range ptq.Forms() {
		b.Run("S4.20/"+form.String(), func(b *testing.B) {
			for b.Loop() {
				morph(b, m, form, compress.Calibration{})
			}
			if ms := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / 1e6; ms > 5 {
				b.Errorf("%.2f ms for 1,000 trees of 31 leaves: 5 are allowed", ms)
			}
		})
	}
}
