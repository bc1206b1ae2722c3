package compress_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/testenv"
	"boost/objectives/metrics"
	"boost/parallel"
	"boost/ptq"
	"boost/ptq/compress"
)

// task is a table of rows whose label depends on them, of a kind.
func task(tb testing.TB, kind string, seed uint64, rows int) *dataset.Table {
	tb.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	a, b, weight := make([]float64, rows), make([]float64, rows), make([]float64, rows)
	color := make([]string, rows)
	number, class := make([]float64, rows), make([]string, rows)
	for i := range rows {
		a[i], b[i] = math.Round(100*r.NormFloat64())/100, r.Float64()
		color[i] = []string{"red", "green", "blue", ""}[r.IntN(4)]
		if r.IntN(10) == 0 {
			b[i] = math.NaN()
		}
		weight[i] = float64(r.IntN(3))
		number[i] = a[i]*a[i] + float64(len(color[i])) + r.NormFloat64()
		classes := 2
		if kind == "multiclass" {
			classes = 3
		}
		class[i] = []string{"no", "yes", "maybe"}[min(int(max(number[i]/2, 0)), classes-1)]
	}
	var label any = class
	if kind == "regression" {
		label = number
	}
	t, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "a", Values: a}, {Name: "b", Values: b}, {Name: "color", Values: color},
		{Name: "weight", Values: weight}, {Name: "y", Values: label},
	}, dataset.Label("y"), dataset.Weight("weight"))
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func trained(tb testing.TB, kind string, t *dataset.Table, rounds int) *model.Model {
	tb.Helper()
	p := booster.Defaults()
	p.Objective, p.Rounds = kind, rounds
	m, err := booster.Train(context.Background(), p, t)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

var kinds = []string{"regression", "binary", "multiclass"}

// The certificate is what anybody finds who takes the half of the rows that certifies: metrics
// before and after, and the largest differences. No raw score of any row moves by more than the
// bound that needs no data.
func TestCertificate(t *testing.T) {
	ctx := context.Background()
	for _, kind := range kinds {
		m := trained(t, kind, task(t, kind, 1, 3000), 30)
		data := task(t, kind, 2, 4000)
		for _, form := range []ptq.Form{ptq.FormQ4_0, ptq.FormOf(ptq.I8), ptq.FormOf(ptq.Binary), ptq.FormCold} {
			t.Run("S3.60/"+kind+"/"+form.String(), func(t *testing.T) {
				r, err := compress.Quantize(ctx, m, compress.Settings{Formats: []compress.Format{{Form: form}}, MaxLoss: math.NaN(), Data: data})
				if err != nil {
					t.Fatal(err)
				}
				c, err := compress.CertificateOf(r.Model)
				if err != nil {
					t.Fatal(err)
				}
				seen, unseen, err := compress.Halves(data)
				if err != nil {
					t.Fatal(err)
				}
				both := slices.Sorted(slices.Values(append(slices.Clone(seen), unseen...)))
				for i, row := range both {
					if int(row) != i {
						t.Fatalf("row %d is in both halves or in none", i)
					}
				}
				if share := float64(len(seen)) / 4000; len(both) != 4000 || share < 0.45 || share > 0.55 {
					t.Errorf("%d of %d rows to search on", len(seen), len(both))
				}
				rows := data.Take(unseen)
				for i, x := range []*model.Model{m, r.Model} {
					want := []float64{c.Before, c.After}[i]
					if got := metricOf(t, x, rows, c.Metric); got != want {
						t.Errorf("%s is %v, the certificate says %v", c.Metric, got, want)
					}
				}
				if c.Rows != len(unseen) || c.TrainingData || c.Data != fingerprint(data) || !(c.LossBound >= c.Loss()) || c.Confidence < 0.95 {
					t.Errorf("%+v", c)
				}
				// Differences on these rows, and the bound on all.
				if got := furthest(raw(t, m, rows), raw(t, r.Model, rows)); got != c.MaxRaw {
					t.Errorf("raw scores differ by %v, the certificate says %v", got, c.MaxRaw)
				}
				all, less := raw(t, m, data), raw(t, r.Model, data)
				outputs := m.Outputs()
				for k := range outputs {
					most := 0.0
					for row := range 4000 {
						most = max(most, math.Abs(all[row*outputs+k]-less[row*outputs+k]))
					}
					if most > c.RawBound[k]*(1+1e-12) || most < c.RawBound[k]/1e3 {
						t.Errorf("raw scores of output %d differ by up to %v, the bound is %v", k, most, c.RawBound[k])
					}
				}
			})
		}
	}
}

func fingerprint(t *dataset.Table) string {
	pool := parallel.NewPool(1)
	defer pool.Close()
	return t.Fingerprint(pool)
}

func furthest(a, b []float64) float64 {
	most := 0.0
	for i := range a {
		most = max(most, math.Abs(a[i]-b[i]))
	}
	return most
}

// metricOf evaluates a model with the metric alone.
func metricOf(t *testing.T, m *model.Model, rows *dataset.Table, name string) float64 {
	t.Helper()
	metric, err := metrics.New(name)
	if err != nil {
		t.Fatal(err)
	}
	values, err := m.Predict(context.Background(), rows)
	if err != nil {
		t.Fatal(err)
	}
	n, k := rows.NumRows(), m.Outputs()
	in := metrics.Input{Outputs: k, Values: make([]float64, n*k)}
	for row := range n {
		for output := range k {
			in.Values[output*n+row] = values[row*k+output]
		}
	}
	in.Raw = in.Values
	if c := m.Contents(); c.Classes != nil {
		in.Labels, err = rows.EncodeClasses(c.Classes, c.NumericClasses)
	} else {
		in.Labels, err = rows.NumericLabels()
	}
	if err != nil {
		t.Fatal(err)
	}
	if in.Weights, err = rows.Weights(); err != nil {
		t.Fatal(err)
	}
	return metric.Eval(in)
}

// The bound holds for rows that nobody has seen as often as it says: 40 models and tables, of
// which a bound of 95 % may fail for 6 or more with a probability of 1.4 % (binomial).
func TestLossBoundHolds(t *testing.T) {
	if testing.Short() {
		t.Skip("trains 40 models")
	}
	ctx := context.Background()
	failed := 0
	for seed := range uint64(40) {
		m := trained(t, "binary", task(t, "binary", 10+seed, 500), 10)
		r, err := compress.Quantize(ctx, m, compress.Settings{
			Formats: []compress.Format{{Form: ptq.FormCold}}, MaxLoss: math.NaN(), Data: task(t, "binary", 1000+seed, 1000),
		})
		if err != nil {
			t.Fatal(err)
		}
		rows := task(t, "binary", 5000+seed, 30_000)
		before, after := metricOf(t, m, rows, "logloss"), metricOf(t, r.Model, rows, "logloss")
		if (after-before)/before > r.Certificate.LossBound {
			failed++
		}
	}
	if failed >= 6 {
		t.Errorf("%d of 40 bounds of 95 %% do not hold", failed)
	}
}

func TestQuantizeBounds(t *testing.T) {
	ctx := context.Background()
	train := task(t, "binary", 1, 3000)
	m := trained(t, "binary", train, 20)
	data := task(t, "binary", 2, 3000)
	t.Run("max loss", func(t *testing.T) {
		for _, limit := range []float64{0.01, 0.001, 0.05}[:testenv.ByLength(3, 2, 1)] {
			r, err := compress.Quantize(ctx, m, compress.Settings{MaxLoss: limit, Data: data})
			if err != nil {
				t.Fatal(err)
			}
			if r.Certificate.LossBound > limit || r.Certificate.Confidence < 0.95 {
				t.Errorf("bound %v: %+v", limit, r.Certificate)
			}
			for _, c := range r.Candidates {
				if c.Bytes < r.Bytes && c.Bound <= limit && !c.Chosen {
					t.Logf("%s, smaller, did not pass the second half", c.Format)
				}
			}
		}
	})
	t.Run("max bytes", func(t *testing.T) {
		for _, d := range []*dataset.Table{nil, data} {
			r, err := compress.Quantize(ctx, m, compress.Settings{MaxBytes: 4500, MaxLoss: math.NaN(), Data: d})
			if err != nil {
				t.Fatal(err)
			}
			b, err := r.Model.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if len(b) > 4500 || int64(len(b)) != r.Bytes {
				t.Errorf("%d bytes, said to be %d, of 4,500", len(b), r.Bytes)
			}
			for _, c := range r.Candidates {
				better := c.Loss < loss(r)
				if d == nil {
					better = c.RawBound < slices.Max(r.Certificate.RawBound)
				}
				if c.Bytes+100 < 4500 && better && !c.Chosen {
					t.Errorf("%s fits and is better than what was chosen", c.Format)
				}
			}
		}
	})
	t.Run("nothing fits", func(t *testing.T) {
		var budget compress.ErrBudget
		if _, err := compress.Quantize(ctx, m, compress.Settings{MaxBytes: 500, MaxLoss: math.NaN()}); !errors.As(err, &budget) || len(budget.Candidates) == 0 {
			t.Errorf("500 bytes: %v", err)
		}
		if _, err := compress.Quantize(ctx, m, compress.Settings{
			MaxLoss: 0, Data: data, Formats: []compress.Format{{Form: ptq.FormOf(ptq.Binary)}}, Prune: compress.PruneOff,
		}); !errors.As(err, &budget) {
			t.Errorf("no loss in one bit: %v", err)
		}
	})
	t.Run("refused", func(t *testing.T) {
		small, err := compress.Quantize(ctx, m, compress.Settings{Formats: []compress.Format{{Form: ptq.FormQ4_0}}, MaxLoss: math.NaN()})
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			m    *model.Model
			s    compress.Settings
			want error
		}{
			"training data": {m, compress.Settings{MaxLoss: 0.01, Data: train}, compress.ErrTrainingData},
			"no data":       {m, compress.Settings{MaxLoss: 0.01}, compress.ErrNeedsData},
			"no choice":     {m, compress.Settings{MaxLoss: math.NaN()}, compress.ErrChoice},
			"compressed":    {small.Model, compress.Settings{MaxBytes: 9999, MaxLoss: math.NaN()}, compress.ErrCompressed},
		} {
			if _, err := compress.Quantize(ctx, c.m, c.s); !errors.Is(err, c.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := compress.Quantize(ctx, m, compress.Settings{MaxLoss: 0.01, Data: data.Take([]int32{3})}); err == nil {
			t.Error("one row was divided into two halves")
		}
		r, err := compress.Quantize(ctx, m, compress.Settings{MaxLoss: 0.5, Data: train, AllowTrainingData: true})
		if err != nil || !r.Certificate.TrainingData {
			t.Errorf("training data that are allowed: %+v, %v", r, err)
		}
	})
}

// loss is that of the chosen candidate on the rows of the search.
func loss(r *compress.Result) float64 {
	for _, c := range r.Candidates {
		if c.Chosen {
			return c.Loss
		}
	}
	return math.NaN()
}

// Threads do not show in what is chosen, nor in the bytes.
func TestQuantizeSameBytes(t *testing.T) {
	ctx := context.Background()
	for _, kind := range kinds {
		m := trained(t, kind, task(t, kind, 1, 2000), testenv.ByLength(15, 6, 6))
		data := task(t, kind, 2, 9000)
		var first []byte
		for _, threads := range []int{1, 5} {
			pool := parallel.NewPool(threads)
			r, err := compress.Quantize(ctx, m, compress.Settings{MaxLoss: 0.02, Data: data, Prune: compress.PruneOff}, compress.Pool(pool))
			pool.Close()
			if err != nil {
				t.Fatal(err)
			}
			b, err := r.Model.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = b
			} else if !bytes.Equal(b, first) {
				t.Errorf("%s: other bytes with %d threads", kind, threads)
			}
		}
	}
}

// A model without rounds, and one of single leaves, are compressed too.
func TestQuantizeHostile(t *testing.T) {
	ctx := context.Background()
	for _, m := range []*model.Model{forest(t, 1), forest(t, 1, []float64{0}), forest(t, 3, drawn(1, 6, 1)...), forest(t, 1, []float64{1e300, -1e300, 5e-324})} {
		for _, form := range ptq.Forms() {
			_, err := compress.Quantize(ctx, m, compress.Settings{Formats: []compress.Format{{Form: form}}, MaxLoss: math.NaN()})
			var overflow ptq.ErrOverflow
			if err != nil && !errors.As(err, &overflow) {
				t.Errorf("%d trees in %s: %v", m.NumTrees(), form, err)
			}
		}
		if _, err := compress.Quantize(ctx, m, compress.Settings{MaxBytes: 1 << 20, MaxLoss: math.NaN()}); err != nil {
			t.Errorf("%d trees: %v", m.NumTrees(), err)
		}
	}
}

// A form that changes no leaf leaves nothing to push forward: it is taken as it is.
func TestQuantizeExactFormWithFeedback(t *testing.T) {
	m := trained(t, "regression", task(t, "regression", 1, 1000), 5)
	r, err := compress.Quantize(context.Background(), m, compress.Settings{
		Formats: []compress.Format{{Form: ptq.FormOf(ptq.F64)}}, MaxLoss: math.NaN(), Data: task(t, "regression", 2, 500), Feedback: compress.FeedbackOn,
	})
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Certificate; c.Feedback || c.MaxRaw != 0 || c.Before != c.After {
		t.Errorf("the leaves of an exact form are certified as %+v", c)
	}
}

// Leaves that none of several forms can hold are an error, like those that the only one cannot.
func TestQuantizeBeyondEveryForm(t *testing.T) {
	m := forest(t, 1, []float64{1e300, -1e300})
	var overflow ptq.ErrOverflow
	_, err := compress.Quantize(context.Background(), m, compress.Settings{
		Formats: []compress.Format{{Form: ptq.FormOf(ptq.F16)}, {Form: ptq.FormOf(ptq.F32)}}, MaxBytes: 1 << 20, MaxLoss: math.NaN(),
	})
	if !errors.As(err, &overflow) {
		t.Errorf("got %v, want an overflow", err)
	}
}

// Steps so coarse that some sides of splits are equal: these splits go from the file, and no row, of
// missing values and unheard-of levels too, changes by a bit; the bound of raw scores is that of
// the leaves before. Without a bound to keep a form is what it says.
func TestQuantizeMergesEqualLeaves(t *testing.T) {
	for _, objective := range kinds {
		t.Run("S3.60/"+objective, func(t *testing.T) { checkMerges(t, objective) })
	}
}

func checkMerges(t *testing.T, objective string) {
	data, rows := mixed(t, objective, 2, 2000), anything(t, objective, 20_000)
	m := trained(t, objective, mixed(t, objective, 1, 4000), 20)
	largest := 0.0
	for _, v := range m.Leaves() {
		largest = max(largest, math.Abs(v))
	}
	format := compress.Format{Form: ptq.FormOf(ptq.I16), Calibration: compress.Calibration{Method: ptq.Given, Scale: largest / 5, By: compress.ByModel}}
	narrow, err := m.Narrowed(model.AllNames)
	if err != nil {
		t.Fatal(err)
	}
	seen, _, err := compress.Halves(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, feedback := range []compress.Feedback{compress.FeedbackOff, compress.FeedbackOn} {
		leaves, err := compress.MorphModel(narrow, format.Form, format.Calibration)
		if feedback == compress.FeedbackOn {
			leaves, err = compress.MorphWithFeedback(t.Context(), narrow, format.Form, format.Calibration, data.Take(seen), compress.ByHessian)
		}
		if err != nil {
			t.Fatal(err)
		}
		plain, err := leaves.Apply(narrow)
		if err != nil {
			t.Fatal(err)
		}
		want := raw(t, plain, rows)
		for name, maxLoss := range map[string]float64{"bounded": 1e9, "unbounded": math.NaN()} {
			r, err := compress.Quantize(t.Context(), m, compress.Settings{
				Formats: []compress.Format{format}, MaxLoss: maxLoss, Data: data, Feedback: feedback, Prune: compress.PruneOff, Statistics: true, KeepLevels: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			data, err := r.Model.Encode()
			if err != nil || int64(len(data)) != r.Bytes {
				t.Errorf("%s: %d bytes, said to be %d (%v)", name, len(data), r.Bytes, err)
			}
			small, err := model.Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(raw(t, small, rows), want) {
				t.Errorf("%s: other raw scores than those of its leaf values", name)
			}
			if !slices.Equal(r.Certificate.RawBound, leaves.Bound) {
				t.Errorf("%s: raw scores are said to change by %v at most, want %v", name, r.Certificate.RawBound, leaves.Bound)
			}
			n, before, chosen := len(small.Leaves()), len(m.Leaves()), r.Chosen()
			if chosen.Leaves != n || chosen.Leaves+chosen.Merged != before || chosen.Kept != 1 || r.Certificate.LeavesBefore != 0 {
				t.Errorf("%s: %d of %d leaves, and the candidate has %d, %d merged, %v kept", name, n, before, chosen.Leaves, chosen.Merged, chosen.Kept)
			}
			if merged := n < before; merged != (name == "bounded") {
				t.Errorf("%s: %d of %d leaves are left", name, n, before)
			}
			if small.Rounds() != m.Rounds() {
				t.Errorf("%s: %d rounds, want %d", name, small.Rounds(), m.Rounds())
			}
			// Covers of a tree are what its root had before, however many leaves share it.
			for i := range small.Contents().Trees {
				was, is := sum(m.Contents().Trees[i].LeafCover), sum(small.Contents().Trees[i].LeafCover)
				if !(math.Abs(is-was) <= 1e-6*was) {
					t.Errorf("%s: tree %d has covers of %v, want %v", name, i, is, was)
				}
			}
		}
	}
}

func sum(values []float64) (s float64) {
	for _, v := range values {
		s += v
	}
	return s
}
