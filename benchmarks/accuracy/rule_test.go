package accuracy_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"boost/benchmarks/accuracy"
)

func large(name string, loss, constant, lightgbm, xgboost, sklearn float64) accuracy.Result {
	return accuracy.Result{Set: name, Loss: loss, Reference: accuracy.Reference{
		Metric: "rmse", TestRows: 2000, Constant: constant,
		Peers: map[string]float64{"lightgbm": lightgbm, "xgboost": xgboost, "sklearn": sklearn},
	}}
}

func results(list ...accuracy.Result) map[string]accuracy.Result {
	r := map[string]accuracy.Result{}
	for _, one := range list {
		r[one.Set] = one
	}
	return r
}

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("%s = %.15g, want %.15g", name, got, want)
	}
}

func TestGeometricMeanRule(t *testing.T) {
	v := accuracy.Judge(results(
		large("a", 5.05, 10, 5, 4, 5),      // 1.01 of LightGBM
		large("b", 2, 10, 4, 5, 4),         // 0.5, held to 0.8
		large("tiny", 2, 10, 0.05, 2, 0.1), // LightGBM below 1 % of the constant
		large("wild", 4, 10, 80, 9.6, 4),   // LightGBM and XGBoost above 95 %
	), accuracy.PeerSplits{})
	near(t, "mean to LightGBM", v.Means["lightgbm"], math.Sqrt(1.01*0.8))
	if v.Count["lightgbm"] != 2 || v.Count["xgboost"] != 3 || v.Count["sklearn"] != 4 {
		t.Errorf("sets in the means: %v, want 2, 3 and 4", v.Count)
	}
	// XGBoost: 5.05/4 held to 1.25, 2/5 to 0.8, 2/2
	near(t, "mean to XGBoost", v.Means["xgboost"], math.Cbrt(1.25*0.8))
	if len(v.Problems()) > 0 {
		t.Errorf("within every bound, yet: %v", v.Problems())
	}
}

func TestWorstPeerRule(t *testing.T) {
	for name, c := range map[string]struct {
		loss float64
		ok   bool
	}{
		"on the bound": {5.05, true}, "above it": {5.051, false}, "no number": {math.NaN(), false},
	} {
		// LightGBM's 9.9 does not count, so the worst is scikit-learn's 5.
		v := accuracy.Judge(results(large("a", c.loss, 10, 9.9, 4.9, 5)), accuracy.PeerSplits{})
		if (len(v.Problems()) == 0) != c.ok || v.Large[0].Worst != "sklearn" {
			t.Errorf("%s: ok %v, worst %s, want %v and sklearn", name, len(v.Problems()) == 0, v.Large[0].Worst, c.ok)
		}
		if c.ok != (len(v.Problems()) == 0) {
			t.Errorf("%s: problems %v", name, v.Problems())
		}
	}
}

func TestMeanOutOfBounds(t *testing.T) {
	v := accuracy.Judge(results(large("a", 5.03, 10, 5, 5.1, 5.1)), accuracy.PeerSplits{})
	if len(v.Problems()) != 1 || !strings.Contains(v.Problems()[0], "1.0060") {
		t.Errorf("1.006 of LightGBM: problems %v", v.Problems())
	}
}

