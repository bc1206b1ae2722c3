package trust_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"boost/booster/trust"
)

// newSource returns numbers drawn evenly from 0 to 1.
func newSource(seed uint64) func() float64 { return rand.New(rand.NewPCG(seed, 1)).Float64 }

func residuals(level float64) *trust.Intervals {
	return &trust.Intervals{Kind: trust.Residuals, Level: level}
}

// TestMargins counts by hand: the margin is the ⌈level·(n+1)⌉-th score.
func TestMargins(t *testing.T) {
	for _, c := range []struct {
		name    string
		level   float64
		scores  []float64
		weights []float64
		want    float64
	}{
		{"the last of 9 of 10", 0.9, []float64{3, 1, 2, 5, 4, 9, 7, 8, 6}, nil, 9},
		{"the middle of 9", 0.5, []float64{3, 1, 2, 5, 4, 9, 7, 8, 6}, nil, 5},
		{"11 of 20, which 0.55 × 20 rounds up from", 0.55, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, nil, 11},
		{"ties", 0.6, []float64{1, 1, 1, 2}, nil, 1},
		{"below 0", 0.5, []float64{-3, -2, -1}, nil, -2},
		{"weights as repeats: 4.5 of 3, 1, 2 and the mean 2", 0.5, []float64{1, 2, 3}, []float64{3, 1, 2}, 2},
		{"rows that weigh nothing", 0.5, []float64{1, 2, 3, 90}, []float64{1, 1, 1, 0}, 2},
	} {
		v := residuals(c.level)
		if _, err := trust.FitIntervals(v, trust.Sample{Scores: c.scores, Weights: c.weights}); err != nil || v.Margin != c.want {
			t.Errorf("%s: margin %v, %v, expected %v", c.name, v.Margin, err, c.want)
		}
	}
}

// TestCoverage draws scores evenly from 0 to 1, so that a margin is the share of new rows it covers. That is on average
// ⌈level·(n+1)⌉/(n+1) (Vovk 2012, proposition 2a), with groups in each.
func TestCoverage(t *testing.T) {
	const draws, rows = 4000, 49
	for _, level := range []float64{0.5, 0.9, 0.94} {
		random := newSource(uint64(level * 100))
		var all float64
		var groups [2]float64
		for range draws {
			s := trust.Sample{Names: []trust.Group{{Value: "a"}, {Value: "b"}}}
			for i := range 2 * rows {
				s.Scores, s.Groups = append(s.Scores, random()), append(s.Groups, int32(i%2))
			}
			v := residuals(level)
			v.By = "column"
			if _, err := trust.FitIntervals(v, s); err != nil {
				t.Fatal(err)
			}
			all += v.Margin / draws
			for g := range groups {
				groups[g] += v.Groups[g].Margin / draws
			}
		}
		n := float64(2*rows + 1)
		if want := math.Ceil(level*n-1e-9) / n; math.Abs(all-want) > 0.002 {
			t.Errorf("level %v covers %v, expected %v", level, all, want)
		}
		for g, got := range groups {
			if want := math.Ceil(level*(rows+1)-1e-9) / (rows + 1); math.Abs(got-want) > 0.003 {
				t.Errorf("level %v covers %v of group %d, expected %v", level, got, g, want)
			}
		}
	}
}

func TestGroupsOfFewRows(t *testing.T) {
	s := trust.Sample{Names: []trust.Group{{Value: "a"}, {Missing: true}}}
	for i := range 19 {
		s.Scores, s.Groups = append(s.Scores, float64(i)), append(s.Groups, int32(i/15))
	}
	v := residuals(0.9)
	v.By = "column"
	lacking, err := trust.FitIntervals(v, s)
	if err != nil {
		t.Fatal(err)
	}
	if want := []trust.Group{{Missing: true}}; !slices.Equal(lacking, want) {
		t.Errorf("groups of few rows are %v, expected %v", lacking, want)
	}
	// 15 scores from 0: the 15th of ⌈0.9 × 16⌉; of all the 18th of ⌈0.9 × 20⌉.
	if want := []trust.Group{{Value: "a", Margin: 14}}; !slices.Equal(v.Groups, want) || v.Margin != 17 {
		t.Errorf("margins are %v and %v, expected 17 and %v", v.Margin, v.Groups, want)
	}
}

