package objectives

import (
	"fmt"
	"math"

	"boost/internal/kernel/loss"
)

var regressionInfo = Info{
	Name: "regression",
	Aliases: []string{
		"regression_l2", "l2", "mean_squared_error", "mse", "l2_root", "root_mean_squared_error", "rmse", "reg:squarederror",
		"reg:linear", "squared_error", "least_squares",
	},
	Labels:  Quantities,
	Link:    Identity,
	Metrics: fixed("rmse", "mae", "r2"),
	Make:    func(Options) (Objective, error) { return regression{}, nil },
}

// regression is half the squared error: the tree's step is towards the weighted mean.
type regression struct{}

func (regression) Name() string { return "regression" }
func (regression) Outputs() int { return 1 }
func (regression) Link() Link   { return Identity }

// Check requires labels whose gradients fit float32: with scores between the lowest
// and the highest label, |gradient| ≤ 2·max|label|·weight.
func (regression) Check(rows Rows) error {
	if err := CheckWeights(rows); err != nil {
		return err
	}
	largest := 0.0
	for i, y := range rows.Labels {
		if !(math.Abs(y) <= math.MaxFloat32/2) {
			return &RowError{i, "label", y, "a number up to 1.7e38 (scale the column)"}
		}
		largest = max(largest, math.Abs(y))
	}
	for i, w := range rows.Weights {
		if w*largest > math.MaxFloat32/2 {
			return &RowError{i, "weight", w, fmt.Sprintf("less, since labels go up to %v and the gradient must fit float32", largest)}
		}
	}
	return nil
}

// BaseScore is the weighted mean of the labels.
func (regression) BaseScore(rows Rows) ([]float64, error) {
	m, err := mean(rows)
	if err != nil {
		return nil, err
	}
	return []float64{m}, nil
}

func (regression) Gradients(rows Rows, lo, hi int, scores []float64, grad, hess []float32) {
	loss.Squared(grad[lo:hi], hess[lo:hi], scores[lo:hi], rows.Labels[lo:hi], slice(rows.Weights, lo, hi))
}

// slice cuts weights, which may be nil.
func slice(weights []float64, lo, hi int) []float64 {
	if weights == nil {
		return nil
	}
	return weights[lo:hi]
}
