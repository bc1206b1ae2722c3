package score

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// GeometricMean returns the geometric mean of positive ratios, NaN of none.
func GeometricMean(ratios []float64) float64 {
	if len(ratios) == 0 {
		return math.NaN()
	}
	return stat.GeometricMean(ratios, nil)
}

// Paired is the difference of two trainers over the same splits.
type Paired struct {
	Mean  float64 `json:"mean"`  // of a - b
	Error float64 `json:"error"` // standard error of Mean
}

// Pair compares the losses of a and b, split by split. They must be equally long;
// of fewer than two splits the error is NaN.
func Pair(a, b []float64) Paired {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return Summary(d)
}

// RelativePair is Pair of (a-b)/b.
func RelativePair(a, b []float64) Paired {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = (a[i] - b[i]) / b[i]
	}
	return Summary(d)
}

// Summary returns the mean of differences and its standard error s/√n, with s from n-1.
func Summary(differences []float64) Paired {
	m, s := stat.MeanStdDev(differences, nil)
	return Paired{Mean: m, Error: stat.StdErr(s, float64(len(differences)))}
}

// Mean returns the arithmetic mean, NaN of nothing.
func Mean(values []float64) float64 { return stat.Mean(values, nil) }
