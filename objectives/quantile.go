package objectives

import (
	"fmt"
	"math"
	"slices"

	"boost/internal/kernel/loss"
)

var quantileInfo = Info{
	Name:    "quantile",
	Aliases: []string{"reg:quantileerror", "multiquantile"},
	Link:    Sorted,
	Takes:   Params{Alpha: []float64{0.5}},
	Metrics: func(p Params) []string { return []string{argued("pinball", p.Alpha...)} },
	Make: func(o Options) (Objective, error) {
		return quantiles{slices.Clone(o.Alpha)}, checkLevels(o.Alpha)
	},
}

// quantiles is the pinball loss of one or several levels, an output each. What is predicted are the raw scores in ascending order, so that
// quantiles never cross; that loses no more than the scores as they are (Chernozhukov, Fernández-Val and Galichon, 2010).
type quantiles struct{ levels []float64 }

func (quantiles) Name() string                   { return "quantile" }
func (q quantiles) Outputs() int                 { return len(q.levels) }
func (quantiles) Link() Link                     { return Sorted }
func (quantiles) Check(rows Rows) error          { return regression{}.Check(rows) }
func (q quantiles) LeafLevel(output int) float64 { return q.levels[output] }

// BaseScore is the labels' quantile of each level.
func (q quantiles) BaseScore(rows Rows) ([]float64, error) {
	base := make([]float64, len(q.levels))
	for k, level := range q.levels {
		var err error
		if base[k], err = quantile(rows, level, func(int) float64 { return 1 }); err != nil {
			return nil, err
		}
	}
	return base, nil
}

func (q quantiles) Gradients(rows Rows, lo, hi int, scores []float64, grad, hess []float32) {
	n := len(rows.Labels)
	for k, level := range q.levels {
		from, to := k*n+lo, k*n+hi
		loss.Pinball(grad[from:to], hess[from:to], scores[from:to], rows.Labels[lo:hi], slice(rows.Weights, lo, hi), level)
	}
}

// quantile returns the quantile of the labels, each weighted by share times the row's weight. Weights are taken as multiples of the
// largest over 2³¹, so that the order of rows does not matter.
func quantile(rows Rows, level float64, share func(row int) float64) (float64, error) {
	weight := func(row int) float64 {
		if rows.Weights == nil {
			return share(row)
		}
		return share(row) * rows.Weights[row]
	}
	largest := 0.0
	for row := range rows.Labels {
		largest = max(largest, weight(row))
	}
	if !(largest > 0) {
		return 0, fmt.Errorf("%w: the weights sum to 0", ErrRows)
	}
	_, exponent := math.Frexp(largest)
	values, weights := make([]float64, 0, len(rows.Labels)), make([]uint32, 0, len(rows.Labels))
	for row, y := range rows.Labels {
		if w := uint32(math.RoundToEven(math.Ldexp(weight(row), 31-exponent))); w > 0 {
			values, weights = append(values, y), append(weights, w)
		}
	}
	return new(loss.Quantiles).Of(values, weights, level), nil
}

// oneLevel refuses several levels, and those that are none.
func oneLevel(name string, alpha []float64) error {
	if len(alpha) != 1 {
		return fmt.Errorf("objective.alpha = %v: objective %s has one level (quantile takes several)", alpha, name)
	}
	return checkLevels(alpha)
}