func TestIntervalErrors(t *testing.T) {
	eight := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	for _, c := range []struct {
		level  float64
		scores []float64
		want   string
	}{
		{0.9, eight, "8 rows are too few for intervals that cover 0.9 of the rows: 9 are needed"},
		{1, eight, "intervals that cover 1 of the rows: expected a share between 0 and 1"},
		{math.NaN(), eight, "expected a share between 0 and 1"},
		{0.5, []float64{1, math.NaN()}, "row 1 is NaN from its prediction"},
		{0.5, nil, "0 rows are too few"},
	} {
		if _, err := trust.FitIntervals(residuals(c.level), trust.Sample{Scores: c.scores}); !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("level %v of %v: got %v, expected %s", c.level, c.scores, err, c.want)
		}
	}
	for level, want := range map[float64]int{0.9: 9, 0.95: 19, 0.99: 99, 0.5: 1, 0.8: 4} {
		if got := trust.LeastRows(level); got != want {
			t.Errorf("level %v needs %d rows, expected %d", level, got, want)
		}
	}
}

// TestHeldMargins deals ten scores to fifths: row i is judged by the rows that are not i or i ± 5.
func TestHeldMargins(t *testing.T) {
	s := trust.Sample{Scores: []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}
	held, ok := trust.HeldMargins(0.8, s)
	// ⌈0.8 × 9⌉ = 8, the largest of the other eight.
	if want := []float64{9, 9, 9, 9, 8, 9, 9, 9, 9, 8}; !ok || !slices.Equal(held, want) {
		t.Errorf("held margins are %v, %t, expected %v", held, ok, want)
	}
	if _, ok := trust.HeldMargins(0.9, s); ok {
		t.Error("eight rows have a margin for 0.9")
	}
}

func TestScores(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want []float64
	}{
		{"residuals", trust.ResidualScores([]float64{1, 5}, []float64{3, 4}), []float64{2, 1}},
		{"quantiles", trust.QuantileScores([]float64{0, 0, 0}, []float64{4, 4, 4}, []float64{1, -2, 9}), []float64{-1, 2, 5}},
		{"two classes", trust.SetScores(1, []float64{0.25, 0.25}, []float64{0, 1}), []float64{0.25, 0.75}},
		{"three classes", trust.SetScores(3, []float64{0.5, 0.25, 0.25, 0.5, 0.25, 0.25}, []float64{0, 1}), []float64{0.5, 0.5}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %v, expected %v", c.name, c.got, c.want)
		}
	}
}

func TestAround(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ low, high, margin, least, most, from, to float64 }{
		{5, 5, 2, -inf, inf, 3, 7},
		{5, 9, -1, -inf, inf, 6, 8},
		{5, 9, -3, -inf, inf, 7, 7},
		{1, 1, 2, 0, inf, 0, 3},
		{0.5, 0.5, 2, 0, 1, 0, 1},
	} {
		if from, to := trust.Around(c.low, c.high, c.margin, c.least, c.most); from != c.from || to != c.to {
			t.Errorf("%+v: %v … %v", c, from, to)
		}
	}
}

