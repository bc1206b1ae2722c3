package registry_test

import (
	"context"
	"reflect"
	"testing"

	"boost/booster/trust"
	"boost/tensorq/store"
)

// TestCalibratedModel takes a calibrated model through the tiers: each has the calibration, and so do its predictions.
func TestCalibratedModel(t *testing.T) {
	f, table := newRegistry(t), rows(t, 2, 300)
	m := forest(t, 9, 3, 12, 9)
	of := &trust.Trust{Rows: 50, Fingerprint: m.Contents().Fingerprint, Calibration: &trust.Calibration{Method: trust.Platt},
		Intervals: &trust.Intervals{Kind: trust.Sets, Level: 0.9, Margin: 0.7}}
	for k := range 3 {
		of.Calibration.Maps = append(of.Calibration.Maps, trust.Map{Coefficients: []float64{0.5, float64(k)}})
	}
	m, err := m.WithTrust(of)
	if err != nil {
		t.Fatal(err)
	}
	f.add("m", m)
	for _, tier := range []store.Tier{store.Hot, store.Warm, store.Cold, store.Hot} {
		f.at("m", tier)
		f.reopen()
		reading := f.get("m")
		got, err := reading.Expand()
		if err != nil || !reflect.DeepEqual(got.Trust(), of) {
			t.Fatalf("%v: %v, trust %+v, want %+v", tier, err, got.Trust(), of)
		}
		plain, err := got.WithTrust(nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := plain.Predict(context.Background(), table)
		if err != nil {
			t.Fatal(err)
		}
		for row := range table.NumRows() {
			of.Calibration.Apply(3, want[3*row:3*row+3], 0, 1, 1)
		}
		values, err := reading.Model.Predict(context.Background(), table)
		if err != nil || !reflect.DeepEqual(values, want) {
			t.Errorf("%v: the predictions are not calibrated (%v)", tier, err)
		}
	}
	full, err := f.Full("m")
	if err != nil || encoded(t, full) != encoded(t, m) {
		t.Errorf("the lossless model is another one: %v", err)
	}
}
