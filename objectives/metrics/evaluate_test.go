package metrics_test

import (
	"math"
	"slices"
	"testing"

	"boost/objectives"
	"boost/objectives/metrics"
)

// Two classes whose raw scores are 0 and ln 3: probabilities ½ and ¾ of the second. Row-major scores of
// two outputs become columns.
func TestEvaluate(t *testing.T) {
	list, err := metrics.List([]string{"logloss", "error"})
	if err != nil {
		t.Fatal(err)
	}
	in := metrics.Input{Outputs: 1, Raw: []float64{0, math.Log(3)}, Values: make([]float64, 2), Labels: []float64{0, 0}}
	got := metrics.Evaluate(in, objectives.Logistic, list)
	if want := (math.Log(2) + math.Log(4)) / 2; math.Abs(got[0]-want) > 1e-12 {
		t.Errorf("logloss %v, want %v", got[0], want)
	}
	if math.Abs(in.Values[0]-0.5) > 1e-12 || math.Abs(in.Values[1]-0.75) > 1e-12 {
		t.Errorf("predictions %v, want 0.5 and 0.75", in.Values)
	}
	to := make([]float64, 6)
	metrics.OutputMajor([]float64{1, 2, 3, 4, 5, 6}, 2, to)
	if want := []float64{1, 3, 5, 2, 4, 6}; !slices.Equal(to, want) {
		t.Errorf("output-major %v, want %v", to, want)
	}
	if _, err := metrics.List([]string{"auc", "none"}); err == nil {
		t.Error("an unknown metric was taken")
	}
}