func splits(t *testing.T, losses string) (p accuracy.PeerSplits) {
	t.Helper()
	if err := json.Unmarshal([]byte(`{"sets": {"s": {"losses": `+losses+`}}}`), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSmallSetRule(t *testing.T) {
	small := accuracy.Reference{Metric: "binary_logloss", TestRows: 1999}
	peers := splits(t, `{"lightgbm": [1, 1, 1, 1], "xgboost": [1, 2, 3, 4], "sklearn": [2, 2, 2, 2]}`)
	for name, c := range map[string]struct {
		ours []float64
		ok   bool
	}{
		"better":         {[]float64{1, 1, 1, 1}, true},
		"equal":          {[]float64{1, 2, 3, 4}, true},
		"always worse":   {[]float64{1.1, 2.1, 3.1, 4.1}, false},           // error 0
		"within 2 s.e.":  {[]float64{1, 2, 3, 5}, true},                    // d = 0,0,0,1: mean .25, error .25
		"beyond 2 s.e.":  {[]float64{1.5, 3, 3.5, 5}, false},               // d = .5,1,.5,1: mean .75, error .144
		"no number":      {[]float64{1, 2, 3, math.NaN()}, false},          //
		"other splits":   {[]float64{1, 2, 3}, false},                      //
		"nothing at all": {nil, false},                                     //
		"just within":    {[]float64{1 + .2, 2 + .6, 3 - .05, 4.05}, true}, // mean .2, error .143
	} {
		v := accuracy.Judge(results(accuracy.Result{Set: "s", Reference: small, Splits: c.ours}), peers)
		if (len(v.Problems()) == 0) != c.ok {
			t.Errorf("%s: ok %v, want %v (%+v)", name, len(v.Problems()) == 0, c.ok, v.Small[0].Difference)
		}
		if !c.ok && len(v.Problems()) != 1 {
			t.Errorf("%s: problems %v", name, v.Problems())
		}
	}
}

func TestPrecisionRule(t *testing.T) {
	for _, bar := range accuracy.PrecisionBars {
		f32 := []float64{1, 2, 4, 5, 10}
		of := func(change func(set int, losses []float64)) *accuracy.Precision {
			p := &accuracy.Precision{Sets: map[string]accuracy.PrecisionSplit{}}
			for i, name := range accuracy.PrecisionSets {
				losses := append([]float64{}, f32...)
				change(i, losses)
				s := accuracy.PrecisionSplit{Metric: "rmse", F32: f32}
				switch bar.Gradients {
				case "i16":
					s.I16 = losses
				case "i8":
					s.I8 = losses
				case "i4":
					s.I4 = losses
				}
				p.Sets[name] = s
			}
			return p
		}
		v := of(func(set int, losses []float64) {
			if set == 0 { // relative .01, 0, 0, 0, 0: mean .002, error .002
				losses[0] = 1.01
			}
		}).Judge(bar)
		near(t, "mean", v.Mean, 0.002/float64(len(accuracy.PrecisionSets)))
		near(t, "error", v.Sets[accuracy.PrecisionSets[0]].Error, 0.002)
		if !v.Pass {
			t.Errorf("%s: within the bars: %+v", bar.Gradients, v)
		}
		worse := map[string]float64{"i16": 1.0011, "i8": 1.0011, "i4": 1.0051} // S2.28, S0.30: 0.1, 0.1 and 0.5 %
		if v := of(func(_ int, losses []float64) {
			for i := range losses {
				losses[i] *= worse[bar.Gradients]
			}
		}).Judge(bar); v.Pass {
			t.Errorf("%s: above the mean's bar everywhere, without spread, passes: %+v", bar.Gradients, v)
		}
		worse = map[string]float64{"i16": 1.0011, "i8": 1.0021, "i4": 1.011} // 0.1, 0.2 and 1 % on a set
		if v := of(func(set int, losses []float64) {
			for i := range losses {
				if set == 0 {
					losses[i] *= worse[bar.Gradients]
				}
			}
		}).Judge(bar); v.Pass || v.OK[accuracy.PrecisionSets[0]] || !v.OK[accuracy.PrecisionSets[1]] {
			t.Errorf("%s: one set above its bar passes: %+v", bar.Gradients, v)
		}
		if v := (&accuracy.Precision{}).Judge(bar); v.Pass {
			t.Errorf("%s: no sets pass", bar.Gradients)
		}
	}
}

func TestDocumentHoldsEverything(t *testing.T) {
	wild := large("wild", 123456.7, 10, 80, 4, 5)
	wild.Commit = "cafe123"
	small := accuracy.Reference{Metric: "binary_logloss", TestRows: 10}
	r := accuracy.Record{Threads: 2, Sets: results(
		wild, accuracy.Result{Set: "s", Reference: small, Loss: 0.25, Splits: []float64{0.5, 0.25}},
	)}
	peers := splits(t, `{"lightgbm": [1, 1], "xgboost": [1, 2], "sklearn": [2, 2]}`)
	v := accuracy.Judge(r.Sets, peers)
	var b bytes.Buffer
	accuracy.WriteDocument(&b, v, r, peers, &accuracy.Precision{Sets: map[string]accuracy.PrecisionSplit{
		"adult": {Metric: "binary_logloss", I16: []float64{1, 1}, F32: []float64{1, 1}},
	}})
	for _, want := range []string{
		"Trained at commit cafe123: wild.",
		"| wild | rmse | 123457 | (80.0000) | 4.00000 | 5.00000 | – | 30864.1750 | 24691.3400 | sklearn | **no** |",
		"| s | binary_logloss | 2 | 0.375000 | 1.00000 | 1.50000 | 2.00000 | sklearn | -1.62500 | 0.125000 | yes | 0.250000 |",
		"to xgboost over 1 sets: **1.2500**",
		"| adult | binary_logloss | 1.00000 | 1.00000 | +0.000 % ± 0.000 | yes |",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the document lacks %q:\n%s", want, b.String())
		}
	}
}