func TestCheck(t *testing.T) {
	platt := func(coefficients ...float64) *trust.Calibration {
		return &trust.Calibration{Method: trust.Platt, Maps: []trust.Map{{Coefficients: coefficients}}}
	}
	for _, c := range []struct {
		trust            trust.Trust
		outputs, classes int
		want             string // "" for nothing
	}{
		{trust.Trust{Calibration: platt(1, 0), Rows: 9}, 1, 2, ""},
		{trust.Trust{Threshold: 0.2, Rows: 9}, 1, 2, ""},
		{trust.Trust{Intervals: residuals(0.9), Rows: 9}, 1, 0, ""},
		{trust.Trust{Rows: 9}, 1, 2, "nothing is calibrated"},
		{trust.Trust{Threshold: 0.2}, 1, 2, "calibrated on 0 rows"},
		{trust.Trust{Threshold: 0.2, Rows: 9}, 3, 3, "a threshold for 3 classes"},
		{trust.Trust{Threshold: 1, Rows: 9}, 1, 2, "threshold 1 is not"},
		{trust.Trust{Calibration: platt(1, 0), Rows: 9}, 1, 0, "without classes"},
		{trust.Trust{Calibration: platt(1), Rows: 9}, 1, 2, "1 coefficients, 0 knots and 0 values"},
		{trust.Trust{Calibration: platt(1, math.NaN()), Rows: 9}, 1, 2, "NaN is no number"},
		{trust.Trust{Calibration: platt(1, 0), Rows: 9}, 3, 3, "calibration of 1 outputs for 3"},
		{trust.Trust{Calibration: &trust.Calibration{Method: trust.Auto}, Rows: 9}, 1, 2, `calibration "auto" of 1 outputs is unknown`},
		{trust.Trust{Calibration: &trust.Calibration{Method: trust.Isotonic, Maps: []trust.Map{{}}}, Rows: 9}, 1, 2, "0 coefficients, 0 knots and 0 values"},
		{trust.Trust{Calibration: &trust.Calibration{Method: trust.Isotonic, Maps: []trust.Map{{Knots: []float64{1, 1}, Values: []float64{0.1, 0.2}}}}, Rows: 9}, 1, 2, "knot 1 comes after 1"},
		{trust.Trust{Calibration: &trust.Calibration{Method: trust.Isotonic, Maps: []trust.Map{{Knots: []float64{1, 2}, Values: []float64{0.3, 0.2}}}}, Rows: 9}, 1, 2, "probability 0.2 comes after 0.3"},
		{trust.Trust{Calibration: &trust.Calibration{Method: trust.VennAbers, Maps: []trust.Map{{Values: []float64{1.5}}}}, Rows: 9}, 1, 2, "1.5 is no probability"},
		{trust.Trust{Intervals: residuals(0.9), Rows: 9}, 1, 2, "intervals from residuals"},
		{trust.Trust{Intervals: &trust.Intervals{Kind: trust.Quantiles, Level: 0.9, Low: 1, High: 1}, Rows: 9}, 3, 0, "intervals from quantiles of outputs 1 and 1"},
		{trust.Trust{Intervals: &trust.Intervals{Kind: trust.Sets, Level: 0.9}, Rows: 9}, 1, 0, "intervals from sets"},
		{trust.Trust{Intervals: &trust.Intervals{Kind: trust.Sets, Level: 0.9, Margin: -1}, Rows: 9}, 1, 2, "intervals of margin -1"},
		{trust.Trust{Intervals: &trust.Intervals{Kind: "bands", Level: 0.9}, Rows: 9}, 1, 0, `unknown kind "bands"`},
		{trust.Trust{Intervals: &trust.Intervals{Kind: trust.Residuals, Level: 0.9, Groups: []trust.Group{{Value: "a"}}}, Rows: 9}, 1, 0, "1 groups of no column"},
		{trust.Trust{Intervals: &trust.Intervals{Kind: trust.Residuals, Level: 0.9, By: "x", Groups: []trust.Group{{Value: "a"}, {Value: "a", Margin: 1}}}, Rows: 9}, 1, 0, `group "a" of column "x" stands twice`},
	} {
		if err := c.trust.Check(c.outputs, c.classes); c.want == "" && err != nil || !strings.Contains(fmt.Sprint(err), c.want) && c.want != "" {
			t.Errorf("%+v: got %v, expected %q", c.trust, err, c.want)
		}
	}
}
