package compress

import (
	"context"
	"fmt"

	"boost/booster/model"
	"boost/dataset"
	"boost/objectives"
	"boost/parallel"
	"boost/ptq"
)

// Weighing says how much a row counts where errors are pushed forward.
type Weighing uint8

const (
	// ByHessian weighs a row by the second derivative of its loss at the model's score: by
	// what a residual costs there. It needs labels and a built-in objective.
	ByHessian Weighing = iota
	// ByRows weighs each row by the table's weights, or like any other where it has none.
	ByRows
)

// MorphWithFeedback is MorphModel with errors pushed forward over the rows of a table
// (S4.27): what the trees stored so far leave at a row is made good by the trees that follow.
//
// Trees are stored in their order. The residual of a row is its score by the leaves as they are
// less its score by those that are stored. A leaf's target is its value plus the mean residual of
// its rows; what is stored is the target in the form. Under the form's scale that is the value
// which leaves the least squared residuals. A leaf that no row reaches has its own value for
// target. Training rows serve well: it counts which leaves rows reach together, less what their
// labels are.
//
// Bounds are those of leaves that are more than rounded, since their targets are moved: they are
// wider than without feedback. The scale of an output or of the whole model is the one that its
// leaves have without feedback. Neither threads nor the order of the rows change the result.
// Errors are those of MorphModel, of model.Model.Predict, of labels where they are needed, and of
// ctx.
func MorphWithFeedback(ctx context.Context, m *model.Model, form ptq.Form, c Calibration, rows *dataset.Table, by Weighing, opts ...Option) (*Leaves, error) {
	if m.HasLinear() {
		return nil, model.ErrLinear
	}
	t, err := Open(m)
	if err != nil {
		return nil, err
	}
	e, plain, err := t.startFeedback(form, c)
	if err != nil || e == nil {
		return plain, err
	}
	s, err := newSample(ctx, m, rows, opts)
	if err != nil {
		return nil, err
	}
	defer s.close()
	weights, err := s.weightsOf(ctx, m, by)
	if err != nil {
		return nil, err
	}
	if err := e.pushForward(ctx, s, weights); err != nil {
		return nil, err
	}
	return t.finishFeedback(e)
}

// MorphWithRefit is MorphModel with leaves that are made anew while they are stored. refit calls store once
// for each tree, in their order, with the tree's new values; store puts what is stored of them in their
// place, so that the values of the trees that follow can make good what was lost:
//
//	refit := func(store func(tree int, values []float64) error) error {
//		_, err := booster.Refit(ctx, m, rows, decay, booster.StoreLeaves(store))
//		return err
//	}
//
// Scales and bounds are as with MorphWithFeedback; further errors are those of refit.
func MorphWithRefit(m *model.Model, form ptq.Form, c Calibration, refit func(store func(tree int, values []float64) error) error) (*Leaves, error) {
	t, err := Open(m)
	if err != nil {
		return nil, err
	}
	e, plain, err := t.startFeedback(form, c)
	if err != nil || e == nil {
		return plain, err
	}
	if err := refit(e.store); err != nil {
		return nil, err
	}
	return t.finishFeedback(e)
}

// startFeedback begins to store the tensor's leaves in a form. Without an encoder the plain leaves are the result: there
// are none.
func (t *Tensor) startFeedback(form ptq.Form, c Calibration) (*encoder, *Leaves, error) {
	plain, err := t.Morph(form, c)
	if err != nil || t.trees == nil {
		return nil, plain, err
	}
	e := &encoder{form: form, c: c, outputs: t.model.Outputs(), trees: t.trees.Ends()}
	if e.whole, err = c.of(t.model, form); err != nil {
		return nil, nil, err
	}
	if v, typed := plain.Values.(*ptq.Version); typed && v.Scales() != nil && (c.By == ByModel || c.By == ByOutput) {
		e.shared = v
	}
	return e, plain, nil
}

// finishFeedback stores all targets.
func (t *Tensor) finishFeedback(e *encoder) (*Leaves, error) {
	values, err := e.all(t.trees)
	if err != nil {
		return nil, t.place(err)
	}
	return t.newLeaves(values, e.c.By)
}

// encoder stores one tree after the other. Each has the same values as if all were stored at
// once: it has scales of its own, or shares those that the leaves have without feedback.
type encoder struct {
	form    ptq.Form
	c       Calibration
	whole   ptq.Calibration // of all trees
	shared  *ptq.Version    // its scales are those of several trees; nil: each tree has its own
	outputs int
	trees   []int // where the leaves of each tree end

	targets []float64 // of the trees so far
}

// all stores the targets of all trees.
func (e *encoder) all(trees *ptq.Groups) (ptq.Values, error) {
	if e.shared != nil {
		return e.shared.With(e.targets)
	}
	return ptq.Encode(e.form, e.whole, e.targets, trees)
}

// store notes the targets of a tree and puts what is stored of them in their place.
func (e *encoder) store(tree int, values []float64) error {
	e.targets = append(e.targets, values...)
	c, err := e.ofTree(tree, len(values))
	if err != nil {
		return err
	}
	if c.Method == ptq.Given && c.Scale == 0 { // all leaves of the output are 0
		clear(values)
		return nil
	}
	stored, err := ptq.Encode(e.form, c, values, nil)
	if err != nil {
		return err
	}
	stored.DecodeRange(values, 0)
	return nil
}

