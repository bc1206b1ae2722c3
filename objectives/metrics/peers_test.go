package metrics_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"boost/objectives/metrics"
)

// What testdata/peers.py has written: rows, and other programs' figures of them.
type peerFigures struct {
	Sets map[string]struct {
		Labels, Weights []float64
		Values, Raw     [][]float64 // by output
	}
	Figures []struct {
		Metric, Peer, Set string
		Want              *float64 // nil: undefined
	}
}

// Every metric against scikit-learn and LightGBM, and against NumPy where they have none like it: rows
// with ties, weights of 0, one class only, equal predictions.
func TestPeerFigures(t *testing.T) {
	text, err := os.ReadFile("testdata/peers.json")
	if err != nil {
		t.Fatal(err)
	}
	var peers peerFigures
	if err := json.Unmarshal(text, &peers); err != nil {
		t.Fatal(err)
	}
	missing := metrics.Names()
	for _, f := range peers.Figures {
		s := peers.Sets[f.Set]
		in := metrics.Input{Outputs: len(s.Values), Values: slices.Concat(s.Values...), Raw: slices.Concat(s.Raw...), Labels: s.Labels, Weights: s.Weights}
		m, err := metrics.New(f.Metric)
		if err != nil {
			t.Fatal(err)
		}
		want := math.NaN()
		if f.Want != nil {
			want = *f.Want
		}
		if got := m.Eval(in); !(math.Abs(got-want) <= 1e-9*math.Abs(want)) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s of %s is %v, %s has %v", f.Metric, f.Set, got, f.Peer, want)
		}
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == metrics.Base(f.Metric) })
	}
	if len(missing) > 0 {
		t.Errorf("testdata/peers.py has no figures of %v", missing)
	}
}
