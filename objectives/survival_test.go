package objectives_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"boost/objectives"
)

// survivalRows are the rows of testdata/survival.py, and what XGBoost makes of them.
type survivalRows struct {
	Labels, Scores, Grad, Hess []float64
}

func readSurvival(t *testing.T, to any) {
	t.Helper()
	text, err := os.ReadFile("testdata/survival.json")
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func close32(got float32, want float64) bool {
	return math.Abs(float64(got)-want) <= 1e-5*max(1e-3, math.Abs(want))
}

// Derivatives are XGBoost's where no two rows have the same time. (Where they have, XGBoost leaves later events of the time out of what the
// rows before them in the table have met.)
func TestCoxAsXGBoost(t *testing.T) {
	var peers struct{ Cox survivalRows }
	readSurvival(t, &peers)
	rows := objectives.Rows{Labels: peers.Cox.Labels}
	n := len(rows.Labels)
	grad, hess := make([]float32, n), make([]float32, n)
	made(t, "cox", objectives.Params{}).Gradients(rows, 0, n, peers.Cox.Scores, grad, hess)
	for i := range n {
		if !close32(grad[i], peers.Cox.Grad[i]) || !close32(hess[i], peers.Cox.Hess[i]) {
			t.Errorf("row %d: derivatives %v, %v, want %v, %v", i, grad[i], hess[i], peers.Cox.Grad[i], peers.Cox.Hess[i])
		}
	}
}

// partialLikelihood is -log of the partial likelihood as Therneau and Grambsch, Modeling Survival Data (2000), section 3.3 has it, with case
// weights: Breslow's has the whole risk set below each event; in Efron's the d events of one time leave it one d-th after another, and
// each counts by their mean weight.
func partialLikelihood(ties string, labels, weights, scores []float64) (loss float64) {
	weight := func(i int) float64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	seen := map[float64]bool{}
	for i, y := range labels {
		if math.Signbit(y) || seen[y] || weight(i) == 0 {
			continue
		}
		seen[y] = true
		left, tied, d, sum := 0.0, 0.0, 0, 0.0
		for j, other := range labels {
			hazard := weight(j) * math.Exp(scores[j])
			if math.Abs(other) >= y {
				left += hazard
			}
			if other == y && !math.Signbit(other) && weight(j) > 0 {
				tied += hazard
				sum += weight(j)
				loss -= weight(j) * scores[j]
				d++
			}
		}
		for k := range d {
			gone := 0.0
			if ties == "efron" {
				gone = float64(k) / float64(d)
			}
			loss += sum / float64(d) * math.Log(left-gone*tied)
		}
	}
	return loss
}

// Derivatives are the slopes and bends of the partial likelihood, with ties, weights and times of 0.
func TestCoxSlopes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	for _, ties := range []string{"breslow", "efron"} {
		for _, weighted := range []bool{false, true} {
			const n = 40
			labels, scores, weights := make([]float64, n), make([]float64, n), []float64(nil)
			for i := range n {
				labels[i], scores[i] = float64(r.IntN(12)), r.NormFloat64()*1.5+20
				if r.IntN(3) == 0 {
					labels[i] = math.Copysign(labels[i], -1)
				}
				if weighted {
					weights = append(weights, float64(r.IntN(4))*.7)
				}
			}
			rows := objectives.Rows{Labels: labels, Weights: weights}
			o := made(t, "cox", objectives.Params{Ties: ties})
			if err := o.Check(rows); err != nil {
				t.Fatal(err)
			}
			grad, hess := make([]float32, n), make([]float32, n)
			o.Gradients(rows, 0, n, scores, grad, hess)
			at := func(i int, by float64) float64 {
				moved := append([]float64(nil), scores...)
				moved[i] += by
				return partialLikelihood(ties, labels, weights, moved)
			}
			for i := range n {
				slope, bend := (at(i, 1e-5)-at(i, -1e-5))/2e-5, (at(i, 1e-3)-2*at(i, 0)+at(i, -1e-3))/1e-6
				if math.Abs(float64(grad[i])-slope) > 1e-5 || math.Abs(float64(hess[i])-bend) > 1e-4 {
					t.Errorf("%s, weights %v, row %d: derivatives %v, %v, want %v, %v", ties, weighted, i, grad[i], hess[i], slope, bend)
				}
			}
			if order := o.(objectives.OfAllRows).Order(rows); len(order) != n {
				t.Errorf("an order of %d rows", len(order))
			}
		}
	}
}

