package compression_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"boost/benchmarks/accuracy"
	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/parallel"
	"boost/ptq"
	"boost/ptq/compress"
)

// formatsOf returns every form of leaf values, the types with scales in turn by model, output, tree
// and block, and whole numbers in steps.
func formatsOf(m *model.Model) []compress.Format {
	by := []compress.Granularity{compress.ByModel, compress.ByOutput, compress.ByTree, compress.ByBlock}
	var formats []compress.Format
	for i, form := range ptq.Forms() {
		f := compress.Format{Form: form}
		if _, typed := form.DType(); typed {
			f.Calibration.By = by[i%len(by)]
		}
		formats = append(formats, f)
	}
	most := 0.0
	for _, x := range m.Leaves() {
		most = max(most, math.Abs(x))
	}
	for _, s := range []struct {
		dtype ptq.DType
		steps float64
	}{{ptq.I16, 63}, {ptq.I16, 1023}, {ptq.I8, 31}, {ptq.I4, 7}} {
		calibration := compress.Calibration{Method: ptq.Given, Scale: most / s.steps, By: compress.ByModel}
		formats = append(formats, compress.Format{Form: ptq.FormOf(s.dtype), Calibration: calibration})
	}
	return formats
}

// TestEveryFormOfRealSets compresses models of real sets, of every objective, into every form, with
// and without statistics and feedback: what is read from the file, fast and compact, predicts to
// the bit what the full model with the decoded leaf values does, and the certificate in it says what is
// found when it is computed anew. Under BOOST_SOAK all sets and forms, else a few.
func TestEveryFormOfRealSets(t *testing.T) {
	folder := os.Getenv("BOOST_SHARED")
	if folder == "" {
		t.Skip("BOOST_SHARED is not set: the real data sets are not here")
	}
	soak := os.Getenv("BOOST_SOAK") != ""
	names := []string{"california_housing", "german_credit", "wine_quality"}
	if soak {
		names = nil
	}
	sets, err := accuracy.Sets(filepath.Join(folder, "data"), names...)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "model.boost")
	for _, set := range sets {
		ctx := context.Background()
		train, err := set.Open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		data, err := dataset.Open(ctx, set.Test(), dataset.As(train.Schema()), dataset.MissingOnly(""))
		if err != nil {
			t.Fatal(err)
		}
		rows := make([]int32, min(data.NumRows(), 2000))
		for i := range rows {
			rows[i] = int32(i)
		}
		data = data.Take(rows)
		p := booster.Defaults()
		p.Objective, p.Rounds = set.Task, 5
		full, err := booster.Train(ctx, p, train)
		if err != nil {
			t.Fatal(err)
		}
		for i, format := range formatsOf(full) {
			// Seven of the forms and one in steps, others for each set.
			if !soak && (i+len(set.Name))%4 != 0 {
				continue
			}
			settings := compress.Settings{
				Formats: []compress.Format{format}, MaxLoss: math.NaN(), Data: data,
				Statistics: i%2 == 0, Feedback: compress.FeedbackOff,
			}
			if i%3 == 0 {
				settings.Feedback = compress.FeedbackOn
			}
			t.Run("S4.30/"+set.Name+"/"+format.String(), func(t *testing.T) {
				proveForm(t, set, full, settings, file)
			})
		}
	}
}

