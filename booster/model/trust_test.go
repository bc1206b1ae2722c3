package model_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"boost/booster/model"
	"boost/booster/trust"
	"boost/dataset"
	"boost/objectives"
	"boost/ptq"
)

var trustPrint = strings.Repeat("0a", 16)

// platt calibrates one output by 1 / (1 + exp(−(s/2 + 1/4))).
func platt() *trust.Calibration {
	return &trust.Calibration{Method: trust.Platt, Maps: []trust.Map{{Coefficients: []float64{0.5, 0.25}}}}
}

// trusting returns a model with a trust of 100 rows.
func trusting(t testing.TB, m *model.Model, of trust.Trust) *model.Model {
	t.Helper()
	of.Rows, of.Fingerprint = 100, trustPrint
	m, err := m.WithTrust(&of)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestCalibratedByHand has the raw scores of TestPredictByHand: −0.5625, −0.0625, 2.4375, 0.9375 and −0.0625.
func TestCalibratedByHand(t *testing.T) {
	plain := newSmall(t)
	m, ctx, tab := trusting(t, plain, trust.Trust{Calibration: platt(), Threshold: 0.55}), context.Background(), fiveRows(t)
	raw, err := m.PredictRaw(ctx, tab)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{-0.5625, -0.0625, 2.4375, 0.9375, -0.0625}; !slices.Equal(raw, want) {
		t.Fatalf("PredictRaw = %v, want %v as without a calibration", raw, want)
	}
	values, err := m.Predict(ctx, tab)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range raw {
		if want := 1 / (1 + math.Exp(-(s/2 + 0.25))); math.Abs(values[i]-want) > 1e-14 {
			t.Errorf("row %d: probability %v, want %v", i, values[i], want)
		}
	}
	// Calibrated log-odds are −0.03, 0.22, 1.47, 0.72 and 0.22; 0.55 is at 0.2007.
	classes, err := m.PredictClass(ctx, tab)
	if want := []int32{0, 1, 1, 1, 1}; err != nil || !slices.Equal(classes, want) {
		t.Errorf("PredictClass = %v (%v), want %v", classes, err, want)
	}
	row, err := m.PredictRow(map[string]any{"color": "green", "unused": 2, "income": 20, "age": 2})
	if err != nil || row[0] != values[1] {
		t.Errorf("PredictRow = %v (%v), Predict %v", row, err, values[1])
	}
	mapped := make([]float64, len(raw))
	m.Mapping().Apply(1, raw, mapped, 0, len(raw), len(raw))
	if !slices.Equal(mapped, values) {
		t.Errorf("Mapping gives %v, Predict %v", mapped, values)
	}
}

func TestCalibratedMatrixAndRows(t *testing.T) {
	for _, outputs := range []int{1, 3, 40} {
		f := newForest(t, 700, outputs, 5, 8)
		c := *f.model.Contents()
		calibration := &trust.Calibration{Method: trust.Isotonic}
		c.Objective, c.Link, c.Classes = "multiclass", objectives.Softmax, nil
		if outputs == 1 {
			c.Objective, c.Link, c.Classes = "binary", objectives.Logistic, []string{"no", "yes"}
		}
		for k := range outputs {
			calibration.Maps = append(calibration.Maps, trust.Map{Knots: []float64{-4, 0, float64(k + 1)}, Values: []float64{0.1, 0.2, 0.9}})
			if outputs > 1 {
				c.Classes = append(c.Classes, fmt.Sprint(k))
			}
		}
		plain, err := model.New(c)
		if err != nil {
			t.Fatal(err)
		}
		m := trusting(t, plain, trust.Trust{Calibration: calibration})
		tab, err := f.table.As(m.Schema())
		if err != nil {
			t.Fatal(err)
		}
		want, err := plain.Predict(context.Background(), tab)
		if err != nil {
			t.Fatal(err)
		}
		n := tab.NumRows()
		for row := range n { // one row at a time
			calibration.Apply(outputs, want[row*outputs:(row+1)*outputs], 0, 1, 1)
		}
		got, err := m.Predict(context.Background(), tab)
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, fmt.Sprint("calibrated, outputs ", outputs), got, want)
		matrix := matrixOf(t, m, tab)
		if got, err = model.PredictMatrix(context.Background(), m, matrix); err != nil {
			t.Fatal(err)
		}
		sameBits(t, "a matrix", got, want)
		width := len(matrix) / n
		for row := range n {
			m.PredictValues(matrix[row*width:(row+1)*width], got[row*outputs:(row+1)*outputs])
		}
		sameBits(t, "single rows", got, want)
		allocated := testing.AllocsPerRun(100, func() { m.PredictValues(matrix[:width], got[:outputs]) })
		if want := map[bool]float64{true: 0, false: 2}[outputs <= 32]; allocated != want {
			t.Errorf("a row of %d outputs allocates %v times, want %v", outputs, allocated, want)
		}
	}
}

