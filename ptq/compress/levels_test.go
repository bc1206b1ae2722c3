package compress_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"boost/booster/model"
	"boost/dataset"
	"boost/internal/heapsize"
	"boost/internal/testenv"
	"boost/parallel"
	"boost/ptq"
	"boost/ptq/compress"
)

// anything makes rows of what nobody has seen: numbers far from any, missing ones, levels that
// are known and unknown.
func anything(tb testing.TB, objective string, rows int) *dataset.Table {
	tb.Helper()
	r := rand.New(rand.NewPCG(5, 5))
	data := []dataset.ColumnData{}
	for _, name := range []string{"x0", "x1", "x2", "x3", "x4"} {
		values := make([]float64, rows)
		for i := range values {
			switch values[i] = 3 * r.NormFloat64(); r.IntN(6) {
			case 0:
				values[i] = math.NaN()
			case 1:
				values[i] *= 1e9
			}
		}
		data = append(data, dataset.ColumnData{Name: name, Values: values})
	}
	levels := make([]string, rows)
	for i := range levels {
		levels[i] = []string{"level 0", "level 1", "level 2", "level 3", "level 7", "level 11", "none such", ""}[r.IntN(8)]
	}
	t, err := dataset.FromColumns(append(data, dataset.ColumnData{Name: "c", Values: levels}))
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// A search that may prune finds a smaller model for the same loss. Its certificate is what the
// other half shows, its file says that it was pruned and of what, and no raw score of any row, seen or
// unheard of, is farther from the whole model's than the bound that needs no data.
func TestQuantizePruned(t *testing.T) {
	ctx := context.Background()
	for _, objective := range kinds {
		t.Run("S3.60/"+objective, func(t *testing.T) {
			m := trained(t, objective, mixed(t, objective, 1, 3000), 20)
			data := mixed(t, objective, 2, 3000)
			whole, err := compress.Quantize(ctx, m, compress.Settings{MaxLoss: 0.02, Data: data, Prune: compress.PruneOff})
			if err != nil {
				t.Fatal(err)
			}
			r, err := compress.Quantize(ctx, m, compress.Settings{MaxLoss: 0.02, Data: data})
			if err != nil {
				t.Fatal(err)
			}
			if r.Bytes > whole.Bytes*9/10 {
				t.Errorf("%d bytes, not pruned %d", r.Bytes, whole.Bytes)
			}
			before := len(m.Leaves())
			for _, c := range r.Candidates {
				// Some of the leaves that pruning left may be equal in few bits, and merged.
				kept := int(math.Round(c.Kept * float64(before)))
				if c.Kept != float64(kept)/float64(before) || c.Leaves > kept || strings.HasPrefix(c.Name(), "pruned to ") != (kept < before) {
					t.Errorf("%s has %d of %d leaves, said to be %v", c.Name(), c.Leaves, before, c.Kept)
				}
				if c.Chosen && (c.Kept == 1 || c.Leaves != len(r.Model.Leaves())) {
					t.Errorf("%s was chosen, the model has %d leaves", c.Name(), len(r.Model.Leaves()))
				}
			}
			b, err := r.Model.Encode()
			if err != nil {
				t.Fatal(err)
			}
			small, err := model.Decode(b)
			if err != nil {
				t.Fatal(err)
			}
			sum, err := m.SHA256()
			if err != nil {
				t.Fatal(err)
			}
			if o := small.Contents().Origin; o == nil || o.How != model.Pruned || o.Models[0] != sum || small.Compressed().Source != sum {
				t.Errorf("origin %+v", o)
			}
			c, err := compress.CertificateOf(small)
			if err != nil {
				t.Fatal(err)
			}
			_, unseen, err := compress.Halves(data)
			if err != nil {
				t.Fatal(err)
			}
			rows := data.Take(unseen)
			if c.LeavesBefore != before || c.Before != metricOf(t, m, rows, c.Metric) || c.After != metricOf(t, small, rows, c.Metric) || !(c.LossBound <= 0.02) {
				t.Errorf("%+v", c)
			}
			outputs := m.Outputs()
			for _, rows := range []*dataset.Table{data, anything(t, objective, 20_000)} {
				a, b := raw(t, m, rows), raw(t, small, rows)
				for k := range outputs {
					most := 0.0
					for at := k; at < len(a); at += outputs {
						most = max(most, math.Abs(a[at]-b[at]))
					}
					if most > c.RawBound[k]*(1+1e-12) || most < c.RawBound[k]/1e3 {
						t.Errorf("raw scores of output %d differ by up to %v, the bound is %v", k, most, c.RawBound[k])
					}
				}
			}
		})
	}
}

// Trees whose leaves add up to 1 and 3, and −8 and 8, of which a number in the base score is left. Scores
// were from 1 − 8 = −7 to 3 + 8 = 11, so they are off by up to the number's distance from these.
func TestPrunedBoundByHand(t *testing.T) {
	var trees [][]float64
	for range 32 {
		trees = append(trees, []float64{1.0 / 32, 3.0 / 32}, []float64{-0.25, 0.25, 0.25})
	}
	m := forest(t, 1, trees...)
	var x, y []float64
	for i := range 600 {
		x, y = append(x, float64(i%3)), append(y, []float64{-7, 11, 11}[i%3])
	}
	for i := range y {
		y[i] += float64(i%2) - 0.5 // the full model has a loss
	}
	r, err := compress.Quantize(context.Background(), m, compress.Settings{
		Formats: []compress.Format{{Form: ptq.FormOf(ptq.F64), Calibration: compress.Calibration{By: compress.ByModel}}},
		MaxLoss: 1e300, Data: column(t, x, y), Feedback: compress.FeedbackOff,
	})
	if err != nil {
		t.Fatal(err)
	}
	var base float64
	if c := r.Model.Contents(); c.BestRound == 0 {
		base = c.BaseScore[0]
	} else {
		t.Fatalf("%d rounds are left", c.BestRound)
	}
	if want := max(base+7, 11-base); math.Abs(r.Certificate.RawBound[0]-want) > 1e-9 {
		t.Errorf("base score %v: the bound is %v, want %v", base, r.Certificate.RawBound[0], want)
	}
}

// Pruned models of the size that is asked for lose less than coarser whole ones.
func TestQuantizePrunedBytes(t *testing.T) {
	ctx := context.Background()
	m := trained(t, "regression", mixed(t, "regression", 1, 4000), 40)
	s := compress.Settings{MaxBytes: 2600, MaxLoss: math.NaN(), Data: mixed(t, "regression", 2, 6000)}
	r, err := compress.Quantize(ctx, m, s)
	if err != nil {
		t.Fatal(err)
	}
	s.Prune = compress.PruneOff
	whole, err := compress.Quantize(ctx, m, s)
	var budget compress.ErrBudget
	if err != nil && !errors.As(err, &budget) {
		t.Fatal(err)
	}
	if r.Bytes > 2600 || err == nil && r.Certificate.After >= whole.Certificate.After {
		t.Errorf("%d bytes, %s %v, not pruned %+v", r.Bytes, r.Certificate.Metric, r.Certificate.After, whole)
	}
}

// Threads do not show in which pruned model is chosen, nor in its bytes.
func TestQuantizePrunedSameBytes(t *testing.T) {
	m := trained(t, "binary", mixed(t, "binary", 1, 3000), testenv.ByLength(20, 8, 8))
	data := mixed(t, "binary", 2, 9000)
	var first []byte
	for _, threads := range []int{1, 3} {
		pool := parallel.NewPool(threads)
		r, err := compress.Quantize(context.Background(), m, compress.Settings{MaxLoss: 0.03, Data: data}, compress.Pool(pool))
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
		}
		if !bytes.Equal(first, b) || r.Certificate.LeavesBefore == 0 {
			t.Errorf("other bytes with %d threads, or a model that was not pruned: %+v", threads, r.Certificate)
		}
	}
}

