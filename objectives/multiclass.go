package objectives

import (
	"fmt"

	"boost/internal/detmath"
	"boost/internal/kernel/loss"
)

var multiclassInfo = Info{
	Name:    "multiclass",
	Aliases: []string{"softmax", "multi:softprob", "multi:softmax", "multi_logloss", "mlogloss", "categorical_crossentropy"},
	Labels:  ManyClasses,
	Link:    Softmax,
	Metrics: fixed("multi_logloss", "multi_error"),
	Make: func(o Options) (Objective, error) {
		if o.Classes < 2 {
			return nil, fmt.Errorf("objective multiclass needs at least 2 classes, there are %d", o.Classes)
		}
		return multiclass{o.Classes}, nil
	},
}

// multiclass is the log loss of softmax over K classes, a tree per class and round.
type multiclass struct{ classes int }

func (multiclass) Name() string            { return "multiclass" }
func (m multiclass) Outputs() int          { return m.classes }
func (multiclass) Link() Link              { return Softmax }
func (m multiclass) Check(rows Rows) error { return checkClasses(rows, m.classes) }
func (multiclass) MaxStep() float64        { return maxLogit }

// BaseScore is the logarithm of each class's share of the weight, the share taken
// as at least 1e-15.
func (m multiclass) BaseScore(rows Rows) ([]float64, error) {
	sums := make([]detmath.Sum, m.classes)
	var all detmath.Sum
	for i, y := range rows.Labels {
		w := 1.0
		if rows.Weights != nil {
			w = rows.Weights[i]
		}
		sums[int(y)].Add(w)
		all.Add(w)
	}
	total := all.Round()
	if !(total > 0) {
		return nil, fmt.Errorf("%w: the weights sum to %v", ErrRows, total)
	}
	base := make([]float64, m.classes)
	for c := range base {
		base[c] = detmath.Log(max(sums[c].Round()/total, leastShare))
	}
	return base, nil
}

// Gradients multiplies the hessian p·(1-p) by K/(K-1), as LightGBM does (Friedman
// 2001, algorithm 6): K trees share what one score per row would do.
func (m multiclass) Gradients(rows Rows, lo, hi int, scores []float64, grad, hess []float32) {
	k := m.classes
	loss.Softmax(grad, hess, scores, rows.Labels, rows.Weights, k, len(rows.Labels), lo, hi, float64(k)/float64(k-1))
}

// oneVsAllInfo is of a log loss for each class, of its rows against all others.
var oneVsAllInfo = Info{
	Name:    "one_vs_all",
	Aliases: []string{"multiclassova", "multiclass_ova", "ova", "ovr", "onevsall", "multiclassonevsall"},
	Labels:  ManyClasses,
	Link:    OneVsAll,
	Metrics: fixed("multi_logloss", "multi_error"),
	Make: func(o Options) (Objective, error) {
		if o.Classes < 2 {
			return nil, fmt.Errorf("objective one_vs_all needs at least 2 classes, there are %d", o.Classes)
		}
		return oneVsAll{multiclass{o.Classes}}, nil
	},
}

type oneVsAll struct{ multiclass }

func (oneVsAll) Name() string { return "one_vs_all" }
func (oneVsAll) Link() Link   { return OneVsAll }

// BaseScore is the logit of each class's share of the weight, the share taken as at least 1e-15 and at most 1-1e-15.
func (o oneVsAll) BaseScore(rows Rows) ([]float64, error) {
	base, err := o.multiclass.BaseScore(rows)
	for c, log := range base {
		share := min(detmath.Exp(log), 1-leastShare)
		base[c] = log - detmath.Log(1-share)
	}
	return base, err
}

func (o oneVsAll) Gradients(rows Rows, lo, hi int, scores []float64, grad, hess []float32) {
	n := len(rows.Labels)
	var own [ovaBlock]float64
	for ; lo < hi; lo += ovaBlock {
		to := min(lo+ovaBlock, hi)
		labels := own[:to-lo]
		for c := range o.classes {
			for i, y := range rows.Labels[lo:to] {
				labels[i] = 0
				if int(y) == c {
					labels[i] = 1
				}
			}
			at, end := c*n+lo, c*n+to
			loss.Logistic(grad[at:end], hess[at:end], scores[at:end], labels, slice(rows.Weights, lo, to))
		}
	}
}

// ovaBlock is the number of rows whose labels are told apart at once.
const ovaBlock = 512
