package score_test

import (
	"math"
	"testing"

	"boost/benchmarks/score"
)

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12*math.Max(1, math.Abs(want))) {
		t.Errorf("%s = %.15g, want %.15g", name, got, want)
	}
}

func TestStatistics(t *testing.T) {
	// (0.5 · 2 · 8)^(1/3) = 2
	near(t, "geometric mean", score.GeometricMean([]float64{0.5, 2, 8}), 2)
	near(t, "geometric mean of one", score.GeometricMean([]float64{1.25}), 1.25)
	if !math.IsNaN(score.GeometricMean(nil)) {
		t.Error("the geometric mean of nothing is a number")
	}

	// differences 1, 2, 3, 6: mean 3, squares 4+1+0+9 = 14, s² = 14/3, error = √(14/12)
	p := score.Pair([]float64{2, 4, 6, 10}, []float64{1, 2, 3, 4})
	near(t, "mean difference", p.Mean, 3)
	near(t, "its error", p.Error, math.Sqrt(14.0/12))

	// relative: 1/1, 2/2, 3/3, 6/4 → mean 1.125, squares 3·(1/64)+9/64 = 12/64, error = √(12/64/3/4)
	p = score.RelativePair([]float64{2, 4, 6, 10}, []float64{1, 2, 3, 4})
	near(t, "mean relative difference", p.Mean, 1.125)
	near(t, "its error", p.Error, math.Sqrt(12.0/64/12))

	if p := score.Pair([]float64{1}, []float64{2}); p.Mean != -1 || !math.IsNaN(p.Error) {
		t.Errorf("one split: %+v, want mean -1 and no error", p)
	}
}

func TestLosses(t *testing.T) {
	near(t, "rmse", score.RMSE([]float64{1, 2, 3}, []float64{1, 4, 2}, nil), math.Sqrt(5.0/3))
	near(t, "weighted rmse", score.RMSE([]float64{1, 2, 3}, []float64{1, 4, 2}, []float64{1, 1, 2}), math.Sqrt(6.0/4))

	near(t, "binary", score.LogLoss([]float64{0.8, 0.4}, 1, []float64{1, 0}, nil), -(math.Log(0.8)+math.Log(0.6))/2)
	near(t, "weighted binary", score.LogLoss([]float64{0.8, 0.4}, 1, []float64{1, 0}, []float64{3, 1}),
		-(3*math.Log(0.8)+math.Log(0.6))/4)
	near(t, "clipped", score.LogLoss([]float64{0, 1}, 1, []float64{1, 1}, nil), -(math.Log(1e-15)+math.Log(1-1e-15))/2)

	p := []float64{0.2, 0.3, 0.5, 0.6, 0.3, 0.1}
	near(t, "multiclass", score.LogLoss(p, 3, []float64{2, 0}, nil), -(math.Log(0.5)+math.Log(0.6))/2)
	near(t, "unknown class", score.LogLoss(p, 3, []float64{2, 3}, nil), -(math.Log(0.5)+math.Log(1e-15))/2)
}
