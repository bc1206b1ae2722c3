package model_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"boost/booster/model"
	"boost/dataset"
	"boost/internal/testenv"
	"boost/ptq"
	"boost/ptq/compress"
)

// compressed returns the model in a form, and the full model of the same leaf values.
func compressed(t testing.TB, m *model.Model, form ptq.Form, grouping string, statistics bool) (small, full *model.Model) {
	t.Helper()
	sum, err := m.SHA256()
	if err != nil {
		t.Fatal(err)
	}
	narrow, err := m.Narrowed(model.KnownNames)
	if err != nil {
		t.Fatal(err)
	}
	c := narrow.Contents()
	counts := make([]int, len(c.Trees))
	for i := range counts {
		counts[i] = c.Trees[i].NumLeaves()
	}
	bounds, err := model.Groups(model.GroupTree, counts, c.Outputs)
	if err != nil {
		t.Fatal(err)
	}
	var k ptq.Calibration
	if _, typed := form.DType(); typed {
		if k.Groups, err = model.Groups(grouping, counts, c.Outputs); err != nil {
			t.Fatal(err)
		}
	}
	leaves, err := ptq.Encode(form, k, narrow.Leaves(), bounds)
	if err != nil {
		t.Fatal(err)
	}
	small, err = narrow.Compress(model.Compression{
		Leaves: leaves, Grouping: grouping, Statistics: statistics, Source: sum, Certificate: json.RawMessage(`{"b": 1.50, "a":[]}`),
	})
	if err != nil {
		t.Fatal(form, grouping, err)
	}
	values := make([]float64, leaves.Len())
	leaves.DecodeRange(values, 0)
	if full, err = narrow.WithLeaves(values); err != nil {
		t.Fatal(err)
	}
	return small, full
}

// Every form comes back from its file as it was, and predicts what a full model with the
// values that its leaves decode to predicts, bit for bit.
func TestCompressedFile(t *testing.T) {
	testenv.Unraced(t)
	ctx := context.Background()
	for _, shape := range []struct {
		name string
		f    *forest
	}{
		{"one output", newForestOver(t, 500, 1, 12, 90, 40, 60)},
		{"three outputs, many levels", newForestOver(t, 3000, 3, 5, 31, 255, 2500)},
		{"leaves alone", newForestOver(t, 50, 1, 3, 1, 10, 5)},
		{"no trees", newForestOver(t, 50, 2, 0, 1, 10, 5)},
	} {
		f := shape.f
		for i, form := range ptq.Forms() {
			groupings := []string{model.GroupBlock}
			if _, typed := form.DType(); typed {
				if groupings = compress.Granularities(); f.table.NumRows() > 1000 && !testenv.Soak() {
					groupings = groupings[i%len(groupings):][:1] // each in some forms
				}
			}
			for _, grouping := range groupings {
				statistics := grouping == model.GroupTree
				t.Run(strings.Join([]string{"S4.29", shape.name, form.String(), grouping}, "/"), func(t *testing.T) {
					small, full := compressed(t, f.model, form, grouping, statistics)
					data := encode(t, small)
					again, err := model.Decode(data)
					if err != nil {
						t.Fatal(err)
					}
					if !bytes.Equal(encode(t, again), data) {
						t.Error("it has other bytes when it is read and written")
					}
					z := again.Compressed()
					if z == nil || z.Leaves.Form() != form || z.Grouping != grouping || string(z.Certificate) != `{"a":[],"b":1.50}` {
						t.Errorf("it is read as %+v", z)
					}
					// Without trees there is nothing to have statistics of.
					if again.HasStatistics() != (statistics || again.NumTrees() == 0) {
						t.Errorf("statistics: %v", again.HasStatistics())
					}
					for _, m := range []*model.Model{small, again} {
						want, err := full.PredictRaw(ctx, f.table)
						if err != nil {
							t.Fatal(err)
						}
						got, err := m.PredictRaw(ctx, f.table)
						if err != nil {
							t.Fatal(err)
						}
						for i := range want {
							if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
								t.Fatalf("score %d is %v instead of %v", i, got[i], want[i])
							}
						}
					}
				})
			}
		}
	}
}

