package infer

import (
	"context"

	"boost/dataset"
	"boost/parallel"
)

// Option says how a prediction runs. Only Rounds and EarlyStop change a result.
type Option func(*options)

type options struct {
	pool      *parallel.Pool
	threads   int
	rounds    int // of limited
	limited   bool
	allowance float64 // of early
	early     bool
}

// Pool runs the prediction on a pool of the caller's, which serves nobody else meanwhile.
func Pool(p *parallel.Pool) Option { return func(o *options) { o.pool = p } }

// Threads runs the prediction on up to n threads. Fewer than 1, like no option at
// all, means as many as the process may use.
func Threads(n int) Option { return func(o *options) { o.threads = n } }

// Rounds predicts with the first k rounds only, 0 … the model's. Another k is an error of the prediction.
func Rounds(k int) Option { return func(o *options) { o.rounds, o.limited = k, true } }

// Predictor predicts tables: a head, and the trees that it lacks. A table is coerced to the model's
// schema; one that lacks a feature column is an error that wraps dataset.ErrTable.
type Predictor struct {
	head   *Head
	forest forest
}

// Predict returns the predictions, rows × outputs, row-major.
func (p Predictor) Predict(ctx context.Context, t *dataset.Table, opts ...Option) ([]float64, error) {
	out := make([]float64, t.NumRows()*p.head.contents.Outputs)
	return predictTo(ctx, p, ofValues, opts, t, out, func(b *block) {
		b.link(p.head)
		b.transpose(b.values, out)
	})
}

// PredictRaw returns the raw scores, before the link, rows × outputs, row-major.
func (p Predictor) PredictRaw(ctx context.Context, t *dataset.Table, opts ...Option) ([]float64, error) {
	out := make([]float64, t.NumRows()*p.head.contents.Outputs)
	return predictTo(ctx, p, ofScores, opts, t, out, func(b *block) { b.transpose(b.raw, out) })
}

// PredictClass returns the index of each row's class; it is an error for a model without classes.
func (p Predictor) PredictClass(ctx context.Context, t *dataset.Table, opts ...Option) ([]int32, error) {
	if err := p.head.needClasses(); err != nil {
		return nil, err
	}
	out := make([]int32, t.NumRows())
	return predictTo(ctx, p, ofClasses, opts, t, out, func(b *block) {
		b.link(p.head)
		b.classes(b.values, p.head.contents.Trust.PositiveAbove(), out)
	})
}

// PredictLeaf returns the leaf of each row in each tree, rows × trees, row-major.
func (p Predictor) PredictLeaf(ctx context.Context, t *dataset.Table, opts ...Option) ([]int32, error) {
	j, err := p.newJob(ofLeaves, opts)
	if err != nil {
		return nil, err
	}
	out := make([]int32, t.NumRows()*j.trees)
	j.visit = func(b *block) { p.forest.numberLeaves(b, j.trees, out[b.first*j.trees:]) }
	return orNil(out, j.run(ctx, t))
}

// predictTo fills out, which visit writes to block by block.
func predictTo[T any](ctx context.Context, p Predictor, what kind, opts []Option, t *dataset.Table, out []T, visit func(*block)) ([]T, error) {
	j, err := p.newJob(what, opts)
	if err != nil {
		return nil, err
	}
	j.visit = visit
	return orNil(out, j.run(ctx, t))
}

// orNil keeps half-made results from callers.
func orNil[T any](out []T, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	return out, nil
}
