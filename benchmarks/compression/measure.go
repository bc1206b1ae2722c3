package compression

import (
	"context"
	"fmt"

	"boost/benchmarks/accuracy"
	"boost/booster"
	"boost/ptq"
	"boost/ptq/compress"
)

// Forms measures every form with its default calibration: one scale for the whole model, or
// those of blocks.
func (m *Model) Forms(ctx context.Context) ([]Figure, error) {
	t, err := compress.Open(m.Model)
	if err != nil {
		return nil, err
	}
	var figures []Figure
	for _, form := range ptq.Forms() {
		l, err := t.Morph(form, compress.Calibration{})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", form, err)
		}
		f, err := m.figure(ctx, form.String(), l)
		if err != nil {
			return nil, err
		}
		figures = append(figures, f)
	}
	return figures, nil
}

// Calibrated are the types whose calibrations are measured.
var Calibrated = []ptq.DType{ptq.I8, ptq.FP8E4M3, ptq.I4, ptq.FP4, ptq.Ternary}

// scale is a way to choose scales: a method, with what leaves are weighed by, and what shares a scale
// where that is not an output.
type scale struct {
	name string
	by   compress.Calibration
}

// scales are the ways that are measured.
func (m *Model) scales(ctx context.Context) ([]scale, error) {
	covers, err := compress.CoverWeights(m.Model)
	if err != nil {
		return nil, err
	}
	hits, err := compress.HitWeights(ctx, m.Model, m.Train)
	if err != nil {
		return nil, err
	}
	return []scale{
		{"absmax", compress.Calibration{}},
		{"percentile 99.9", compress.Calibration{Method: ptq.Percentile, Percent: 99.9}},
		{"percentile 99", compress.Calibration{Method: ptq.Percentile, Percent: 99}},
		{"mse", compress.Calibration{Method: ptq.MSE}},
		{"mse, covers", compress.Calibration{Method: ptq.MSE, Weights: covers}},
		{"mse, rows", compress.Calibration{Method: ptq.MSE, Weights: hits}},
		{"absmax, model", compress.Calibration{By: compress.ByModel}},
		{"absmax, tree", compress.Calibration{By: compress.ByTree}},
		{"mse, tree", compress.Calibration{Method: ptq.MSE, By: compress.ByTree}},
		{"mse, tree, covers", compress.Calibration{Method: ptq.MSE, By: compress.ByTree, Weights: covers}},
	}, nil
}

// Calibrations measures ways to choose scales. A way is named "I4 mse".
func (m *Model) Calibrations(ctx context.Context) ([]Figure, error) {
	scales, err := m.scales(ctx)
	if err != nil {
		return nil, err
	}
	t, err := compress.Open(m.Model)
	if err != nil {
		return nil, err
	}
	var figures []Figure
	for _, d := range Calibrated {
		for _, s := range scales {
			l, err := t.Morph(ptq.FormOf(d), s.by)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", d, s.name, err)
			}
			f, err := m.figure(ctx, d.String()+" "+s.name, l)
			if err != nil {
				return nil, err
			}
			figures = append(figures, f)
		}
	}
	return figures, nil
}

// FedBack are the forms that error feedback is measured with.
var FedBack = []ptq.Form{ptq.FormQ4_0, ptq.FormWarm5, ptq.FormCold}

// Ways of error feedback over the training rows.
const (
	NoFeedback  = "none"
	ByRows      = "rows"         // errors pushed forward, each row alike
	ByHessian   = "hessians"     // errors pushed forward, rows weighed by their hessians
	Refit       = "refit"        // leaves refitted while they are stored, without the old values
	RefitHalf   = "refit by 0.5" // with half of the old values
	InTraining  = "training"     // another model: grown on the scores of stored leaves
	refitDecay  = 0.0
	middleDecay = 0.5
)

// FeedbackWays are all ways of error feedback.
var FeedbackWays = []string{NoFeedback, ByRows, ByHessian, Refit, RefitHalf, InTraining}

// Feedback measures ways of error feedback with a form. A way is named "Q4_0 rows".
func (m *Model) Feedback(ctx context.Context, form ptq.Form, ways ...string) ([]Figure, error) {
	var figures []Figure
	for _, way := range ways {
		name := form.String() + " " + way
		if way == InTraining {
			f, err := m.trained(ctx, name, form)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			figures = append(figures, f)
			continue
		}
		l, err := m.fedBack(ctx, form, way)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		f, err := m.figure(ctx, name, l)
		if err != nil {
			return nil, err
		}
		figures = append(figures, f)
	}
	return figures, nil
}

func (m *Model) fedBack(ctx context.Context, form ptq.Form, way string) (*compress.Leaves, error) {
	c := compress.Calibration{}
	switch way {
	case NoFeedback:
		return compress.MorphModel(m.Model, form, c)
	case ByRows:
		return compress.MorphWithFeedback(ctx, m.Model, form, c, m.Train, compress.ByRows)
	case ByHessian:
		return compress.MorphWithFeedback(ctx, m.Model, form, c, m.Train, compress.ByHessian)
	case Refit:
		return compress.MorphWithRefit(m.Model, form, c, m.refit(ctx, refitDecay))
	case RefitHalf:
		return compress.MorphWithRefit(m.Model, form, c, m.refit(ctx, middleDecay))
	}
	return nil, fmt.Errorf("there is no feedback called %q", way)
}

// refit refits the model to its training rows while the leaves are stored.
func (m *Model) refit(ctx context.Context, decay float64) func(store func(int, []float64) error) error {
	return func(store func(int, []float64) error) error {
		_, err := booster.Refit(ctx, m.Model, m.Train, decay, booster.StoreLeaves(store))
		return err
	}
}

// trained measures a model that was trained with stored leaves. Its trees are its own, so that
// its leaves cannot be compared with the model's.
func (m *Model) trained(ctx context.Context, name string, form ptq.Form) (Figure, error) {
	f, p := Figure{Way: name}, m.params
	p.QuantizeDType, p.ErrorFeedback = form.String(), true
	other, err := booster.Train(ctx, p, m.Train)
	if err != nil {
		return f, err
	}
	var scales compress.Calibration
	if _, typed := form.DType(); typed { // those that training saw
		scales.By, scales.Float32Scales = compress.ByTree, true
	}
	l, err := compress.MorphModel(other, form, scales)
	if err != nil {
		return f, err
	}
	if other, err = l.Apply(other); err != nil {
		return f, err
	}
	f.Bytes = float64(l.Bytes()) / float64(l.Values.Len())
	loss, err := m.Set.LossOf(ctx, other, m.Test)
	f.Change = loss/m.Loss - 1
	return f, err
}

// Measure trains a set's model and measures all that there is a table of.
func Measure(ctx context.Context, set *accuracy.Set, threads int) (SetFigures, error) {
	m, err := New(ctx, set, threads)
	if err != nil {
		return SetFigures{}, err
	}
	s := SetFigures{Set: set.Name, Metric: set.Metric(), Trees: m.Model.NumTrees(), Leaves: len(m.Model.Leaves()), Loss: m.Loss}
	if s.Forms, err = m.Forms(ctx); err != nil {
		return s, err
	}
	if s.Calibrations, err = m.Calibrations(ctx); err != nil {
		return s, err
	}
	for _, form := range FedBack {
		figures, err := m.Feedback(ctx, form, FeedbackWays...)
		if err != nil {
			return s, err
		}
		s.Feedback = append(s.Feedback, figures...)
	}
	return s, nil
}