// matrixOf returns the features of a table as PredictMatrix takes them.
func matrixOf(t *testing.T, m *model.Model, tab *dataset.Table) []float64 {
	t.Helper()
	columns := m.Contents().FeatureColumns()
	matrix := make([]float64, tab.NumRows()*len(columns))
	for f, s := range columns {
		c := tab.Column(s.Name)
		for row := range tab.NumRows() {
			at := &matrix[row*len(columns)+f]
			switch c.Kind() {
			case dataset.Category:
				if *at = float64(c.Codes()[row]); *at < 0 {
					*at = math.NaN()
				}
			case dataset.Float32:
				*at = float64(c.Float32s()[row])
			default:
				*at = c.Float64s()[row]
			}
		}
	}
	return matrix
}

// fullTrusts are trusts with all that there is, for a model of two classes and for one of numbers.
func fullTrusts() (classes, numbers trust.Trust) {
	classes = trust.Trust{
		Calibration: &trust.Calibration{Method: trust.VennAbers, Maps: []trust.Map{{Knots: []float64{-1.5, 0.1}, Values: []float64{0.125, 1e-7, 1}}}},
		Threshold:   0.2,
		Intervals: &trust.Intervals{Kind: trust.Sets, Level: 0.9, Margin: 0.75, By: "color",
			Groups: []trust.Group{{Value: "red", Margin: 0.5}, {Value: "\xff", Margin: 0.25}, {Missing: true, Margin: 0.125}}},
	}
	numbers = trust.Trust{Intervals: &trust.Intervals{Kind: trust.Residuals, Level: 0.5, Margin: 3}}
	return classes, numbers
}

