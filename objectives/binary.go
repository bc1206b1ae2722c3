package objectives

import (
	"fmt"

	"boost/internal/detmath"
	"boost/internal/kernel/loss"
)

// leastShare keeps the start scores finite where a class has no rows, as LightGBM's
// kEpsilon does.
const leastShare = 1e-15

var binaryInfo = Info{
	Name:    "binary",
	Aliases: []string{"binary:logistic", "logistic", "logloss", "binary_logloss", "binary_crossentropy", "reg:logistic"},
	Labels:  TwoClasses,
	Link:    Logistic,
	Metrics: fixed("logloss", "auc", "error"),
	Make: func(o Options) (Objective, error) {
		if o.Classes != 0 && o.Classes != 2 {
			return nil, fmt.Errorf("objective binary needs 2 classes, there are %d (set train.objective = \"multiclass\" or \"regression\")", o.Classes)
		}
		return binary{}, nil
	},
}

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
