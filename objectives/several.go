package objectives

import (
	"errors"
	"fmt"

	"boost/internal/near"
)

var multiLabelInfo = Info{
	Name:    "multi_label",
	Aliases: []string{"multilogloss", "multilabel"},
	Several: true,
	Link:    Logistic,
	Metrics: fixed("logloss", "auc", "error"),
	Make:    func(Options) (Objective, error) { return multiLabel{}, nil },
}

// multiLabel is the log loss of one of several labels, each of which is 0 or 1.
type multiLabel struct{ binary }

func (multiLabel) Name() string { return "multi_label" }

func (multiLabel) Check(rows Rows) error {
	if err := CheckWeights(rows); err != nil {
		return err
	}
	for i, y := range rows.Labels {
		if y != 0 && y != 1 {
			return &RowError{i, "label", y, "0 or 1"}
		}
	}
	return nil
}

// TakesSeveral reports whether a row may have several labels, each with an output of its own: numbers of which no other row, and no
// second column, has to be known.
func (i Info) TakesSeveral() bool { return i.Several || !i.HasClasses() && !i.Queries && !i.Times }

// checkTargets refuses numbers of labels that the loss is not of.
func (i Info) checkTargets(k int) error {
	switch {
	case k == 1 && i.Several:
		return fmt.Errorf("objective %s is of several labels, each 0 or 1: name them all, data.label = [\"…\", \"…\"], or take objective binary", i.Name)
	case k > 1 && !i.TakesSeveral():
		var takers []string
		for _, other := range registry {
			if other.TakesSeveral() {
				takers = append(takers, other.Name)
			}
		}
		return fmt.Errorf("objective %s takes one label, and there are %d: name one, or take objective %s", i.Name, k, near.Or(takers))
	}
	return nil
}

// ofTargets makes the loss of k labels, two or more.
func ofTargets(o Objective, k int) (Objective, error) {
	if o.Outputs() != 1 {
		return nil, fmt.Errorf("objective %s has %d outputs for one label, and there are %d labels: name one label, or one level of objective.alpha", o.Name(), o.Outputs(), k)
	}
	s := several{o, k}
	if q, ok := o.(QuantileLeaves); ok {
		return severalQuantiles{s, q}, nil
	}
	return s, nil
}

// several is a loss of each of k labels, with an output for each: their sum.
type several struct {
	one Objective
	k   int
}

func (s several) Name() string { return s.one.Name() }
func (s several) Outputs() int { return s.k }

// Link is that of one label; outputs of several are not sorted.
func (s several) Link() Link {
	if link := s.one.Link(); link != Sorted {
		return link
	}
	return Identity
}

// MaxStep is that of one label.
func (s several) MaxStep() float64 {
	if o, ok := s.one.(StepLimiter); ok {
		return o.MaxStep()
	}
	return 0
}

func (s several) Check(rows Rows) error {
	if len(rows.Targets) != s.k {
		return fmt.Errorf("%w: %d labels for %d outputs", ErrRows, len(rows.Targets), s.k)
	}
	for k := range s.k {
		err := s.one.Check(rows.target(k))
		if row, ok := errors.AsType[*RowError](err); ok && row.What == "label" {
			return &RowError{row.Row, fmt.Sprintf("label %d of %d:", k+1, s.k), row.Value, row.Want}
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (s several) BaseScore(rows Rows) ([]float64, error) {
	var scores []float64
	for k := range s.k {
		of, err := s.one.BaseScore(rows.target(k))
		if err != nil {
			return nil, err
		}
		scores = append(scores, of...)
	}
	return scores, nil
}

func (s several) Gradients(rows Rows, lo, hi int, scores []float64, grad, hess []float32) {
	n := len(rows.Labels)
	for k := range s.k {
		s.one.Gradients(rows.target(k), lo, hi, scores[k*n:(k+1)*n], grad[k*n:(k+1)*n], hess[k*n:(k+1)*n])
	}
}

// LabelsOf returns the labels of an output: its own where a row has several.
func (r Rows) LabelsOf(output int) []float64 {
	if r.Targets != nil {
		return r.Targets[output]
	}
	return r.Labels
}

// target returns the rows with the k-th of several labels as the only one.
func (r Rows) target(k int) Rows {
	r.Labels, r.Targets = r.Targets[k], nil
	return r
}

// severalQuantiles is several of a loss whose leaves are quantiles.
type severalQuantiles struct {
	several
	quantiles QuantileLeaves
}

func (s severalQuantiles) LeafLevel(int) float64 { return s.quantiles.LeafLevel(0) }
