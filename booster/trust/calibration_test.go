package trust_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"boost/booster/trust"
	"boost/internal/detmath"
)

// calibrationCase is a case of testdata/calibration.json.
type calibrationCase struct {
	Name     string
	Outputs  int
	Scores   []float64   // of two classes: log-odds
	Values   [][]float64 // of more: probabilities, by row
	Labels   []float64
	Weights  []float64
	At       []float64 // log-odds that are calibrated
	Expected map[trust.Method]json.RawMessage
}

// TestPeers compares with what scikit-learn's regressions give, and for Venn-Abers with the definition (testdata/calibration.py).
func TestPeers(t *testing.T) {
	text, err := os.ReadFile("testdata/calibration.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []calibrationCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		for method, expected := range c.Expected {
			t.Run(c.Name+"/"+string(method), func(t *testing.T) { c.compare(t, method, expected) })
		}
	}
}

func (c *calibrationCase) compare(t *testing.T, method trust.Method, expected json.RawMessage) {
	rows := trust.Rows{Outputs: c.Outputs, Labels: c.Labels, Weights: c.Weights}
	var at, want []float64
	if c.Outputs == 1 {
		rows.Values, at = sigmoids(c.Scores), sigmoids(c.At)
		if err := json.Unmarshal(expected, &want); err != nil {
			t.Fatal(err)
		}
	} else {
		var byRow [][]float64
		if err := json.Unmarshal(expected, &byRow); err != nil {
			t.Fatal(err)
		}
		rows.Values, want = outputMajor(c.Values), outputMajor(byRow)
		at = slices.Clone(rows.Values)
	}
	fitted, err := trust.FitCalibration(rows, method)
	if err != nil {
		t.Fatal(err)
	}
	n := len(at) / c.Outputs
	fitted.Calibration.Apply(c.Outputs, at, 0, n, n)
	for i := range want {
		if math.Abs(at[i]-want[i]) > 1e-7 {
			t.Errorf("entry %d is %v, expected %v", i, at[i], want[i])
		}
	}
}

func sigmoids(scores []float64) []float64 {
	values := make([]float64, len(scores))
	for i, s := range scores {
		values[i] = detmath.Sigmoid(s)
	}
	return values
}

func outputMajor(rows [][]float64) []float64 {
	all := make([]float64, 0, len(rows)*len(rows[0]))
	for k := range rows[0] {
		for _, row := range rows {
			all = append(all, row[k])
		}
	}
	return all
}

// overconfident are rows of two classes whose log-odds are twice what they should be, and half a unit too high.
func overconfident(n int) trust.Rows {
	random := newSource(7)
	rows := trust.Rows{Outputs: 1}
	for range n {
		s := 4 * (random() - 0.5)
		rows.Values = append(rows.Values, detmath.Sigmoid(2*s+0.5))
		label := 0.0
		if random() < detmath.Sigmoid(s) {
			label = 1
		}
		rows.Labels = append(rows.Labels, label)
	}
	return rows
}

// TestAutoFindsWhatRowsWereMadeBy takes rows whose true map is a sigmoid of the log-odds.
func TestAutoFindsWhatRowsWereMadeBy(t *testing.T) {
	fitted, err := trust.FitCalibration(overconfident(20_000), trust.Auto)
	if err != nil {
		t.Fatal(err)
	}
	c := fitted.Calibration
	if c == nil || c.Method != trust.Platt && c.Method != trust.Beta {
		t.Fatalf("Auto chose %+v of %v", c, fitted.Candidates)
	}
	// s = (raw − 0.5) / 2: at raw 0.5 the probability is 1/2, at 2.5 it is that of log-odds 1.
	at := sigmoids([]float64{0.5, 2.5})
	c.Apply(1, at, 0, 2, 2)
	for i, want := range []float64{0.5, 0.7310585786300049} {
		if math.Abs(at[i]-want) > 0.02 {
			t.Errorf("probability %d is %v, expected about %v", i, at[i], want)
		}
	}
}

// TestAutoLeavesGoodProbabilities takes labels drawn by the probabilities themselves.
func TestAutoLeavesGoodProbabilities(t *testing.T) {
	random, rows := newSource(3), trust.Rows{Outputs: 1}
	for range 2000 {
		p, label := random(), 0.0
		if random() < p {
			label = 1
		}
		rows.Values, rows.Labels = append(rows.Values, p), append(rows.Labels, label)
	}
	fitted, err := trust.FitCalibration(rows, trust.Auto)
	if err != nil {
		t.Fatal(err)
	}
	none := fitted.Candidates[0]
	if none.Method != trust.None {
		t.Fatalf("the first candidate is %v", none)
	}
	for _, c := range fitted.Candidates[1:] {
		if c.LogLoss < none.LogLoss-0.002 {
			t.Errorf("%s seems to gain %v on probabilities that are right", c.Method, none.LogLoss-c.LogLoss)
		}
	}
	if fitted.Calibration == nil && !slices.Equal(fitted.Held, rows.Values) {
		t.Error("without a calibration the held probabilities are not those of the model")
	}
}