// ofTree returns the calibration of a tree of n leaves by itself.
func (e *encoder) ofTree(tree, n int) (c ptq.Calibration, err error) {
	c = e.whole
	c.Groups, c.Weights = nil, nil
	if v := e.shared; v != nil {
		group := 0
		if e.c.By == ByOutput {
			group = tree % e.outputs
		}
		c.Method, c.Percent, c.Scale = ptq.Given, 0, v.Scales()[group]
		if v.Offsets() != nil {
			c.Offset = v.Offsets()[group]
		}
		return c, nil
	}
	if e.whole.Groups != nil && e.c.By == ByBlock {
		if c.Groups, err = ptq.NewBlocks([]int{n}, ptq.TierBlock); err != nil {
			return c, err
		}
	}
	if e.whole.Weights != nil {
		c.Weights, err = ptq.NewWeights(e.c.Weights[e.trees[tree]-n : e.trees[tree]])
	}
	return c, err
}

// pushForward stores tree by tree, with weights of the rows by output.
func (e *encoder) pushForward(ctx context.Context, s *sample, weights [][]float64) error {
	residuals := make([][]float64, s.outputs)
	for k := range residuals {
		residuals[k] = make([]float64, s.n)
	}
	var totals, moved, values []float64
	for i := range s.trees {
		if err := ctx.Err(); err != nil {
			return err
		}
		t := &s.trees[i]
		residual := residuals[i%s.outputs]
		s.again(i)
		totals = s.sum(totals[:0], t.NumLeaves(), residual, weights[i%s.outputs])
		sums := s.hits(i, weights[i%s.outputs])
		values = append(values[:0], t.Leaf...)
		for l := range values {
			if sums[l] > 0 {
				values[l] += totals[l] / sums[l]
			}
		}
		if err := e.store(i, values); err != nil {
			return fmt.Errorf("tree %d cannot be stored: %w", i, err)
		}
		moved = moved[:0]
		for l, v := range t.Leaf {
			moved = append(moved, v-values[l])
		}
		s.each(func(_, lo, hi int) {
			for row := lo; row < hi; row++ {
				residual[row] += moved[int(s.leaf[row])]
			}
		})
	}
	return nil
}

// weightsOf returns the weights of the rows by output.
func (s *sample) weightsOf(ctx context.Context, m *model.Model, by Weighing) ([][]float64, error) {
	weights := make([][]float64, s.outputs)
	if by == ByRows {
		for k := range weights {
			weights[k] = s.rowWeights
		}
		return weights, nil
	}
	hessians, err := s.hessians(ctx, m)
	if err != nil {
		return nil, err
	}
	for k := range weights {
		weights[k] = make([]float64, s.n)
		for row := range weights[k] {
			weights[k][row] = max(0, float64(hessians[k*s.n+row]))
		}
	}
	return weights, nil
}

// hessians returns the second derivatives of the rows' weighted losses at the model's scores,
// output-major.
func (s *sample) hessians(ctx context.Context, m *model.Model) ([]float32, error) {
	objective, err := builtIn(m)
	if err != nil {
		return nil, fmt.Errorf("hessians of an objective of the caller's (weigh by rows): %w", err)
	}
	if s.table.LabelColumn() == nil {
		return nil, fmt.Errorf("%w: hessians need labels, and the table has none (weigh by rows)", dataset.ErrTable)
	}
	rows, err := s.rows(m)
	if err != nil {
		return nil, err
	}
	if objectives.NeedsQueries(objective) {
		if rows.Queries, err = s.table.Groups(); err != nil {
			return nil, err
		}
	}
	if err := objective.Check(rows); err != nil {
		return nil, fmt.Errorf("%w: %w", dataset.ErrTable, err)
	}
	rowMajor, err := m.PredictRaw(ctx, s.table, model.Pool(s.pool))
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(rowMajor))
	for row := range s.n {
		for k := range s.outputs {
			scores[k*s.n+row] = rowMajor[row*s.outputs+k]
		}
	}
	grad, hess := make([]float32, len(scores)), make([]float32, len(scores))
	pieces := objectives.Pieces(objective, rows, sampleBlock)
	s.pool.Do(len(pieces)-1, parallel.Func(func(_, piece int) {
		objective.Gradients(rows, pieces[piece], pieces[piece+1], scores, grad, hess)
	}))
	return hess, nil
}

// rows returns what is known of the rows as training counts it, without queries.
func (s *sample) rows(m *model.Model) (objectives.Rows, error) {
	in, err := m.MetricInput(s.table, nil)
	return objectives.Rows{Labels: in.Labels, Targets: in.Targets, Upper: in.Upper, Weights: s.rowWeights}, err
}

// builtIn returns the loss that a model was trained on, an error where that is the caller's own.
func builtIn(m *model.Model) (objectives.Objective, error) {
	return m.Contents().Loss()
}