// Where no pruned model can be tried the result says why, and asking for them is an error.
func TestQuantizeNotPruned(t *testing.T) {
	ctx := context.Background()
	m := trained(t, "regression", mixed(t, "regression", 1, 1000), 5)
	data := mixed(t, "regression", 2, 2000)
	c := *m.Contents()
	c.Objective = "own"
	own, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	tail, err := m.Tail(1)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]float64, 2000)
	var x, y []float64
	for i := range ids {
		ids[i] = float64(i / 100) // 20 queries
		x, y = append(x, float64(i%7)), append(y, float64(i%5))
	}
	queries, err := dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: x}, {Name: "y", Values: y}, {Name: "q", Values: ids}}, dataset.Label("y"), dataset.Group("q"))
	if err != nil {
		t.Fatal(err)
	}
	form := []compress.Format{{Form: ptq.FormWarm}}
	for name, c := range map[string]struct {
		m    *model.Model
		s    compress.Settings
		says string
		told bool
	}{
		"no data":  {m, compress.Settings{MaxBytes: 1 << 20, MaxLoss: math.NaN()}, "--data", false},
		"no bound": {m, compress.Settings{Formats: form, MaxLoss: math.NaN(), Data: data}, "--max-loss", false},
		"own loss": {own, compress.Settings{MaxLoss: 0.5, Data: data}, `"own"`, true},
		"tail":     {tail, compress.Settings{MaxLoss: 0.5, Data: data}, "tail", true},
		"queries":  {trained(t, "regression", queries.Take(first(900)), 3), compress.Settings{MaxLoss: 0.5, Data: queries}, "queries", true},
		"few rows": {m, compress.Settings{MaxLoss: 0.5, Data: data.Take(first(90))}, "too few", true},
		"l1":       {trained(t, "l1", mixed(t, "regression", 1, 1000), 5), compress.Settings{MaxLoss: 0.5, Data: data}, "second derivative", true},
		"mape":     {trained(t, "mape", mixed(t, "regression", 1, 1000), 5), compress.Settings{MaxLoss: 0.5, Data: data}, "second derivative", true},
		"quantile": {trained(t, "quantile", mixed(t, "regression", 1, 1000), 5), compress.Settings{MaxLoss: 0.5, Data: data}, "second derivative", true},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := compress.Quantize(ctx, c.m, c.s)
			var budget compress.ErrBudget
			if err != nil && !errors.As(err, &budget) {
				t.Fatal(err)
			}
			if r != nil && strings.Contains(r.NotPruned, c.says) != c.told {
				t.Errorf("not pruned: %q", r.NotPruned)
			}
			c.s.Prune = compress.PruneOn
			var refused compress.ErrPruning
			if _, err := compress.Quantize(ctx, c.m, c.s); !errors.As(err, &refused) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("asked for: %v", err)
			}
			c.s.Prune = compress.PruneOff
			if r, err := compress.Quantize(ctx, c.m, c.s); err == nil && r.NotPruned != "" {
				t.Errorf("turned off: %q", r.NotPruned)
			}
		})
	}
}

