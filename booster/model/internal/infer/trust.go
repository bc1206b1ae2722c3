package infer

import (
	"context"
	"errors"
	"fmt"
	"math"

	"boost/booster/trust"
	"boost/dataset"
	"boost/objectives"
)

// checkTrust refuses to apply what was found for the predictions of all trees to others.
func (j *job) checkTrust(what kind) error {
	t := j.head.contents.Trust
	switch what {
	case ofValues:
		if t == nil || t.Calibration == nil {
			return nil
		}
	case ofClasses, ofStages:
		if !t.ChangesValues() {
			return nil
		}
	case ofIntervals:
	default:
		return nil
	}
	switch all := j.head.contents.BestRound; {
	case what == ofStages || j.trees < all*j.head.contents.Outputs:
		return fmt.Errorf("the model is calibrated for all its %d rounds: leave other numbers of rounds out, or predict raw scores", all)
	case j.options.early:
		return errors.New("the model is calibrated for scores that went through all trees: leave EarlyStop out, or predict raw scores")
	}
	return nil
}

// intervals returns what the model's intervals are made by, which it has to have.
func (h *Head) intervals(sets bool) (*trust.Intervals, error) {
	t := h.contents.Trust
	if t == nil || t.Intervals == nil {
		return nil, errors.New("the model has no intervals: calibrate it with some")
	}
	if is := t.Intervals.Kind == trust.Sets; is != sets {
		return nil, fmt.Errorf("the model's intervals are from %s: ask for sets of models of classes, and for bounds of those of numbers", t.Intervals.Kind)
	}
	return t.Intervals, nil
}

// PredictIntervals returns the lower and the upper bound of each row, rows × 2, row-major. A model without such intervals
// is an error.
func (p Predictor) PredictIntervals(ctx context.Context, t *dataset.Table, opts ...Option) ([]float64, error) {
	v, err := p.head.intervals(false)
	if err != nil {
		return nil, err
	}
	margins, err := newGroupMargins(v, p.head, t)
	if err != nil {
		return nil, err
	}
	least, most := image(p.head.contents.Link)
	out := make([]float64, t.NumRows()*2)
	return predictTo(ctx, p, ofIntervals, opts, t, out, func(b *block) {
		b.link(p.head)
		low, high := b.values[v.Low*b.rows:][:b.rows], b.values[v.High*b.rows:][:b.rows]
		for i := range low {
			row := b.first + i
			out[2*row], out[2*row+1] = trust.Around(low[i], high[i], margins.of(row), least, most)
		}
	})
}

// PredictSets reports for each row which classes are in its set, rows × classes, row-major. A model without such sets is an
// error. They are made by the probabilities before they are calibrated.
func (p Predictor) PredictSets(ctx context.Context, t *dataset.Table, opts ...Option) ([]bool, error) {
	v, err := p.head.intervals(true)
	if err != nil {
		return nil, err
	}
	margins, err := newGroupMargins(v, p.head, t)
	if err != nil {
		return nil, err
	}
	link, classes := p.head.contents.Link, len(p.head.contents.Classes)
	out := make([]bool, t.NumRows()*classes)
	return predictTo(ctx, p, ofIntervals, opts, t, out, func(b *block) {
		link.Apply(b.outputs, b.raw, b.values, 0, b.rows, b.rows)
		for i := range b.rows {
			row := b.first + i
			margin := margins.of(row)
			for class := range classes {
				out[row*classes+class] = trust.SetScore(b.outputs, b.values, b.rows, i, class) <= margin
			}
		}
	})
}

// image returns the bounds of what a link makes of raw scores.
func image(link objectives.Link) (least, most float64) {
	switch link {
	case objectives.Exp, objectives.Softplus:
		return 0, math.Inf(1)
	case objectives.Expm1:
		return -1, math.Inf(1)
	case objectives.Logistic:
		return 0, 1
	}
	return math.Inf(-1), math.Inf(1)
}

// groupMargins are the margins of the rows of a table.
type groupMargins struct {
	all, missing float64
	codes        []int32   // of the rows; nil where all have the same margin
	levels       []float64 // by code
}

func newGroupMargins(v *trust.Intervals, h *Head, t *dataset.Table) (*groupMargins, error) {
	m := &groupMargins{all: v.Margin, missing: v.Margin}
	if len(v.Groups) == 0 {
		return m, nil
	}
	t, err := t.As(h.contents.Schema)
	if err != nil {
		return nil, err
	}
	named := make(map[string]float64, len(v.Groups))
	for _, g := range v.Groups {
		if g.Missing {
			m.missing = g.Margin
		} else {
			named[g.Value] = g.Margin
		}
	}
	column := t.Column(v.By)
	m.codes = column.Codes()
	for _, level := range column.Levels() {
		margin, ok := named[level]
		if !ok {
			margin = v.Margin
		}
		m.levels = append(m.levels, margin)
	}
	return m, nil
}

// of returns the margin of a row.
func (m *groupMargins) of(row int) float64 {
	switch {
	case m.codes == nil:
		return m.all
	case m.codes[row] < 0:
		return m.missing
	}
	return m.levels[m.codes[row]]
}
