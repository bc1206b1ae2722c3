package compress_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"boost/booster/model"
	"boost/dataset"
	"boost/internal/testenv"
	"boost/ptq"
	"boost/ptq/compress"
)

// lossesOf are weight·loss of each row by hand: the squared error, or −ln of the probability of
// the row's class.
func lossesOf(t *testing.T, m *model.Model, rows *dataset.Table) []float64 {
	t.Helper()
	values, err := m.Predict(context.Background(), rows)
	if err != nil {
		t.Fatal(err)
	}
	weights, err := rows.Weights()
	if err != nil {
		t.Fatal(err)
	}
	c := m.Contents()
	var labels []float64
	if c.Classes != nil {
		labels, err = rows.EncodeClasses(c.Classes, c.NumericClasses)
	} else {
		labels, err = rows.NumericLabels()
	}
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float64, len(labels))
	for row, label := range labels {
		switch {
		case c.Classes == nil:
			out[row] = (values[row] - label) * (values[row] - label)
		case m.Outputs() == 1 && label == 1:
			out[row] = -math.Log(values[row])
		case m.Outputs() == 1:
			out[row] = -math.Log(1 - values[row])
		default:
			out[row] = -math.Log(values[row*m.Outputs()+int(label)])
		}
		out[row] *= weights[row]
	}
	return out
}

// The bound of a certificate is where a normal distribution has it. With a and z the losses of a
// row before and after, times its weight, r = Σz/Σa has by the delta method (Efron and Tibshirani
// 1993, §10.7) the deviation √Σ(z − r·a)² / Σa; a root halves it and divides it by √r. Of a
// normal distribution 95 % lie below 1.645 deviations. 2,000 resamples find that to 0.047
// deviations, the root of 0.95·0.05/2000 by the density there, 0.103; what is three times as far
// away is neither the percentile for 92.5 % (1.44) nor that for two sides (1.96). Rows that were
// drawn for each model by itself would give a much larger one.
func TestLossBoundIsNormal(t *testing.T) {
	for _, kind := range kinds {
		m := trained(t, kind, task(t, kind, 1, 3000), 30)
		data := task(t, kind, 2, 12_000)
		for _, form := range []ptq.Form{ptq.FormQ4_0, ptq.FormCold, ptq.FormOf(ptq.I8)} {
			t.Run("S3.60/"+kind+"/"+form.String(), func(t *testing.T) {
				r, err := compress.Quantize(t.Context(), m, compress.Settings{Formats: []compress.Format{{Form: form}}, MaxLoss: math.NaN(), Data: data})
				if err != nil {
					t.Fatal(err)
				}
				_, unseen, err := compress.Halves(data)
				if err != nil {
					t.Fatal(err)
				}
				rows := data.Take(unseen)
				before, after := lossesOf(t, m, rows), lossesOf(t, r.Model, rows)
				a, z := 0.0, 0.0
				for i := range before {
					a, z = a+before[i], z+after[i]
				}
				ratio, squares := z/a, 0.0
				for i := range before {
					d := after[i] - ratio*before[i]
					squares += d * d
				}
				change, deviation := ratio-1, math.Sqrt(squares)/a
				if kind == "regression" { // the root of the mean square
					change, deviation = math.Sqrt(ratio)-1, deviation/2/math.Sqrt(ratio)
				}
				c := r.Certificate
				if math.Abs(c.Loss()-change) > 1e-9 {
					t.Errorf("the loss is %v, by hand %v", c.Loss(), change)
				}
				if got := (c.LossBound - change) / deviation; math.Abs(got-1.645) > 0.14 || c.Confidence != 0.95 {
					t.Errorf("the bound of %g %% lies %.3f deviations above the loss, want 1.645 ± 0.14 and 95 %%", 100*c.Confidence, got)
				}
			})
		}
	}
}