// first are the first n rows.
func first(n int32) []int32 {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// BenchmarkQuantizePruned searches among whole and pruned models of 200 trees of 31 leaves, on 20,000
// rows: at most 40 s on two cores.
func BenchmarkQuantizePruned(b *testing.B) {
	m := trained(b, "binary", mixed(b, "binary", 1, 20_000), 200)
	data := mixed(b, "binary", 2, 20_000)
	for b.Loop() {
		if _, err := compress.Quantize(b.Context(), m, compress.Settings{MaxLoss: 0.005, Data: data}); err != nil {
			b.Fatal(err)
		}
	}
	if seconds := b.Elapsed().Seconds() / float64(b.N); seconds > 40 {
		b.Errorf("%.1f s a search, at most 40 are allowed", seconds)
	}
}

// What pruning tries takes nothing from whole models: the file is never larger than without, and where
// few rows certify, so that many attempts fail, it is not missed either.
func TestQuantizePrunedNeverLarger(t *testing.T) {
	smaller := 0
	for _, objective := range kinds {
		m := trained(t, objective, mixed(t, objective, 1, 2000), testenv.ByLength(20, 8, 8))
		for seed, maxLoss := range map[uint64]float64{2: 0.001, 3: 0.02} {
			data := mixed(t, objective, seed, 500)
			whole, err := compress.Quantize(t.Context(), m, compress.Settings{MaxLoss: maxLoss, Data: data, Prune: compress.PruneOff})
			if err != nil {
				t.Fatal(err)
			}
			r, err := compress.Quantize(t.Context(), m, compress.Settings{MaxLoss: maxLoss, Data: data})
			if err != nil {
				t.Fatal(err)
			}
			if r.Bytes > whole.Bytes || r.Certificate.Confidence < 0.95 || !(r.Certificate.LossBound <= maxLoss) {
				t.Errorf("%s, rows %d, %v: %d bytes, not pruned %d; %+v", objective, seed, maxLoss, r.Bytes, whole.Bytes, r.Certificate)
			}
			if r.Bytes < whole.Bytes {
				smaller++
			}
		}
	}
	if smaller == 0 {
		t.Error("no pruned model was taken")
	}
}

// Of a large model fewer candidates are made, which keep the loss all the same, with any number of threads.
func TestQuantizeLarge(t *testing.T) {
	ctx := context.Background()
	m := trained(t, "regression", mixed(t, "regression", 1, 3000), 20)
	data := mixed(t, "regression", 2, 3000)
	all, err := compress.Quantize(ctx, m, compress.Settings{MaxLoss: 0.02, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	var first []byte
	for _, threads := range []int{1, 3} {
		pool := parallel.NewPool(threads)
		r, err := compress.Quantize(ctx, m, compress.Settings{MaxLoss: 0.02, Data: data}, compress.ManyLeaves(100), compress.Pool(pool))
		pool.Close()
		if err != nil {
			t.Fatal(err)
		}
		if !(r.Certificate.LossBound <= 0.02) || r.Bytes > all.Bytes*3/2 || len(r.Candidates) >= len(all.Candidates) {
			t.Errorf("%d bytes of %d candidates, at most %v worse; of a small model %d of %d", r.Bytes, len(r.Candidates), r.Certificate.LossBound, all.Bytes, len(all.Candidates))
		}
		for _, c := range r.Candidates {
			if c.Format.Calibration.Method != ptq.Given && c.Format.Form != ptq.FormOf(ptq.F32) {
				t.Errorf("%s was tried", c.Name())
			}
		}
		b, err := r.Model.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = b
		}
		if !bytes.Equal(b, first) {
			t.Errorf("%d threads make another file", threads)
		}
	}
}

// What a search keeps of its candidates is less than the model that they are of.
func TestCandidatesAreSmall(t *testing.T) {
	m := trained(t, "regression", mixed(t, "regression", 1, 3000), 20)
	r, err := compress.Quantize(context.Background(), m, compress.Settings{MaxLoss: 0.02, Data: mixed(t, "regression", 2, 3000)})
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if size := heapsize.Of(&r.Candidates); size > int64(len(b)) || len(r.Candidates) < 10 {
		t.Errorf("%d candidates take %d bytes, the model's file %d", len(r.Candidates), size, len(b))
	}
}
