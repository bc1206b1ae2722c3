package compress_test

import (
	"errors"
	"math"
	"testing"

	"boost/booster"
	"boost/booster/model"
	"boost/ptq"
	"boost/ptq/compress"
)

// A model that was trained to be small is told against one that was not: what the certificate
// says is what anybody finds with these two.
func TestReference(t *testing.T) {
	lossless := []compress.Format{{Form: ptq.FormOf(ptq.F64)}}
	for _, kind := range kinds {
		table, data := task(t, kind, 1, 3000), task(t, kind, 2, 4000)
		plain := trained(t, kind, table, 20)
		p := booster.Defaults()
		p.Objective, p.Rounds, p.Tree.ReuseCut = kind, 15, 0.5
		small, err := booster.Train(t.Context(), p, table)
		if err != nil {
			t.Fatal(err)
		}
		certify := func(m, reference *model.Model) compress.Certificate {
			r, err := compress.Quantize(t.Context(), m, compress.Settings{Formats: lossless, MaxLoss: math.NaN(), Data: data, Reference: reference})
			if err != nil {
				t.Fatal(err)
			}
			return r.Certificate
		}
		_, unseen, err := compress.Halves(data)
		if err != nil {
			t.Fatal(err)
		}
		rows, got := data.Take(unseen), certify(small, plain)
		sum, err := plain.SHA256()
		if err != nil {
			t.Fatal(err)
		}
		before, after := metricOf(t, plain, rows, got.Metric), metricOf(t, small, rows, got.Metric)
		if got.Reference != sum || got.Before != before || got.After != after || got.MaxRaw != furthest(raw(t, plain, rows), raw(t, small, rows)) {
			t.Errorf("%s: %+v, want the metric %v, then %v", kind, got, before, after)
		}
		// A bound lies above the loss that it bounds, and of two models one is not better.
		back := certify(plain, small)
		if !(got.LossBound > got.Loss()) || !(back.LossBound > back.Loss()) || (got.LossBound < 0) && (back.LossBound < 0) {
			t.Errorf("%s: bounds %v of %v and %v of %v", kind, got.LossBound, got.Loss(), back.LossBound, back.Loss())
		}
		itself, usual := certify(small, small), certify(small, nil)
		if itself.Reference = ""; itself.LossBound != 0 || usual.LossBound != 0 || itself.Before != usual.Before || itself.After != usual.After {
			t.Errorf("%s: beside itself %+v, usually %+v", kind, itself, usual)
		}
	}
}

func TestReferenceRefuses(t *testing.T) {
	table, data := task(t, "binary", 1, 1000), task(t, "binary", 2, 1000)
	m := trained(t, "binary", table, 3)
	other := trained(t, "multiclass", task(t, "multiclass", 1, 1000), 3)
	var shape compress.ErrShape
	if _, err := compress.Quantize(t.Context(), m, compress.Settings{MaxLoss: 0.1, Data: data, Reference: other}); !errors.As(err, &shape) {
		t.Errorf("other classes: %v", err)
	}
	if _, err := compress.Quantize(t.Context(), m, compress.Settings{MaxBytes: 9999, MaxLoss: math.NaN(), Reference: m}); !errors.Is(err, compress.ErrNeedsData) {
		t.Errorf("no data: %v", err)
	}
	elsewhere := trained(t, "binary", data, 3)
	if _, err := compress.Quantize(t.Context(), m, compress.Settings{MaxLoss: 0.1, Data: data, Reference: elsewhere}); !errors.Is(err, compress.ErrTrainingData) {
		t.Errorf("rows that the reference was trained on: %v", err)
	}
}