func proveForm(t *testing.T, set *accuracy.Set, full *model.Model, s compress.Settings, file string) {
	ctx := context.Background()
	r, err := compress.Quantize(ctx, full, s)
	var overflow ptq.ErrOverflow
	if errors.As(err, &overflow) && s.Formats[0].Form == ptq.FormOf(ptq.F16) {
		largest := 0.0
		for _, x := range full.Leaves() {
			largest = max(largest, math.Abs(x))
		}
		if largest < 60_000 {
			t.Errorf("leaves of %v are too large for half precision: %v", largest, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Model.Save(file); err != nil {
		t.Fatal(err)
	}
	fast, err := model.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	compact, err := model.LoadCompact(file)
	if err != nil {
		t.Fatal(err)
	}
	written, err := fast.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if stored, err := os.ReadFile(file); err != nil || !bytes.Equal(stored, written) || int64(len(stored)) != r.Bytes {
		t.Errorf("what is read has other bytes: %v", err)
	}
	// The full model with the values that the stored leaves stand for.
	narrow, err := full.Narrowed(model.KnownNames)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float64, len(fast.Leaves()))
	fast.Compressed().Leaves.DecodeRange(values, 0)
	expanded, err := narrow.WithLeaves(values)
	if err != nil {
		t.Fatal(err)
	}
	want := rawOf(t, expanded, s.Data)
	for name, m := range map[string]rawPredictor{"made": r.Model, "fast": fast, "compact": compact} {
		if i, ok := sameBits(rawOf(t, m, s.Data), want); !ok {
			t.Errorf("%s: score %d is not that of the decoded leaves", name, i)
		}
	}
	proveCertificate(t, set, full, fast, s)
}

// proveCertificate computes anew what the certificate of a file says.
func proveCertificate(t *testing.T, set *accuracy.Set, full, small *model.Model, s compress.Settings) {
	c, err := compress.CertificateOf(small)
	if err != nil {
		t.Fatal(err)
	}
	_, unseen, err := compress.Halves(s.Data)
	if err != nil {
		t.Fatal(err)
	}
	rows := s.Data.Take(unseen)
	pool := parallel.NewPool(1)
	defer pool.Close()
	source, err := full.SHA256()
	if err != nil {
		t.Fatal(err)
	}
	// Where no leaf has changed there is nothing to push forward.
	fed := s.Feedback == compress.FeedbackOn && slices.Max(c.RawBound) > 0
	if c.Rows != len(unseen) || c.Data != s.Data.Fingerprint(pool) || c.TrainingData || small.Compressed().Source != source ||
		c.Feedback != fed {
		t.Errorf("the certificate is of other rows or of another model: %+v", c)
	}
	for i, m := range []*model.Model{full, small} {
		said := []float64{c.Before, c.After}[i]
		// Sums in another order: a few units in the last place for each row.
		if got := lossOf(t, set, m, rows); !(math.Abs(got-said) <= 1e-12*got) {
			t.Errorf("%s is %v, the certificate says %v", c.Metric, got, said)
		}
	}
	if !(c.LossBound >= c.Loss()) || c.Confidence < 0.95 {
		t.Errorf("a loss of %v is bound by %v with %v", c.Loss(), c.LossBound, c.Confidence)
	}
	a, b := rawOf(t, full, rows), rawOf(t, small, rows)
	furthest, outputs := 0.0, full.Outputs()
	for i := range a {
		d := math.Abs(a[i] - b[i])
		furthest = max(furthest, d)
		// What is computed is off by roundings beside the bound: five additions, each of 2⁻⁵³ of the score.
		if bound := c.RawBound[i%outputs]; d > bound+1e-14*(math.Abs(a[i])+math.Abs(b[i])) {
			t.Fatalf("raw score %d differs by %v, the bound is %v", i, d, bound)
		}
	}
	if furthest != c.MaxRaw {
		t.Errorf("raw scores differ by %v, the certificate says %v", furthest, c.MaxRaw)
	}
	before, err := full.Predict(context.Background(), rows)
	if err != nil {
		t.Fatal(err)
	}
	after, err := small.Predict(context.Background(), rows)
	if err != nil {
		t.Fatal(err)
	}
	furthest = 0
	for i := range before {
		furthest = max(furthest, math.Abs(before[i]-after[i]))
	}
	if furthest != c.MaxPrediction {
		t.Errorf("predictions differ by %v, the certificate says %v", furthest, c.MaxPrediction)
	}
}

type rawPredictor interface {
	PredictRaw(ctx context.Context, t *dataset.Table, opts ...model.Option) ([]float64, error)
}

func rawOf(t *testing.T, m rawPredictor, rows *dataset.Table) []float64 {
	t.Helper()
	scores, err := m.PredictRaw(context.Background(), rows)
	if err != nil {
		t.Fatal(err)
	}
	return scores
}

// sameBits returns the first place at which two lists differ.
func sameBits(a, b []float64) (int, bool) {
	for i := range b {
		if i >= len(a) || math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			return i, false
		}
	}
	return len(b), len(a) == len(b)
}

// lossOf is the loss of a model on rows by the measurements' own arithmetic.
func lossOf(t *testing.T, set *accuracy.Set, m *model.Model, rows *dataset.Table) float64 {
	t.Helper()
	loss, err := set.LossOf(context.Background(), m, rows)
	if err != nil {
		t.Fatal(err)
	}
	return loss
}
