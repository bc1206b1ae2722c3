package objectives

import (
	"fmt"
	"math"

	"boost/internal/detmath"
	"boost/internal/kernel/loss"
)

// Words of objective.distribution.
const (
	normal       = "normal"
	logisticTime = "logistic"
	extreme      = "extreme"
)

var aftInfo = Info{
	Name:      "aft",
	Aliases:   []string{"survival:aft", "survivalaft", "accelerated_failure_time"},
	Link:      Exp,
	Times:     true,
	Intervals: true,
	Takes:     Params{Distribution: normal, Scale: 1},
	Metrics:   fixed("aft_nloglik", "concordance"),
	Make: func(o Options) (Objective, error) {
		if !(o.Scale > 0 && o.Scale <= 1e6) {
			return nil, fmt.Errorf("objective.scale = %v: a number above 0, to 1e6", o.Scale)
		}
		distribution, ok := map[string]loss.Distribution{normal: loss.NormalErrors, logisticTime: loss.LogisticErrors, extreme: loss.ExtremeErrors}[o.Distribution]
		if !ok {
			return nil, fmt.Errorf("objective.distribution = %q: take %s, %s or %s", o.Distribution, normal, logisticTime, extreme)
		}
		return aft{loss.AFT{Distribution: distribution, Scale: o.Scale}}, nil
	},
}

// aft is the negative log likelihood of accelerated failure times: log(time) is the score and an error of a distribution of that
// scale (Barnwal, Cho and Hocking, 2022).
type aft struct{ loss loss.AFT }

func (aft) Name() string     { return "aft" }
func (aft) Outputs() int     { return 1 }
func (aft) Link() Link       { return Exp }
func (aft) MaxStep() float64 { return maxLogit }

func (a aft) survival() Survival { return Survival{Errors: a.loss} }

func (aft) Check(rows Rows) error { return regression{}.Check(rows) }

// BaseScore is the weighted mean of log(time) of the rows with a time above 0, censored ones too; of an interval that is the middle of the
// logarithms of its ends, or the one that there is.
func (aft) BaseScore(rows Rows) ([]float64, error) {
	var logs Rows
	for i, y := range rows.Labels {
		upper := math.Abs(y)
		if rows.Upper != nil {
			upper = rows.Upper[i]
		}
		switch y = math.Abs(y); {
		case y == 0 && (upper == 0 || math.IsInf(upper, 1)):
			continue
		case y == 0:
			y = upper
		case math.IsInf(upper, 1):
			upper = y
		}
		log := detmath.Log(y)
		if upper > y {
			log = (log + detmath.Log(upper)) / 2
		}
		logs.Labels = append(logs.Labels, log)
		if rows.Weights != nil {
			logs.Weights = append(logs.Weights, rows.Weights[i])
		}
	}
	m, err := mean(logs)
	return []float64{m}, err
}

func (a aft) Gradients(rows Rows, lo, hi int, scores []float64, grad, hess []float32) {
	for i := lo; i < hi; i++ {
		var g, h float64
		if rows.Upper == nil {
			g, h = a.loss.Row(scores[i], rows.Labels[i])
		} else {
			g, h = a.loss.RowBetween(scores[i], rows.Labels[i], rows.Upper[i])
		}
		if rows.Weights != nil {
			g, h = g*rows.Weights[i], h*rows.Weights[i]
		}
		grad[i], hess[i] = float32(g), float32(h)
	}
}
