package objectives

import (
	"math"

	"boost/internal/kernel/loss"
)

// distance is a loss of the distance between prediction and label. Training starts from the labels' quantile at level.
type distance struct {
	name      string
	level     float64
	gradients func(grad, hess []float32, scores, labels, weights []float64)
}

func (d distance) Name() string        { return d.name }
func (distance) Outputs() int          { return 1 }
func (distance) Link() Link            { return Identity }
func (distance) Check(rows Rows) error { return regression{}.Check(rows) }

func (d distance) BaseScore(rows Rows) ([]float64, error) {
	base, err := quantile(rows, d.level, func(int) float64 { return 1 })
	return []float64{base}, err
}

func (d distance) Gradients(rows Rows, lo, hi int, scores []float64, grad, hess []float32) {
	d.gradients(grad[lo:hi], hess[lo:hi], scores[lo:hi], rows.Labels[lo:hi], slice(rows.Weights, lo, hi))
}

// median is the level of the median.
const median = 0.5

var (
	l1Info = Info{
		Name:    "l1",
		Aliases: []string{"regression_l1", "mae", "mean_absolute_error", "reg:absoluteerror", "absolute_error", "lad"},
		Link:    Identity,
		Metrics: fixed("mae", "rmse"),
		Make:    func(Options) (Objective, error) { return absolute{distance{"l1", median, loss.Absolute}}, nil },
	}
	huberInfo = Info{
		Name:    "huber",
		Link:    Identity,
		AnyUnit: true,
		Takes:   Params{Delta: 0.9},
		Metrics: func(p Params) []string { return []string{argued("huber", p.Delta), "mae", "rmse"} },
		Make: func(o Options) (Objective, error) {
			return distance{"huber", median, func(grad, hess []float32, scores, labels, weights []float64) {
				loss.Huber(grad, hess, scores, labels, weights, o.Delta)
			}}, nil
		},
	}
	fairInfo = Info{
		Name:    "fair",
		Link:    Identity,
		AnyUnit: true,
		Takes:   Params{FairC: 1},
		Metrics: func(p Params) []string { return []string{argued("fair", p.FairC), "mae", "rmse"} },
		Make: func(o Options) (Objective, error) {
			return distance{"fair", median, func(grad, hess []float32, scores, labels, weights []float64) {
				loss.Fair(grad, hess, scores, labels, weights, o.FairC)
			}}, nil
		},
	}
	logCoshInfo = Info{
		Name:    "log_cosh",
		Aliases: []string{"logcosh"},
		Link:    Identity,
		AnyUnit: true,
		Metrics: fixed("log_cosh", "mae", "rmse"),
		Make:    func(Options) (Objective, error) { return distance{"log_cosh", median, loss.LogCosh}, nil },
	}
	mapeInfo = Info{
		Name:    "mape",
		Aliases: []string{"mean_absolute_percentage_error"},
		Link:    Identity,
		AnyUnit: true,
		Metrics: fixed("mape", "mae"),
		Make: func(Options) (Objective, error) {
			return relative{absolute{distance{"mape", median, loss.Relative}}}, nil
		},
	}
	expectileInfo = Info{
		Name:    "expectile",
		Link:    Identity,
		Takes:   Params{Alpha: []float64{0.5}},
		Metrics: func(p Params) []string { return []string{argued("expectile", p.Alpha...), "mae", "rmse"} },
		Make: func(o Options) (Objective, error) {
			if err := oneLevel("expectile", o.Alpha); err != nil {
				return nil, err
			}
			level := o.Alpha[0]
			return expectile{distance{"expectile", level, func(grad, hess []float32, scores, labels, weights []float64) {
				loss.Expectile(grad, hess, scores, labels, weights, level)
			}}}, nil
		},
	}
)

// absolute is the distance itself: a leaf's value is the median of what its rows lack.
type absolute struct{ distance }

func (absolute) LeafLevel(int) float64 { return median }

// relative is the distance over the label's size, or 1 if that is less.
type relative struct{ absolute }

func (r relative) BaseScore(rows Rows) ([]float64, error) {
	base, err := quantile(rows, median, func(row int) float64 { return 1 / max(1, math.Abs(rows.Labels[row])) })
	return []float64{base}, err
}

// expectile weighs the squared distance by the side on which the label is.
type expectile struct{ distance }

// BaseScore is the weighted mean of the labels.
func (expectile) BaseScore(rows Rows) ([]float64, error) { return regression{}.BaseScore(rows) }
