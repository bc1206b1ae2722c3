package metrics_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"boost/internal/kernel/loss"
	"boost/objectives/metrics"
	"boost/parallel"
)

// XGBoost's cox-nloglik, also of tied times.
func TestCoxNLogLik(t *testing.T) {
	text, err := os.ReadFile("../testdata/survival.json")
	if err != nil {
		t.Fatal(err)
	}
	type set struct {
		Labels, Scores []float64
		NLogLik        float64
	}
	var sets struct {
		Cox  set
		Ties set `json:"cox_ties"`
	}
	if err := json.Unmarshal(text, &sets); err != nil {
		t.Fatal(err)
	}
	for _, s := range []set{sets.Cox, sets.Ties} {
		values := make([]float64, len(s.Scores))
		for i, score := range s.Scores {
			values[i] = math.Exp(score)
		}
		for name, in := range map[string]metrics.Input{
			"raw": {Outputs: 1, Raw: s.Scores, Labels: s.Labels}, "values": {Outputs: 1, Values: values, Labels: s.Labels},
		} {
			if got := eval(t, "cox_nloglik", in); math.Abs(got-s.NLogLik) > 1e-6 { // XGBoost's scores are float32
				t.Errorf("%s: %v, want %v", name, got, s.NLogLik)
			}
		}
	}
}

var hazards = &metrics.Survival{Hazards: true}

func list(numbers ...float64) []float64 { return numbers }