// Scores that are far apart leave derivatives finite.
func TestCoxFarScores(t *testing.T) {
	rows := objectives.Rows{Labels: []float64{1, 2, 3, -4}}
	grad, hess := make([]float32, 4), make([]float32, 4)
	for _, ties := range []string{"breslow", "efron"} {
		made(t, "cox", objectives.Params{Ties: ties}).Gradients(rows, 0, 4, []float64{200, 0, 100, 50}, grad, hess)
		want := []float32{0, -1, 1, 0} // events 1 and 3 are sure, the third row was sure to have event 2
		for i := range want {
			if math.Abs(float64(grad[i]-want[i])) > 1e-6 || !(hess[i] >= 0 && hess[i] < 1e-6) {
				t.Errorf("%s, row %d: derivatives %v, %v, want %v, 0", ties, i, grad[i], hess[i], want[i])
			}
		}
	}
}

func TestCoxNeedsEvents(t *testing.T) {
	o := made(t, "cox", objectives.Params{})
	zero := math.Copysign(0, -1)
	for _, rows := range []objectives.Rows{{Labels: []float64{-1, zero}}, {Labels: []float64{-1, 2}, Weights: []float64{1, 0}}} {
		if err := o.Check(rows); err == nil {
			t.Errorf("%v is trained on", rows)
		}
	}
	if err := o.Check(objectives.Rows{Labels: []float64{zero, 0}}); err != nil {
		t.Error(err)
	}
}

// Derivatives of exact and of censored rows are XGBoost's, and those of intervals.
func TestAFTAsXGBoost(t *testing.T) {
	var peers struct {
		AFT []struct {
			Distribution string
			Scale        float64
			Grad, Hess   []float64
		}
		Rows struct {
			Lower, Upper []*float64
			Scores       []float64
		} `json:"aft_rows"`
	}
	readSurvival(t, &peers)
	compared := 0
	for _, p := range peers.AFT {
		o := made(t, "aft", objectives.Params{Distribution: p.Distribution, Scale: p.Scale})
		for i, score := range peers.Rows.Scores {
			label, upper := *peers.Rows.Lower[i], math.Inf(1)
			if peers.Rows.Upper[i] != nil {
				upper = *peers.Rows.Upper[i]
			}
			compared++
			g, h := make([]float32, 1), make([]float32, 1)
			o.Gradients(objectives.Rows{Labels: []float64{label}, Upper: []float64{upper}}, 0, 1, []float64{score}, g, h)
			if !close32(g[0], p.Grad[i]) || !close32(h[0], p.Hess[i]) {
				t.Errorf("%s, scale %v, row %d, %v to %v: derivatives %v, %v, want %v, %v", p.Distribution, p.Scale, i, label, upper, g[0], h[0], p.Grad[i], p.Hess[i])
			}
			if math.IsInf(upper, 1) {
				label = -label
			} else if upper != label {
				continue // an interval
			}
			if grad, hess := one(o, score, label); !close32(float32(grad), p.Grad[i]) || !close32(float32(hess), p.Hess[i]) {
				t.Errorf("%s, scale %v, row %d: derivatives %v, %v, want %v, %v", p.Distribution, p.Scale, i, grad, hess, p.Grad[i], p.Hess[i])
			}
		}
	}
	if compared != 72 {
		t.Errorf("%d rows are compared", compared)
	}
}

