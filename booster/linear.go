package booster

import (
	"errors"
	"fmt"
	"slices"

	"boost/booster/internal/columns"
	"boost/booster/internal/source"
	"boost/booster/model"
	"boost/dataset"
	"boost/parallel"
	"boost/tree"
	"boost/tree/linear"
)

// checkLinear returns what does not go together with linear models in leaves.
func (p *Params) checkLinear() []error {
	if !p.Tree.Linear {
		if p.Tree.LinearLambda != 0 {
			return []error{fmt.Errorf("tree.linear_lambda = %v, and tree.linear = false: set tree.linear = true, or leave it out", p.Tree.LinearLambda)}
		}
		return nil
	}
	var errs []error
	if len(columns.Directed(p.Tree.Monotone)) > 0 {
		errs = append(errs, errors.New("constraints.monotone and tree.linear = true: linear models in leaves may fall where constraints want them to rise: leave one of them out"))
	}
	if p.Tree.PathSmooth > 0 {
		errs = append(errs, errors.New("tree.path_smooth and tree.linear = true: only constant leaves are smoothed: leave one of them out"))
	}
	if p.ErrorFeedback {
		errs = append(errs, errors.New("quantize.error_feedback and tree.linear = true: leaves with coefficients are not stored in few bits while training: leave one of them out"))
	}
	return errs
}

// hasLinear reports whether a tree has linear leaves.
func hasLinear(trees []tree.Tree) bool {
	return slices.ContainsFunc(trees, func(t tree.Tree) bool { return t.Linear != nil })
}

// linearTrees reports whether trees with linear leaves are grown or stand in the base model.
func (r *run) linearTrees() bool {
	return r.p.Tree.Linear || r.baseModel != nil && hasLinear(r.baseModel.Contents().Trees)
}

// floats returns the values of a set's features where linear leaves need them, nil else.
func (r *run) floats(s source.Source) ([][]float32, error) {
	if !r.linearTrees() {
		return nil, nil
	}
	var table *dataset.Table
	if valued, ok := s.(source.Valued); ok {
		table = valued.Values()
	}
	if table == nil {
		return nil, fmt.Errorf("%w: trees with linear leaves (tree.linear) need the values of the columns, which data.out_of_core and data.cache do not keep: leave these out", ErrParams)
	}
	columns, copied := table.Floats(r.pool)
	r.floatBytes += copied
	return columns, nil
}

// fitLinear gives a new tree linear leaves. Of boosting, the first tree has constant ones, as LightGBM's.
func (b *boosting) fitLinear(l *lane, made *tree.Tree, round int) {
	if l.linear == nil || round == 0 && !b.forest() {
		return
	}
	if b.sampler.Bag != nil {
		l.linear.Reset()
	}
	l.grower.NumberLeaves(made, l.linear.Leaf())
	grad, hess := l.storage.Floats()
	l.linear.Fit(made, grad, hess)
}

// linearBytes estimates the memory of a fitter of linear leaves.
func (p *Params) linearBytes(rows, threads int) int64 {
	if !p.Tree.Linear {
		return 0
	}
	return linear.Bytes(rows, p.Tree.MostLeaves(), threads)
}

// newFitter makes what fits the linear leaves of a lane's trees, nil where leaves are constant.
func (b *binned) newFitter(p *Params, ex *examples, pool *parallel.Pool, maxStep float64) *linear.Fitter {
	if !p.Tree.Linear {
		return nil
	}
	return linear.New(linear.Config{
		Pool: pool, Columns: b.floats, Cuts: b.cuts, Rows: ex.n, Leaves: p.Tree.MostLeaves(), Lambda: p.Tree.LinearLambda, MaxStep: maxStep,
	})
}

// coded returns the training rows as trees see them.
func (b *binned) coded() model.Coded {
	return model.Coded{Cuts: b.cuts, Matrix: b.matrix, Floats: b.floats}
}

// codedOf returns the rows of a validation set as trees see them.
func (b *binned) codedOf(s *evalSet) model.Coded {
	return model.Coded{Cuts: b.cuts, Matrix: s.matrix, Floats: s.floats}
}
