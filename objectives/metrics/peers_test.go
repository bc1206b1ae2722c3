package metrics_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strconv"
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
	Confusions []struct {
		Set  string
		Want []float64
	}
	Best []struct {
		Set     string
		F1, MCC float64
	}
}

func readPeers(t *testing.T) *peerFigures {
	t.Helper()
	text, err := os.ReadFile("testdata/peers.json")
	if err != nil {
		t.Fatal(err)
	}
	peers := new(peerFigures)
	if err := json.Unmarshal(text, peers); err != nil {
		t.Fatal(err)
	}
	return peers
}

func (p *peerFigures) input(set string) metrics.Input {
	s := p.Sets[set]
	return metrics.Input{
		Outputs: len(s.Values), Values: slices.Concat(s.Values...), Raw: slices.Concat(s.Raw...), Labels: s.Labels, Weights: s.Weights,
	}
}

func near(got, want float64) bool {
	return math.Abs(got-want) <= 1e-9*math.Abs(want) || math.IsNaN(got) && math.IsNaN(want)
}

// Every metric against scikit-learn and LightGBM, and against NumPy where they have none like it: rows
// with ties, weights of 0, one class only, equal predictions.
func TestPeerFigures(t *testing.T) {
	peers := readPeers(t)
	missing := slices.DeleteFunc(metrics.Names(), func(name string) bool { // testdata/ranking.py has those of queries, and the tests of survival are of times
		info, _ := metrics.Lookup(name)
		return info.Queries || info.Links[0] == "cox" || info.Links[0] == "aft"
	})
	for _, f := range peers.Figures {
		m, err := metrics.New(f.Metric)
		if err != nil {
			t.Fatal(err)
		}
		want := math.NaN()
		if f.Want != nil {
			want = *f.Want
		}
		if got := m.Eval(peers.input(f.Set)); !near(got, want) {
			t.Errorf("%s of %s is %v, %s has %v", f.Metric, f.Set, got, f.Peer, want)
		}
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == metrics.Base(f.Metric) })
	}
	if len(missing) > 0 {
		t.Errorf("testdata/peers.py has no figures of %v", missing)
	}
}

// Matrices of scikit-learn, and the best of all thresholds that it computes f1 and mcc at.
func TestPeerDecisions(t *testing.T) {
	peers := readPeers(t)
	for _, c := range peers.Confusions {
		if got, ok := metrics.Confusion(peers.input(c.Set), 0.5); !ok || !slices.EqualFunc(got, c.Want, near) {
			t.Errorf("the matrix of %s is %v, scikit-learn has %v", c.Set, got, c.Want)
		}
	}
	for _, b := range peers.Best {
		in := peers.input(b.Set)
		byF1, byMCC, ok := metrics.BestDecisions(in)
		if !ok || !near(byF1.F1, b.F1) || !near(byMCC.MCC, b.MCC) {
			t.Errorf("%s: the best are %+v and %+v, scikit-learn has an f1 of %v and an mcc of %v", b.Set, byF1, byMCC, b.F1, b.MCC)
		}
		// The same threshold gives the same, and the same as the metrics by name.
		for _, d := range []metrics.Decision{byF1, byMCC} {
			if got := metrics.Decide(in, d.Threshold); !near(got.F1, d.F1) || !near(got.MCC, d.MCC) || !near(got.Predicted, d.Predicted) {
				t.Errorf("%s: %+v is decided where %+v was best", b.Set, got, d)
			}
			for metric, want := range map[string]float64{"precision": d.Precision, "recall": d.Recall, "f1": d.F1} {
				if got := eval(t, metric+"@"+strconv.FormatFloat(d.Threshold, 'f', -1, 64), in); !near(got, want) {
					t.Errorf("%s: %s is %v, decided was %v", b.Set, metric, got, want)
				}
			}
		}
	}
}

func TestDecisionsUndefined(t *testing.T) {
	nan := math.NaN()
	for name, in := range map[string]metrics.Input{
		"no rows":   {Outputs: 1},
		"no weight": {Outputs: 1, Values: []float64{0.1, 0.9}, Labels: []float64{0, 1}, Weights: []float64{0, 0}},
		"one class": {Outputs: 1, Values: []float64{0.1, 0.9}, Labels: []float64{1, 1}},
		"NaN":       {Outputs: 1, Values: []float64{0.1, nan}, Labels: []float64{0, 1}},
		"three":     {Outputs: 3, Values: []float64{0.1, 0.2, 0.7}, Labels: []float64{1}},
	} {
		if _, _, ok := metrics.BestDecisions(in); ok {
			t.Errorf("%s: there is a best threshold", name)
		}
		d := metrics.Decide(in, 0.5)
		if oneClass := name == "one class"; math.IsNaN(d.F1) == oneClass || !math.IsNaN(d.MCC) {
			t.Errorf("%s: %+v is decided", name, d)
		}
		if _, ok := metrics.Confusion(in, 0.5); ok != (name == "one class" || name == "three") {
			t.Errorf("%s: there is a matrix: %v", name, ok)
		}
	}
	// A row of weight 0 parts no others, and neighbours have no number between them.
	for _, low := range []float64{0.5, math.Nextafter(0.5, 1)} {
		in := metrics.Input{
			Outputs: 1, Values: []float64{low, math.Nextafter(low, 1), 0.75, nan}, Labels: []float64{0, 1, 0, 1}, Weights: []float64{1, 1, 0, 0},
		}
		if byF1, byMCC, ok := metrics.BestDecisions(in); !ok || byF1.Threshold != low || byF1.F1 != 1 || byMCC.MCC != 1 {
			t.Errorf("the best are %+v and %+v", byF1, byMCC)
		}
	}
}