// Derivatives are bounded as in XGBoost, and hold beyond where the chance of a longer time is 0 in float64: the hazard of the normal distribution
// grows as z + 1/z there.
func TestAFTBounds(t *testing.T) {
	for _, c := range []struct {
		distribution        string
		score, label        float64
		grad, hess, nearest float64
	}{
		{"normal", -100, 1, -15, 1, 0}, {"normal", 100, 1, 15, 1, 0},
		{"normal", -12, -1, -(12 + 1./12), 1, 0.01},
		{"normal", 40, -1, 0, 1e-16, 0},
		{"normal", 3, 0, 15, 1, 0}, {"normal", 3, math.Copysign(0, -1), 0, 1e-16, 0}, {"logistic", 3, 0, 1, 1e-16, 0}, // of time 0
		{"logistic", -800, 1, -1, 1e-16, 0}, {"logistic", 800, -1, 0, 1e-16, 0},
		{"extreme", -800, 1, -15, 15, 0}, {"extreme", 800, 1, 1, 1e-16, 0}, {"extreme", -800, -1, -15, 15, 0},
	} {
		grad, hess := one(made(t, "aft", objectives.Params{Distribution: c.distribution}), c.score, c.label)
		if math.Abs(grad-c.grad) > 1e-6+c.nearest || math.Abs(hess-c.hess) > 1e-6+c.nearest {
			t.Errorf("%s, score %v, label %v: derivatives %v, %v, want %v, %v", c.distribution, c.score, c.label, grad, hess, c.grad, c.hess)
		}
	}
	if base, err := made(t, "aft", objectives.Params{}).BaseScore(objectives.Rows{Labels: []float64{0, -math.E, 1}, Weights: []float64{1, 1, 3}}); err != nil || math.Abs(base[0]-.25) > 1e-15 {
		t.Errorf("training starts from %v (%v), want a quarter", base, err)
	}
	if _, err := objectives.New("aft", objectives.Options{Params: objectives.Params{Scale: -1}}); err == nil {
		t.Error("a scale of -1 is taken")
	}
}

// Far from the score, and where they are narrow, intervals have the derivatives of what they come close to: of one of their ends, or of
// an event between them.
func TestAFTFarIntervals(t *testing.T) {
	for _, distribution := range []string{"normal", "logistic", "extreme"} {
		o := made(t, "aft", objectives.Params{Distribution: distribution})
		at := func(score, lower, upper float64) (grad, hess float64) {
			g, h := make([]float32, 1), make([]float32, 1)
			o.Gradients(objectives.Rows{Labels: []float64{lower}, Upper: []float64{upper}}, 0, 1, []float64{score}, g, h)
			return float64(g[0]), float64(h[0])
		}
		for _, c := range []struct{ score, lower, upper, likeLower, likeUpper float64 }{
			{-60, 1, 50, 1, math.Inf(1)}, // far above the score: as if it were open above
			{60, 1, 50, 0, 50},           // far below: as if it were open below
			{0.3, 2, 2 * (1 + 1e-7), 2, 2}, {0.3, 2, 2 * (1 + 3e-5), 2, 2},
			{9, 2, 2 * (1 + 2e-5), 2, 2}, {-9, 2, 2 * (1 + 2e-5), 2, 2},
		} {
			grad, hess := at(c.score, c.lower, c.upper)
			wantGrad, wantHess := at(c.score, c.likeLower, c.likeUpper)
			if math.Abs(grad-wantGrad) > 1e-3*max(1, math.Abs(wantGrad)) || math.Abs(hess-wantHess) > 2e-3*max(1, wantHess) {
				t.Errorf("%s, score %v, %v to %v: derivatives %v, %v, want about %v, %v", distribution, c.score, c.lower, c.upper, grad, hess, wantGrad, wantHess)
			}
		}
		for _, score := range []float64{-1e4, -700, -40, 0, 40, 700, 1e4} {
			for _, c := range [][2]float64{{0, 1e-300}, {0, 5}, {1e-300, 1e300}, {3, 3.0001}, {1e100, 1e101}} {
				if grad, hess := at(score, c[0], c[1]); !(math.Abs(grad) <= 15) || !(hess > 0 && hess <= 15) {
					t.Errorf("%s, score %v, %v: derivatives %v, %v", distribution, score, c, grad, hess)
				}
			}
		}
	}
	// By hand: of the middle of 1 and e^2, of e^3 alone on either side, and of nothing.
	rows := objectives.Rows{Labels: []float64{1, 0, math.Exp(3), 0}, Upper: []float64{math.Exp(2), math.Exp(3), math.Inf(1), math.Inf(1)}}
	if base, err := made(t, "aft", objectives.Params{}).BaseScore(rows); err != nil || math.Abs(base[0]-7./3) > 1e-14 {
		t.Errorf("training starts from %v (%v), want 7/3", base, err)
	}
}