// Another certificate changes nothing else of a compressed model, and a full model has none.
func TestWithCertificate(t *testing.T) {
	f := newForestOver(t, 500, 1, 12, 90, 40, 60)
	small, _ := compressed(t, f.model, ptq.FormQ4_0, model.GroupBlock, true)
	other, err := small.WithCertificate(json.RawMessage(`{"c": 2}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(other.Compressed().Certificate); got != `{"c":2}` {
		t.Errorf("the certificate is %s", got)
	}
	back, err := other.WithCertificate(small.Compressed().Certificate)
	if err != nil || !bytes.Equal(encode(t, back), encode(t, small)) {
		t.Errorf("with the old certificate it has other bytes: %v", err)
	}
	if _, err := f.model.WithCertificate(nil); err == nil {
		t.Error("a full model took a certificate")
	}
}

// A narrowed model takes every row to a leaf of the same value, those with missing values and
// unseen levels too, and needs no more cuts and levels than its trees name.
func TestNarrowed(t *testing.T) {
	t.Run("S3.57/same_leaf", func(t *testing.T) {
		ctx := context.Background()
		f := newForestOver(t, 2000, 2, 4, 8, 200, 300)
		narrow, err := f.model.Narrowed(model.KnownNames)
		if err != nil {
			t.Fatal(err)
		}
		before, after := f.model.Contents().Cuts, narrow.Contents().Cuts
		if after.Bytes() >= before.Bytes() {
			t.Errorf("cuts of %d bytes became %d", before.Bytes(), after.Bytes())
		}
		strange := table(t, []dataset.ColumnData{
			{Name: "small", Values: []float64{math.Inf(1), math.Inf(-1), math.Copysign(0, -1), math.NaN(), 3, 1e300}},
			{Name: "real", Values: []float64{math.NaN(), 0, math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 5e-324}},
			{Name: "many", Values: []string{"", "never seen", "level 1", "level 2", "level 299", "LEVEL 1"}},
			{Name: "y", Values: make([]float64, 6)},
			{Name: "few", Values: []string{"a", "", "z", "b", "c", "a"}},
		}, dataset.Label("y"))
		for _, tab := range []*dataset.Table{f.table, strange} {
			want, err := f.model.PredictRaw(ctx, tab)
			if err != nil {
				t.Fatal(err)
			}
			got, err := narrow.PredictRaw(ctx, tab)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Error("a narrowed model predicts something else")
			}
		}
		twice, err := narrow.Narrowed(model.KnownNames)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(encode(t, twice), encode(t, narrow)) {
			t.Error("narrowing a narrowed model changes it")
		}
	})
}

func TestCompressedWithoutStatistics(t *testing.T) {
	f := newForest(t, 300, 1, 3, 10)
	small, _ := compressed(t, f.model, ptq.FormQ4_0, model.GroupBlock, false)
	for _, kind := range []model.ImportanceKind{model.ByGain, model.ByCover} {
		if d, err := small.Describe(); err != nil || d.Features[0].Gain != nil {
			t.Errorf("without statistics %+v (%v)", d.Features[0], err)
		}
		if _, err := small.Importance(kind); !errors.Is(err, model.ErrNoStatistics) {
			t.Errorf("importance by %s: %v", kind, err)
		}
	}
	if _, err := small.Importance(model.BySplit); err != nil {
		t.Error(err)
	}
	// What is made of it is a full model: it keeps the values, not the form.
	prefix, err := small.Prefix(2)
	if err != nil {
		t.Fatal(err)
	}
	again, err := model.Decode(encode(t, prefix))
	if err != nil {
		t.Fatal(err)
	}
	if again.Compressed() != nil || !slices.Equal(again.Leaves(), small.Leaves()[:len(again.Leaves())]) {
		t.Error("its prefix is not the full model of its first rounds")
	}
}

func TestCompressRefuses(t *testing.T) {
	f := newForest(t, 300, 1, 3, 10)
	small, _ := compressed(t, f.model, ptq.FormOf(ptq.I8), model.GroupModel, false)
	narrow, err := f.model.Narrowed(model.KnownNames)
	if err != nil {
		t.Fatal(err)
	}
	good := *small.Compressed()
	few, err := ptq.Encode(ptq.FormOf(ptq.F32), ptq.Calibration{}, []float64{1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(z *model.Compression){
		"no leaves":         func(z *model.Compression) { z.Leaves = nil },
		"few leaves":        func(z *model.Compression) { z.Leaves = few },
		"unknown grouping":  func(z *model.Compression) { z.Grouping = "leaf" },
		"source":            func(z *model.Compression) { z.Source = "abc" },
		"certificate":       func(z *model.Compression) { z.Certificate = json.RawMessage("[]") },
		"other calibration": func(z *model.Compression) { z.Grouping = model.GroupTree },
	} {
		z := good
		spoil(&z)
		if m, err := narrow.Compress(z); err == nil {
			if _, err = m.Encode(); err == nil && name != "other calibration" {
				t.Errorf("%s: no error", name)
			}
		}
	}
	// A model that is not in canonical order.
	if f.model.NumTrees() > 0 {
		if _, err := f.model.Compress(good); err == nil {
			t.Error("a model that was not narrowed was compressed")
		}
	}
}

// decodeSmall is decodeAny for compressed files, of which a byte can stand for more.
func decodeSmall(t *testing.T, data []byte) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := model.Decode(data)
	runtime.ReadMemStats(&after)
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(1024*len(data)+8<<20); got > most {
		t.Fatalf("Decode of %d bytes allocated %d bytes, at most %d allowed", len(data), got, most)
	}
	sameVerdict(t, data)
	if err != nil {
		if !errors.Is(err, model.ErrModel) {
			t.Fatalf("Decode = %v, want ErrModel", err)
		}
		return
	}
	if again := encode(t, m); !bytes.Equal(again, data) {
		t.Fatal("Decode took bytes that Encode does not write")
	}
}

func TestCompressedDamage(t *testing.T) {
	f := newForestOver(t, 200, 1, 3, 12, 20, 30)
	for _, form := range []ptq.Form{ptq.FormQ4_0, ptq.FormOf(ptq.U4), ptq.FormCold2} {
		small, _ := compressed(t, f.model, form, model.GroupBlock, form == ptq.FormCold2)
		data := encode(t, small)
		for n := range data {
			if _, err := model.Decode(data[:n]); !errors.Is(err, model.ErrModel) {
				t.Fatalf("%s cut at %d: %v", form, n, err)
			}
		}
		for i := range data {
			spoiled := slices.Clone(data)
			spoiled[i] ^= 1 << (i % 8)
			if _, err := model.Decode(spoiled); !errors.Is(err, model.ErrModel) {
				t.Fatalf("%s with bit %d of byte %d flipped: %v", form, i%8, i, err)
			}
			if i < len(data)-4 {
				decodeSmall(t, reseal(spoiled))
			}
		}
	}
}

func FuzzDecodeCompressedS4_29(f *testing.F) {
	forest := newForestOver(f, 200, 1, 3, 12, 20, 30)
	for _, form := range ptq.Forms() {
		small, _ := compressed(f, forest.model, form, model.GroupBlock, false)
		f.Add(encode(f, small), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		if seal && len(data) > 36 {
			data = reseal(slices.Clone(data))
		}
		decodeSmall(t, data)
	})
}
