package objectives

import (
	"boost/internal/detmath"
	"boost/internal/kernel/loss"
)

// leastShare keeps the start scores finite where a class has no rows, as LightGBM's
// kEpsilon does.
const leastShare = 1e-15

// binary is the log loss of two classes; label 1 is the positive one.
type binary struct{}

func (binary) Name() string          { return "binary" }
func (binary) Outputs() int          { return 1 }
func (binary) Link() Link            { return Logistic }
func (binary) Check(rows Rows) error { return checkClasses(rows, 2) }
func (binary) MaxStep() float64      { return maxLogit }

// BaseScore is the logit of the positive class's share of the weight, the share
// taken as at least 1e-15 and at most 1-1e-15.
func (binary) BaseScore(rows Rows) ([]float64, error) {
	share, err := mean(rows)
	if err != nil {
		return nil, err
	}
	share = min(max(share, leastShare), 1-leastShare)
	return []float64{detmath.Log(share / (1 - share))}, nil
}

func (binary) Gradients(rows Rows, lo, hi int, scores []float64, grad, hess []float32) {
	loss.Logistic(grad[lo:hi], hess[lo:hi], scores[lo:hi], rows.Labels[lo:hi], slice(rows.Weights, lo, hi))
}