// Pairs that can be compared, counted by hand.
func TestConcordance(t *testing.T) {
	zero := math.Copysign(0, -1)
	for _, c := range []struct {
		name                    string
		labels, scores, weights []float64
		times                   bool // predictions are times
		want                    float64
	}{
		{"in_order", list(1, 2, 3), list(3, 2, 1), nil, false, 1},
		{"times_in_order", list(1, 2, 3), list(1, 2, 3), nil, true, 1},
		{"reversed", list(1, 2, 3), list(1, 2, 3), nil, false, 0},
		{"equal_scores", list(1, 2), list(5, 5), nil, false, .5},
		{"equal_scores_of_times", list(1, 2), list(5, 5), nil, true, .5},
		// Of (1,2), (1,3), (2,3) the last cannot be compared: row 2 is censored at 2.
		{"censored_first", list(1, -2, 3), list(2, 1, 3), nil, false, .5},
		// At time 2 the censored row is later; the two events cannot be compared: pairs (1,3) right, (2,3) wrong.
		{"ties_in_time", list(2, 2, -2), list(2, 0, 1), nil, false, .5},
		{"censored_at_0", list(0, zero), list(1, 0), nil, false, 1},
		{"censored_only", list(-1, -2), list(1, 0), nil, false, math.NaN()},
		{"events_at_once", list(1, 1), list(1, 0), nil, false, math.NaN()},
		// Pairs (1,2) right 2·3, (1,3) wrong 2·1, (2,3) wrong 3·1.
		{"weights", list(1, 2, 3), list(5, 4, 6), list(2, 3, 1), false, 6. / 11},
		{"nan_without_weight", list(1, 2, 3), list(2, 1, math.NaN()), list(1, 1, 0), false, 1},
		{"nan", list(1, 2), list(2, math.NaN()), nil, false, math.NaN()},
		{"no_rows", nil, nil, nil, false, math.NaN()},
	} {
		in := metrics.Input{Outputs: 1, Raw: c.scores, Labels: c.labels, Weights: c.weights, Survival: &metrics.Survival{Hazards: !c.times}}
		if got := eval(t, "concordance", in); !near(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if got := eval(t, "concordance", metrics.Input{Outputs: 1, Raw: list(1, 2), Labels: list(1, 2)}); !math.IsNaN(got) {
		t.Errorf("of a model that is not of times: %v", got)
	}
}

// Every pair looked at, and the same bits for every number of threads and every order of rows.
func TestSurvivalOrderAndThreads(t *testing.T) {
	pool := parallel.NewPool(3)
	defer pool.Close()
	r := rand.New(rand.NewPCG(7, 1))
	const n = 3000
	labels, scores, weights := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		labels[i], scores[i], weights[i] = float64(r.IntN(200)), math.Floor(r.NormFloat64()*100)/50, float64(r.IntN(3))
		if r.IntN(2) == 0 {
			labels[i] = math.Copysign(labels[i], -1)
		}
	}
	var right, all float64
	for i, y := range labels {
		for j, other := range labels {
			if math.Signbit(y) || !(math.Abs(other) > y || math.Abs(other) == y && math.Signbit(other)) {
				continue
			}
			w := weights[i] * weights[j]
			all += w
			switch {
			case scores[j] < scores[i]:
				right += w
			case scores[j] == scores[i]:
				right += w / 2
			}
		}
	}
	in := metrics.Input{Outputs: 1, Raw: scores, Labels: labels, Weights: weights, Survival: hazards}
	if got := eval(t, "concordance", in); !near(got, right/all) {
		t.Errorf("concordance %v, want %v", got, right/all)
	}
	perm := r.Perm(n)
	other := in
	other.Raw, other.Labels, other.Weights, other.Pool = take(scores, perm), take(labels, perm), take(weights, perm), pool
	for _, name := range []string{"concordance", "cox_nloglik"} {
		if a, b := eval(t, name, in), eval(t, name, other); a != b || math.IsNaN(a) {
			t.Errorf("%s: %v, of shuffled rows on 3 threads %v", name, a, b)
		}
	}
	if !slices.Equal(labels, in.Labels) {
		t.Error("the labels were changed")
	}
}

// XGBoost's aft-nloglik of exact and of censored rows.
func TestAFTNLogLik(t *testing.T) {
	text, err := os.ReadFile("../testdata/survival.json")
	if err != nil {
		t.Fatal(err)
	}
	var peers struct {
		AFT []struct {
			Distribution string
			Scale        float64
			NLogLik      float64 `json:"nloglik_events"`
			All          float64 `json:"nloglik"`
			Accuracy     float64
		}
		Rows struct {
			Lower, Upper []*float64
			Scores       []float64
		} `json:"aft_rows"`
	}
	if err := json.Unmarshal(text, &peers); err != nil {
		t.Fatal(err)
	}
	var labels, scores, values, lower, above, times []float64
	for i, score := range peers.Rows.Scores {
		label, upper := *peers.Rows.Lower[i], peers.Rows.Upper[i]
		lower, above, times = append(lower, label), append(above, math.Inf(1)), append(times, math.Exp(score))
		if upper != nil {
			above[i] = *upper
		}
		if upper == nil {
			label = -label
		} else if *upper != label {
			continue
		}
		labels, scores, values = append(labels, label), append(scores, score), append(values, math.Exp(score))
	}
	for _, p := range peers.AFT {
		errors := loss.AFT{Distribution: map[string]loss.Distribution{"normal": loss.NormalErrors, "logistic": loss.LogisticErrors, "extreme": loss.ExtremeErrors}[p.Distribution], Scale: p.Scale}
		in := metrics.Input{Outputs: 1, Raw: scores, Labels: labels, Survival: &metrics.Survival{Errors: errors}}
		if got := eval(t, "aft_nloglik", in); math.Abs(got-p.NLogLik) > 1e-6*p.NLogLik {
			t.Errorf("%s, scale %v: %v, want %v", p.Distribution, p.Scale, got, p.NLogLik)
		}
		all := metrics.Input{Outputs: 1, Raw: peers.Rows.Scores, Values: times, Labels: lower, Upper: above, Survival: in.Survival}
		if got := eval(t, "aft_nloglik", all); math.Abs(got-p.All) > 1e-6*p.All {
			t.Errorf("%s, scale %v, with intervals: %v, want %v", p.Distribution, p.Scale, got, p.All)
		}
		if got := eval(t, "interval_accuracy", all); math.Abs(got-p.Accuracy) > 1e-6 {
			t.Errorf("%v of the intervals are met, want %v", got, p.Accuracy)
		}
		if got := eval(t, "concordance", all); !math.IsNaN(got) {
			t.Errorf("concordance of intervals is %v", got)
		}
		in.Raw, in.Values = nil, values
		if got := eval(t, "aft_nloglik", in); math.Abs(got-p.NLogLik) > 1e-6*p.NLogLik {
			t.Errorf("%s, scale %v, of predictions: %v, want %v", p.Distribution, p.Scale, got, p.NLogLik)
		}
		in.Survival = hazards
		if got := eval(t, "aft_nloglik", in); !math.IsNaN(got) {
			t.Errorf("of hazards: %v", got)
		}
	}
}

// scikit-survival's integrated Brier score, of both kinds of models, with ties, weights and no censoring.
func TestIntegratedBrier(t *testing.T) {
	text, err := os.ReadFile("testdata/integrated_brier.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Model                   string
		Steps                   int
		Labels, Scores, Weights []float64
		Want                    float64
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	errors := map[string]loss.Distribution{"normal": loss.NormalErrors, "logistic": loss.LogisticErrors, "extreme": loss.ExtremeErrors}
	for i, c := range cases {
		in := metrics.Input{Outputs: 1, Raw: c.Scores, Labels: c.Labels, Weights: c.Weights, Survival: hazards}
		if c.Model != "cox" {
			in.Survival = &metrics.Survival{Errors: loss.AFT{Distribution: errors[c.Model], Scale: 0.7}}
		}
		name := "integrated_brier"
		if c.Steps != 100 {
			name += "@" + strconv.Itoa(c.Steps)
		}
		got := eval(t, name, in)
		if !(math.Abs(got-c.Want) <= 1e-9*c.Want) {
			t.Errorf("%d, %s of %s: %v, want %v", i, name, c.Model, got, c.Want)
		}
		pool := parallel.NewPool(3)
		in.Pool = pool
		if other := eval(t, name, in); other != got {
			t.Errorf("%d: %v on three threads, %v on one", i, other, got)
		}
		pool.Close()
	}
}

// Where no time passes between events, or rows are of intervals, there is no mean over time.
func TestIntegratedBrierUndefined(t *testing.T) {
	for name, in := range map[string]metrics.Input{
		"one time":   {Labels: list(2, 2, 2), Raw: list(1, 2, 3), Survival: hazards},
		"no events":  {Labels: list(-1, -2, -3), Raw: list(1, 2, 3), Survival: hazards},
		"one event":  {Labels: list(1, -2, -3), Raw: list(1, 2, 3), Survival: hazards},
		"no number":  {Labels: list(1, 2, 3), Raw: list(1, math.NaN(), 3), Survival: hazards},
		"intervals":  {Labels: list(1, 2, 3), Upper: list(2, 3, 4), Raw: list(1, 2, 3), Survival: hazards},
		"no weights": {Labels: list(1, 2, 3), Weights: list(0, 0, 0), Raw: list(1, 2, 3), Survival: hazards},
		"other loss": {Labels: list(1, 2, 3), Raw: list(1, 2, 3)},
	} {
		in.Outputs = 1
		if got := eval(t, "integrated_brier", in); !math.IsNaN(got) {
			t.Errorf("%s: %v", name, got)
		}
	}
}
