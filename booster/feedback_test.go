package booster_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/benchmarks/accuracy"
	"boost/benchmarks/compression"
	"boost/booster"
	"boost/internal/testenv"
	"boost/parallel"
	"boost/ptq"
	"boost/ptq/compress"
)

// Q4_0 on real sets, and 5 and 3 bits under BOOST_SOAK, with errors pushed forward over the training rows and in
// training: the mean change of the loss on test rows is lower than without.
func TestErrorFeedback(t *testing.T) {
	testenv.Unraced(t)
	folder := os.Getenv("BOOST_SHARED")
	switch {
	case folder == "":
		t.Skip("BOOST_SHARED is not set: the real data sets are not here")
	case testing.Short():
		t.Skip("six real sets, each trained twice")
	}
	ways := []string{compression.NoFeedback, compression.ByRows, compression.ByHessian, compression.InTraining}
	mean := map[string]float64{}
	sets, err := accuracy.Sets(filepath.Join(folder, "data"), "ames_housing", "california_housing", "diamonds", "adult", "spambase", "protein_casp")
	if err != nil {
		t.Fatal(err)
	}
	forms := []ptq.Form{ptq.FormQ4_0}
	if os.Getenv("BOOST_SOAK") != "" {
		forms = compression.FedBack // of the others it is only shown
	}
	for _, set := range sets {
		m, err := compression.New(context.Background(), set, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range forms {
			figures, err := m.Feedback(context.Background(), form, ways...)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range figures {
				t.Logf("%s, %s: loss %+.3f %%", set.Name, f.Way, 100*f.Change)
				mean[f.Way] += f.Change / float64(len(sets))
			}
		}
	}
	for _, form := range forms {
		t.Run("S4.27/"+form.String(), func(t *testing.T) {
			without := mean[form.String()+" "+compression.NoFeedback]
			for _, way := range ways[1:] {
				with := mean[form.String()+" "+way]
				t.Logf("%s: mean %+.3f %%, without feedback %+.3f %%", way, 100*with, 100*without)
				if form == ptq.FormQ4_0 && with >= without {
					t.Errorf("%s: mean loss %+.3f %%, without feedback %+.3f %%", way, 100*with, 100*without)
				}
			}
		})
	}
}

// With feedback off, a data type changes nothing in training; with it on, the leaves are what the
// type holds, whatever the threads, and the model says so.
func TestFeedbackInTraining(t *testing.T) {
	testenv.Unraced(t)
	table := openShipped(t, "adult")
	p := booster.Defaults()
	p.Objective, p.Rounds = "binary", 6
	want := hash(t, p, table)
	for _, form := range ptq.Forms() {
		t.Run("S4.37/"+form.String(), func(t *testing.T) {
			off := p
			off.QuantizeDType = form.String()
			if got := hash(t, off, table); got != want {
				t.Errorf("with feedback off the model is %s, want %s", got, want)
			}
		})
		if d, typed := form.DType(); typed && d != ptq.I8 && d != ptq.F64 && d != ptq.U4 {
			continue
		}
		t.Run("S4.27/"+form.String(), func(t *testing.T) {
			on := p
			on.QuantizeDType, on.ErrorFeedback = strings.ToLower(form.String()), true
			m := train(t, on, table)
			for i, tree := range m.Contents().Trees {
				stored, err := ptq.Encode(form, ptq.Calibration{}, tree.Leaf, nil)
				if err != nil {
					t.Fatal(err)
				}
				e, err := stored.Measure(tree.Leaf, nil)
				if err != nil {
					t.Fatal(err)
				}
				// A scale that is found again may differ in its last place of float32.
				if most := slices.Max(tree.Leaf); e.Max > 1e-6*max(most, -slices.Min(tree.Leaf)) {
					t.Fatalf("tree %d: leaves %v are not what %s holds", i, tree.Leaf, form)
				}
			}
			if same := slices.Equal(m.Leaves(), train(t, p, table).Leaves()); same != (form == ptq.FormOf(ptq.F64)) {
				t.Errorf("leaves as without feedback: %v", same)
			}
			pool := parallel.NewPool(3)
			defer pool.Close()
			if again := train(t, on, table, booster.WithPool(pool)); !slices.Equal(again.Leaves(), m.Leaves()) {
				t.Error("3 threads: other leaves")
			}
			var kept map[string]any
			if err := json.Unmarshal(m.Contents().Params, &kept); err != nil || kept["quantize.dtype"] != form.String() || kept["quantize.error_feedback"] != true {
				t.Errorf("the model keeps %v, %v: %v", kept["quantize.dtype"], kept["quantize.error_feedback"], err)
			}
			back, err := booster.ParamsOf(m)
			if err != nil || back.QuantizeDType != form.String() || !back.ErrorFeedback {
				t.Errorf("read back: %+v, %v", back, err)
			}
		})
	}
	for _, c := range []struct {
		dtype string
		on    bool
		want  string
	}{{"", true, "set quantize.dtype"}, {"Q5", true, `quantize.dtype = "Q5"`}, {"Q5", false, `quantize.dtype = "Q5"`}} {
		bad := p
		bad.QuantizeDType, bad.ErrorFeedback = c.dtype, c.on
		if err := bad.Validate(); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q, %v: %v", c.dtype, c.on, err)
		}
	}
	both := p
	both.QuantizeDType, both.ErrorFeedback = "I8", true
	if _, err := booster.Train(t.Context(), both, table, booster.StoreLeaves(func(int, []float64) error { return nil })); !errors.Is(err, booster.ErrParams) {
		t.Errorf("two ways to store: %v", err)
	}
	stop := errors.New("stop")
	if _, err := booster.Train(t.Context(), p, table, booster.StoreLeaves(func(int, []float64) error { return stop })); !errors.Is(err, stop) {
		t.Errorf("an error of the caller's: %v", err)
	}
}

// On all rows of real sets, raw scores move by no more than the bound that needs no data.
func TestBoundOfRealModels(t *testing.T) {
	testenv.Unraced(t)
	for _, set := range shipped {
		t.Run("S3.60/"+set.name, func(t *testing.T) {
			table := openShipped(t, set.name)
			p := booster.Defaults()
			p.Objective, p.Rounds = set.objective, 20
			m := train(t, p, table)
			before, err := m.PredictRaw(t.Context(), table)
			if err != nil {
				t.Fatal(err)
			}
			tensor, err := compress.Open(m)
			if err != nil {
				t.Fatal(err)
			}
			for _, form := range ptq.Forms() {
				l, err := tensor.Morph(form, compress.Calibration{})
				if err != nil {
					t.Fatal(err)
				}
				out, err := l.Apply(m)
				if err != nil {
					t.Fatal(err)
				}
				after, err := out.PredictRaw(t.Context(), table)
				if err != nil {
					t.Fatal(err)
				}
				for i, v := range after {
					k := i % m.Outputs()
					d := max(v-before[i], before[i]-v)
					if bound := l.ScoreBound(k, m.Contents().BaseScore[k]); d > bound {
						t.Fatalf("%s: the score of row %d moves by %v, bound %v", form, i/m.Outputs(), d, bound)
					}
				}
			}
		})
	}
}
