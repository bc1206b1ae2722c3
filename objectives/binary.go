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

// focalInfo is of the log loss that counts rows which are right already the less.
var focalInfo = Info{
	Name:    "focal",
	Aliases: []string{"binary_focal", "focal_loss"},
	Labels:  TwoClasses,
	Link:    Logistic,
	Takes:   Params{FocalGamma: 2},
	Metrics: fixed("logloss", "auc", "error"),
	Make: func(o Options) (Objective, error) {
		if o.Classes != 0 && o.Classes != 2 {
			return nil, fmt.Errorf("objective focal needs 2 classes, there are %d", o.Classes)
		}
		return focal{gamma: o.FocalGamma}, nil
	},
}

type focal struct {
	binary
	gamma float64
}

func (focal) Name() string { return "focal" }

func (f focal) Gradients(rows Rows, lo, hi int, scores []float64, grad, hess []float32) {
	loss.Focal(grad[lo:hi], hess[lo:hi], scores[lo:hi], rows.Labels[lo:hi], slice(rows.Weights, lo, hi), f.gamma)
}

// crossEntropyInfo is of the log loss of labels that are chances.
var crossEntropyInfo = Info{
	Name:    "cross_entropy",
	Aliases: []string{"xentropy", "crossentropy", "multicrossentropy"},
	Link:    Logistic,
	Metrics: fixed("cross_entropy", "rmse", "mae"),
	Make:    func(Options) (Objective, error) { return crossEntropy{}, nil },
}

type crossEntropy struct{ binary }

func (crossEntropy) Name() string { return "cross_entropy" }

func (crossEntropy) Check(rows Rows) error {
	if err := CheckWeights(rows); err != nil {
		return err
	}
	for i, y := range rows.Labels {
		if !(y >= 0 && y <= 1) {
			return &RowError{i, "label", y, "a chance from 0 to 1"}
		}
	}
	return nil
}

func (crossEntropy) Gradients(rows Rows, lo, hi int, scores []float64, grad, hess []float32) {
	loss.CrossEntropy(grad[lo:hi], hess[lo:hi], scores[lo:hi], rows.Labels[lo:hi], slice(rows.Weights, lo, hi))
}

// crossEntropyLambdaInfo is of the log loss of labels that are chances, where a row's weight is its exposure.
var crossEntropyLambdaInfo = Info{
	Name:    "cross_entropy_lambda",
	Aliases: []string{"xentlambda"},
	Link:    Softplus,
	Metrics: fixed("cross_entropy_lambda"),
	Make:    func(Options) (Objective, error) { return crossEntropyLambda{}, nil },
}

type crossEntropyLambda struct{ crossEntropy }

func (crossEntropyLambda) Name() string { return "cross_entropy_lambda" }
func (crossEntropyLambda) Link() Link   { return Softplus }

// BaseScore is that whose prediction is the mean label, as in LightGBM.
func (crossEntropyLambda) BaseScore(rows Rows) ([]float64, error) {
	share, err := mean(rows)
	if err != nil {
		return nil, err
	}
	share = max(share, leastShare)
	// log(e^share − 1) = share + log(1 − e^−share)
	return []float64{share + detmath.Log(loss.OneMinusExp(share))}, nil
}

func (crossEntropyLambda) Gradients(rows Rows, lo, hi int, scores []float64, grad, hess []float32) {
	loss.CrossEntropyLambda(grad[lo:hi], hess[lo:hi], scores[lo:hi], rows.Labels[lo:hi], slice(rows.Weights, lo, hi))
}