// What a search sees is one half: labels of the other may be anything, and no figure of any
// candidate changes, only the certificate. Labels of the rows of the search do not show in the
// certificate of a form that was named.
func TestHalvesAreApart(t *testing.T) {
	for _, kind := range kinds {
		t.Run("S3.60/"+kind, func(t *testing.T) {
			m := trained(t, kind, task(t, kind, 1, 2000), testenv.ByLength(10, 5, 5))
			data := task(t, kind, 2, 3000)
			search, certify, err := compress.Halves(data)
			if err != nil {
				t.Fatal(err)
			}
			quantize := func(d *dataset.Table, s compress.Settings) *compress.Result {
				s.Data = d
				r, err := compress.Quantize(t.Context(), m, s)
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			// The best that fits is chosen by the first half alone.
			open := compress.Settings{MaxBytes: 1 << 20, MaxLoss: math.NaN()}
			one, other := quantize(data, open), quantize(shifted(t, data, certify), open)
			if len(one.Candidates) != len(other.Candidates) || len(one.Candidates) < 10 {
				t.Fatalf("%d and %d candidates", len(one.Candidates), len(other.Candidates))
			}
			// They are in the order of their bytes, in which the fingerprint of all rows is.
			for _, a := range one.Candidates {
				i := slices.IndexFunc(other.Candidates, func(b compress.Candidate) bool { return a.Name() == b.Name() })
				if i < 0 {
					t.Errorf("%s is no candidate with other labels of the rows that certify", a.Name())
					continue
				}
				if b := other.Candidates[i]; a.Loss != b.Loss || a.Bound != b.Bound || a.RawBound != b.RawBound || a.Chosen != b.Chosen {
					t.Errorf("labels of the rows that certify change %s: loss %v, bound %v to %v, %v", a.Name(), a.Loss, a.Bound, b.Loss, b.Bound)
				}
			}
			if one.Certificate.Before == other.Certificate.Before || one.Certificate.LossBound == other.Certificate.LossBound {
				t.Errorf("labels of the rows that certify do not show in the certificate: %+v", other.Certificate)
			}
			named := compress.Settings{Formats: []compress.Format{{Form: ptq.FormWarm5}}, MaxLoss: math.NaN()}
			one, other = quantize(data, named), quantize(shifted(t, data, search), named)
			a, b := one.Certificate, other.Certificate
			if a.Before != b.Before || a.After != b.After || a.LossBound != b.LossBound || a.MaxRaw != b.MaxRaw || a.MaxPrediction != b.MaxPrediction {
				t.Errorf("labels of the rows of the search change the certificate from %+v to %+v", a, b)
			}
			if one.Candidates[0].Loss == other.Candidates[0].Loss {
				t.Error("labels of the rows of the search do not show in the candidate")
			}
		})
	}
}

// shifted is the table with the labels of some rows handed on to the next of them.
func shifted(t *testing.T, d *dataset.Table, rows []int32) *dataset.Table {
	t.Helper()
	order := make([]int32, d.NumRows())
	for i := range order {
		order[i] = int32(i)
	}
	for i, row := range rows {
		order[row] = rows[(i+1)%len(rows)]
	}
	labels := d.Take(order)
	var columns []dataset.ColumnData
	for _, c := range d.Schema().Columns {
		from := d
		if c.Role == dataset.LabelRole {
			from = labels
		}
		columns = append(columns, dataset.ColumnData{Name: c.Name, Values: cells(t, from, c.Name)})
	}
	out, err := dataset.FromColumns(columns, dataset.Label("y"), dataset.Weight("weight"))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A search with a bound tests several candidates, and errs with at most 2.5 % among whole ones: which they
// are follows from the rows of the search, by size, each with a quarter more room than the one before and
// the one with the most room last. Each has half the share of the one before, the last two the same,
// and besides what an unbroken run of those behind it has. Some search takes another than the first.
func TestAttemptsShareTheRisk(t *testing.T) {
	t.Run("S3.60/attempts", func(t *testing.T) {
		later := 0
		for seed := uint64(5); seed < 11; seed++ {
			m := trained(t, "binary", task(t, "binary", 10+seed, 1000), 10)
			for _, limit := range []float64{0.002, 0.01} {
				r, err := compress.Quantize(t.Context(), m, compress.Settings{MaxLoss: limit, Data: task(t, "binary", 100+seed, 1500), Prune: compress.PruneOff})
				if err != nil {
					t.Fatal(err)
				}
				var tested []int
				least, most, safest := 1.0, 0.0, -1
				for i, c := range r.Candidates {
					room := math.Inf(1)
					if c.Bound != c.Loss {
						room = (limit - c.Loss) / (c.Bound - c.Loss)
					}
					if !(c.Bound <= limit) || room < least {
						continue
					}
					if room > most {
						most, safest = room, i
					}
					if len(tested) < 5 {
						tested = append(tested, i)
						least = 1.25 * room
					}
				}
				if tested[len(tested)-1] != safest {
					tested = append(tested, safest)
				}
				at := slices.IndexFunc(tested, func(i int) bool { return r.Candidates[i].Chosen })
				if at < 0 {
					t.Fatalf("seed %d, %v: what was chosen is none of those that are tested", seed, limit)
				}
				risk, possible := 1-r.Certificate.Confidence, false
				for end, sum := at, 0.0; end < len(tested); end++ {
					share := 0.025 * math.Pow(0.5, float64(min(end+1, len(tested)-1)))
					sum += share
					possible = possible || math.Abs(risk-sum) < 1e-12
				}
				if !possible || risk > 0.025+1e-12 {
					t.Errorf("seed %d, %v: certified with an error of %v as number %d of %d", seed, limit, risk, at+1, len(tested))
				}
				if at > 0 {
					later++
				}
			}
		}
		if later == 0 {
			t.Error("every search took its first candidate: the test shows nothing")
		}
	})
}

// cells returns the values of a column, as dataset.FromColumns takes them.
func cells(t *testing.T, d *dataset.Table, name string) any {
	t.Helper()
	c := d.Column(name)
	switch c.Kind() {
	case dataset.Float32:
		out := make([]float64, c.Len())
		for i, x := range c.Float32s() {
			out[i] = float64(x)
		}
		return out
	case dataset.Float64:
		return c.Float64s()
	}
	out := make([]string, c.Len())
	for i, code := range c.Codes() {
		if code >= 0 && int(code) < len(c.Levels()) {
			out[i] = c.Levels()[code]
		}
	}
	return out
}

// A bound that no other form keeps is kept by the leaf values as they are.
func TestNothingLost(t *testing.T) {
	m := trained(t, "regression", task(t, "regression", 3, 1500), 20)
	s := compress.Settings{MaxLoss: 0, Data: task(t, "regression", 4, 400), Prune: compress.PruneOff}
	r, err := compress.Quantize(t.Context(), m, s)
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Certificate; r.Chosen().Format.Form != ptq.FormOf(ptq.F64) || slices.Max(c.RawBound) != 0 || c.Before != c.After || len(r.Candidates) < 9 {
		t.Errorf("%s of %d candidates: %+v", r.Chosen().Name(), len(r.Candidates), c)
	}
	s.MaxBytes = 100
	if _, err := compress.Quantize(t.Context(), m, s); !errors.As(err, new(compress.ErrBudget)) {
		t.Errorf("100 bytes: %v", err)
	}
}

// TestFiguresOfZero: a 0 that was found is in the JSON, and a share of 0 has no bound, which JSON has no number for.
func TestFiguresOfZero(t *testing.T) {
	for _, c := range []struct {
		of   compress.Certificate
		want string
	}{
		{compress.Certificate{Method: compress.ByLeaves}, `{"method":"leaf errors"}`},
		{
			compress.Certificate{Method: compress.ByBootstrap, Rows: 9, Metric: "rmse", Confidence: 0.95, Resamples: 10},
			`{"method":"paired bootstrap","rows":9,"metric":"rmse","confidence":0.95,"resamples":10,"before":0,"after":0,"loss_bound":0,"max_raw":0,"max_prediction":0}`,
		},
		{
			compress.Certificate{Method: compress.ByBootstrap, Rows: 9, Metric: "rmse", After: 0.5, LossBound: math.Inf(1), Confidence: 0.95, Resamples: 10, MaxRaw: 2, MaxPrediction: 3},
			`{"method":"paired bootstrap","rows":9,"metric":"rmse","confidence":0.95,"resamples":10,"before":0,"after":0.5,"max_raw":2,"max_prediction":3}`,
		},
	} {
		if got, err := c.of.JSON(); err != nil || string(got) != c.want {
			t.Errorf("the certificate is %s (%v), want %s", got, err, c.want)
		}
	}
	if got := (&compress.Certificate{Before: -8, After: -6}).Loss(); got != 0.25 {
		t.Errorf("from -8 to -6 is %v worse, want 0.25", got)
	}
}