func newSmallNumbers(t testing.TB) *model.Model {
	t.Helper()
	c := smallContents()
	c.Objective, c.Link, c.Classes = "regression", objectives.Identity, nil
	m, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestTrustInEveryForm takes models through the full file, the compressed one and the text.
func TestTrustInEveryForm(t *testing.T) {
	ofClasses, ofNumbers := fullTrusts()
	for _, c := range []struct {
		plain *model.Model
		trust trust.Trust
	}{{newSmall(t), ofClasses}, {newSmallNumbers(t), ofNumbers}} {
		small, _ := compressed(t, c.plain, ptq.FormOf(ptq.I8), model.GroupTree, true)
		for _, m := range []*model.Model{trusting(t, c.plain, c.trust), trusting(t, small, c.trust)} {
			data, err := m.Encode()
			if err != nil {
				t.Fatal(err)
			}
			decoded, err := model.Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			fromText, err := model.DecodeText(m.EncodeText())
			if err != nil {
				t.Fatal(err)
			}
			for name, got := range map[string]*model.Model{"the file": decoded, "the text": fromText} {
				again, err := got.Encode()
				if err != nil || !bytes.Equal(again, data) || !reflect.DeepEqual(got.Trust(), m.Trust()) {
					t.Errorf("%s gives %+v (%v), want %+v", name, got.Trust(), err, m.Trust())
				}
			}
			without, err := decoded.WithTrust(nil)
			if err != nil {
				t.Fatal(err)
			}
			if m.Compressed() == nil {
				got, _ := without.SHA256()
				if want, _ := c.plain.SHA256(); got != want {
					t.Error("without its trust the model has other bytes than before")
				}
				continue
			}
			_, compact := bothLoads(t, data)
			samePredictions(t, decoded, compact, fiveRows(t))
			if !reflect.DeepEqual(compact.Trust(), m.Trust()) {
				t.Errorf("the compact load has %+v, want %+v", compact.Trust(), m.Trust())
			}
		}
	}
}

func TestOtherTreesAreNotCalibrated(t *testing.T) {
	of, _ := fullTrusts()
	m := trusting(t, newSmall(t), of)
	whole := m.Rounds()
	for name, make := range map[string]func() (*model.Model, error){
		"Prefix":     func() (*model.Model, error) { return m.Prefix(whole) },
		"Tail":       func() (*model.Model, error) { return m.Tail(1) },
		"WithLeaves": func() (*model.Model, error) { return m.WithLeaves(m.Leaves()) },
		"Merge":      func() (*model.Model, error) { return model.Merge(m, m) },
		"Narrowed with hashed names": func() (*model.Model, error) {
			return m.Narrowed(model.HashedNames)
		},
		"Compress": func() (*model.Model, error) {
			small, _ := compressed(t, m, ptq.FormOf(ptq.I8), model.GroupTree, true)
			return small, nil
		},
	} {
		got, err := make()
		if err != nil || got.Trust() != nil {
			t.Errorf("%s: %v, trust %+v, want none", name, err, got.Trust())
		}
	}
	narrow, err := m.Narrowed(model.KnownNames)
	if err != nil || !reflect.DeepEqual(narrow.Trust(), m.Trust()) {
		t.Errorf("Narrowed: %v, trust %+v", err, narrow.Trust())
	}
}

// TestFewerTreesAreRefused asks for what the calibration was not made for.
func TestFewerTreesAreRefused(t *testing.T) {
	of, _ := fullTrusts()
	m, ctx, tab := trusting(t, newSmall(t), of), context.Background(), fiveRows(t)
	few := []model.Option{model.Rounds(m.Rounds() - 1)}
	const rounds, early = "calibrated for all its 3 rounds", "leave EarlyStop out"
	for name, c := range map[string]struct {
		want string
		call func() error
	}{
		"values":      {rounds, func() error { _, err := m.Predict(ctx, tab, few...); return err }},
		"classes":     {rounds, func() error { _, err := m.PredictClass(ctx, tab, few...); return err }},
		"sets":        {rounds, func() error { _, err := m.PredictSets(ctx, tab, few...); return err }},
		"matrix":      {rounds, func() error { _, err := model.PredictMatrix(ctx, m, make([]float64, 3), few...); return err }},
		"stages":      {rounds, func() error { _, err := drain(m.Staged(ctx, tab, 1)); return err }},
		"early value": {early, func() error { _, err := m.Predict(ctx, tab, model.EarlyStop(0.1)); return err }},
		"early class": {early, func() error { _, err := m.PredictClass(ctx, tab, model.EarlyStop(0)); return err }},
	} {
		if err := c.call(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, c.want)
		}
	}
	for name, opts := range map[string][]model.Option{"fewer rounds": few, "an early stop": {model.EarlyStop(0.1)}} {
		if _, err := m.PredictRaw(ctx, tab, opts...); err != nil {
			t.Errorf("raw scores with %s: %v", name, err)
		}
	}
	if _, err := m.Predict(ctx, tab, model.Rounds(m.Rounds())); err != nil {
		t.Errorf("all rounds: %v", err)
	}
	_, numbers := fullTrusts()
	if _, err := trusting(t, newSmallNumbers(t), numbers).Predict(ctx, tab, few...); err != nil {
		t.Errorf("numbers of fewer rounds, beside which intervals stand: %v", err)
	}
}