// TestHeldIsHonest takes labels that nothing predicts: on rows that it was not fitted to, no map is better than the share.
func TestHeldIsHonest(t *testing.T) {
	random, rows := newSource(5), trust.Rows{Outputs: 1}
	for i := range 400 {
		rows.Values, rows.Labels = append(rows.Values, random()), append(rows.Labels, float64(i%2))
	}
	fitted, err := trust.FitCalibration(rows, trust.VennAbers)
	if err != nil {
		t.Fatal(err)
	}
	loss := 0.0
	for i, p := range fitted.Held {
		if rows.Labels[i] == 0 {
			p = 1 - p
		}
		loss -= math.Log(p) / float64(len(fitted.Held))
	}
	if loss < math.Ln2 {
		t.Errorf("the log loss of held rows is %v, below ln 2 of a coin", loss)
	}
}

// TestWeightsAreRepeats compares a weight of 2 with a row that stands twice.
func TestWeightsAreRepeats(t *testing.T) {
	for _, method := range []trust.Method{trust.Platt, trust.Beta} {
		once, twice := overconfident(300), trust.Rows{Outputs: 1}
		for i := range once.Labels {
			weight := float64(1 + i%2)
			once.Weights = append(once.Weights, weight)
			for range int(weight) {
				twice.Values, twice.Labels = append(twice.Values, once.Values[i]), append(twice.Labels, once.Labels[i])
			}
		}
		a, err := trust.FitCalibration(once, method)
		if err != nil {
			t.Fatal(err)
		}
		b, err := trust.FitCalibration(twice, method)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range a.Calibration.Maps[0].Coefficients {
			if y := b.Calibration.Maps[0].Coefficients[i]; math.Abs(x-y) > 1e-7 {
				t.Errorf("%s: coefficient %d is %v with weights, %v with repeated rows", method, i, x, y)
			}
		}
	}
}

func TestFitErrors(t *testing.T) {
	good := overconfident(50)
	few := trust.Rows{Outputs: 1, Values: []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, Labels: []float64{0, 0, 0, 0, 0, 1}}
	three := trust.Rows{Outputs: 3, Values: make([]float64, 45), Labels: make([]float64, 15)}
	for i := range three.Labels {
		three.Labels[i] = float64(i % 3)
	}
	strange := trust.Rows{Outputs: 1, Values: good.Values, Labels: slices.Clone(good.Labels)}
	strange.Labels[4] = 0.5
	for _, c := range []struct {
		rows   trust.Rows
		method trust.Method
		want   string
	}{
		{good, "sigmoid", `unknown calibration "sigmoid": expected one of [auto none platt beta isotonic venn-abers]`},
		{few, trust.Platt, "class 1 has 1 rows: to be calibrated each class needs 5, and some hundreds to gain by it"},
		{three, trust.Beta, `calibration "beta" is for two classes: take auto, platt or isotonic`},
		{strange, trust.Platt, "row 4 has label 0.5: expected the index of one of 2 classes"},
		{trust.Rows{Outputs: 1, Values: good.Values[1:], Labels: good.Labels}, trust.Platt, "49 probabilities of 1 outputs and 0 weights for 50 rows"},
	} {
		if _, err := trust.FitCalibration(c.rows, c.method); fmt.Sprint(err) != c.want {
			t.Errorf("got %v, expected %s", err, c.want)
		}
	}
}

// TestCertainProbabilities gives probabilities of exactly 0 and 1.
func TestCertainProbabilities(t *testing.T) {
	rows := overconfident(200)
	rows.Values[0], rows.Values[1] = 0, 1
	for _, method := range trust.Methods()[2:] {
		fitted, err := trust.FitCalibration(rows, method)
		if err != nil {
			t.Fatal(err)
		}
		at := []float64{0, 1, 0x1p-1074, 0.5}
		fitted.Calibration.Apply(1, at, 0, 4, 4)
		if slices.ContainsFunc(at, func(p float64) bool { return !(p > 0 && p < 1) }) || !(at[0] <= at[3] && at[3] <= at[1]) {
			t.Errorf("%s makes %v of 0, 1, the least number and a half", method, at)
		}
	}
}

func TestCostThreshold(t *testing.T) {
	for _, c := range []struct{ falsePositive, falseNegative, want float64 }{
		{1, 1, 0.5}, {1, 4, 0.2}, {9, 1, 0.9}, {1e308, 1e308, 0.5}, {math.SmallestNonzeroFloat64, math.SmallestNonzeroFloat64, 0.5},
	} {
		if got, err := trust.CostThreshold(c.falsePositive, c.falseNegative); err != nil || math.Abs(got-c.want) > 1e-15 {
			t.Errorf("costs %v and %v: %v, %v, expected %v", c.falsePositive, c.falseNegative, got, err, c.want)
		}
	}
	for _, costs := range [][2]float64{{0, 1}, {1, -1}, {math.NaN(), 1}, {math.Inf(1), 1}, {1e-300, 1e300}} {
		if got, err := trust.CostThreshold(costs[0], costs[1]); err == nil {
			t.Errorf("costs %v are accepted, with threshold %v", costs, got)
		}
	}
}