// TestPredictIntervals has the raw scores of TestPredictByHand as predictions.
func TestPredictIntervals(t *testing.T) {
	m := trusting(t, newSmallNumbers(t), trust.Trust{Intervals: &trust.Intervals{
		Kind: trust.Residuals, Level: 0.9, Margin: 1, By: "color", Groups: []trust.Group{{Value: "red", Margin: 2}, {Value: "purple", Margin: 4}, {Missing: true, Margin: 8}},
	}})
	tab := table(t, []dataset.ColumnData{
		{Name: "color", Values: []string{"red", "green", "", "blue", "purple"}},
		{Name: "unused", Values: []float64{1, 2, 3, 4, 5}},
		{Name: "income", Values: []float64{5, 20, 5, 10, 10.5}},
		{Name: "age", Values: []float64{1, 2, 2, math.NaN(), 2.5}},
	})
	raw, err := m.PredictRaw(context.Background(), tab)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.PredictIntervals(context.Background(), tab)
	if err != nil {
		t.Fatal(err)
	}
	for row, margin := range []float64{2, 1, 8, 1, 4} { // purple is a level of the calibration, though not of the training
		if got[2*row] != raw[row]-margin || got[2*row+1] != raw[row]+margin {
			t.Errorf("row %d of prediction %v: interval %v, want a margin of %v", row, raw[row], got[2*row:2*row+2], margin)
		}
	}
	if _, err := m.PredictSets(context.Background(), tab); err == nil || !strings.Contains(err.Error(), "from residuals") {
		t.Errorf("sets of numbers: %v", err)
	}
	if _, err := newSmall(t).PredictIntervals(context.Background(), tab); err == nil || !strings.Contains(err.Error(), "no intervals") {
		t.Errorf("intervals of a model without: %v", err)
	}
}

// TestPredictIntervalsStayInTheImage has a log link: no bound is below 0.
func TestPredictIntervalsStayInTheImage(t *testing.T) {
	c := smallContents()
	c.Objective, c.Link, c.Classes = "poisson", objectives.Exp, nil
	plain, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	m := trusting(t, plain, trust.Trust{Intervals: &trust.Intervals{Kind: trust.Residuals, Level: 0.9, Margin: 1}})
	got, err := m.PredictIntervals(context.Background(), fiveRows(t))
	if err != nil {
		t.Fatal(err)
	}
	values, err := m.Predict(context.Background(), fiveRows(t))
	if err != nil {
		t.Fatal(err)
	}
	for row, v := range values {
		if got[2*row] != max(v-1, 0) || got[2*row+1] != v+1 {
			t.Errorf("row %d of prediction %v: interval %v", row, v, got[2*row:2*row+2])
		}
	}
}

// TestPredictSets has the probabilities of TestPredictByHand: about 0.363, 0.484, 0.92, 0.719 and 0.484. They decide, not the
// calibrated ones.
func TestPredictSets(t *testing.T) {
	calibration := platt()
	calibration.Maps[0].Coefficients = []float64{0, 3}
	m := trusting(t, newSmall(t), trust.Trust{Calibration: calibration, Intervals: &trust.Intervals{Kind: trust.Sets, Level: 0.9, Margin: 0.6}})
	for margin, want := range map[float64][]bool{
		0.6: {true, false, true, true, false, true, false, true, true, true},
		0.4: {true, false, false, false, false, true, false, true, false, false},
	} {
		of := *m.Trust()
		intervals := *of.Intervals
		of.Intervals, intervals.Margin = &intervals, margin
		got, err := trusting(t, m, of).PredictSets(context.Background(), fiveRows(t))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("margin %v: %v (%v), want %v", margin, got, err, want)
		}
	}
}

func TestWithTrustRefuses(t *testing.T) {
	by := func(column string) trust.Trust {
		return trust.Trust{Rows: 9, Fingerprint: trustPrint, Intervals: &trust.Intervals{Kind: trust.Sets, Level: 0.9, By: column}}
	}
	tail, err := newSmall(t).Tail(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		model *model.Model
		trust trust.Trust
		want  string
	}{
		{newSmall(t), trust.Trust{Rows: 9, Threshold: 0.5, Fingerprint: "xyz"}, "32 hex digits"},
		{newSmall(t), trust.Trust{Fingerprint: trustPrint, Threshold: 0.5}, "calibrated on 0 rows"},
		{newSmallNumbers(t), trust.Trust{Rows: 9, Fingerprint: trustPrint, Threshold: 0.5}, "a threshold for 0 classes"},
		{newSmall(t), by("age"), `column "age", which is no feature with levels`},
		{newSmall(t), by("size"), `column "size", which is no feature with levels`},
		{tail, by("color"), "no model of their own"},
	} {
		if _, err := c.model.WithTrust(&c.trust); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want an error with %q", c.trust, err, c.want)
		}
	}
}
