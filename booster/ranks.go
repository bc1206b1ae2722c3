package booster

import (
	"context"
	"errors"
	"fmt"

	"boost/booster/internal/sampling"
	"boost/booster/internal/share"
	"boost/gradients"
	"boost/internal/comm"
	"boost/objectives"
	"boost/objectives/metrics"
)

// WithRanks spreads the rounds over ranks: processes that each hold the codes, scores and gradients of some of the rows. All are
// given the same parameters and the same tables, or a training table that they share (dataset.Share), and return the same model, with the
// bytes that one process makes. What fails at one of them fails at all.
func WithRanks(c comm.Comm) Option { return func(o *options) { o.ranks = c } }

// ByFeatures has ranks hold all rows each, and search splits among some of the features: for tables of many features. What they send no
// longer grows with the table.
func ByFeatures() Option { return func(o *options) { o.byFeatures = true } }

// spread reports whether other ranks take part.
func (o *options) spread() bool { return o.ranks != nil && o.ranks.Size() > 1 }

// holders returns the ranks that have other rows, nil for none.
func (o *options) holders() comm.Comm {
	if o.byFeatures {
		return nil
	}
	return o.ranks
}

// checkRanks returns what does not go over ranks. asked is what train.gradients was before it was chosen.
func (r *run) checkRanks(ex *examples, asked string) error {
	if !r.spread() {
		return nil
	}
	key := ""
	switch {
	case r.custom != nil, r.stopWhen != nil, r.rateBy != nil:
		return fmt.Errorf("%w: an objective, a rate and a stop of the caller's own see the rows of one process: train in one", ErrParams)
	case ex.Positions != nil:
		key = "data.position"
	case r.p.Gradients == gradients.F32.String():
		key = "train.gradients = " + gradients.Became(asked, gradients.F32)
	case r.p.Tree.Linear:
		key = "tree.linear"
	case len(r.p.Tree.FeatureRowCost) > 0:
		key = "tree.feature_row_cost"
	case r.p.Binning.BundleConflicts > 0:
		key = "binning.bundle_conflicts"
	case r.p.Verify:
		key = "train.verify"
	case r.cache != nil:
		key = "data.cache"
	default:
		return nil
	}
	return fmt.Errorf("%w: %s is for one process: leave it out, or train without ranks", ErrParams, key)
}

// share returns what is learned from of this rank's part of the training rows, which it makes known to the others.
func (r *run) share(ctx context.Context, ex *examples, draws *sampling.Draws, part share.Part) (*examples, error) {
	if !r.spread() {
		return ex, nil
	}
	all, err := share.Join(context.WithoutCancel(ctx), r.ranks, part.Len(), ex.n, r.byFeatures)
	if ex.all = all; err != nil || r.byFeatures {
		return ex, err
	}
	own := *ex
	own.ranks = all
	own.n, own.Queries = part.Len(), part.Queries(ex.Queries)
	own.Labels, own.Weights, own.Upper, own.Targets = share.Rows(part, ex.Labels), share.Rows(part, ex.Weights), share.Rows(part, ex.Upper), share.Each(part, ex.Targets)
	own.answers.Columns, own.answers.Upper = share.Each(part, ex.answers.Columns), own.Upper
	own.tableWeights, own.initial = share.Rows(part, ex.tableWeights), share.Outputs(part, ex.initial, ex.n)
	own.pieces = objectives.Pieces(own.objective, own.Rows, gradientBlock)
	draws.Keep(part.Lo, part.Hi)
	own.storing.Ranks, own.First = all, all.First()
	return &own, nil
}

// endRanks ends a training of several ranks: with an error at all where there is one at this, or where models differ.
func (r *run) endRanks(ctx context.Context, m *Model, err error) error {
	if !r.spread() {
		return err
	}
	if err == nil {
		err = share.Same(context.WithoutCancel(ctx), r.ranks, m.Encode)
	}
	if err != nil && !errors.Is(err, ErrInterrupted) {
		r.ranks.Abort(err)
	}
	return err
}

// takeGradients fills the gradient buffer: by pieces of rows, or, where the gradient of a row depends on all, by the scores of all ranks.
func (b *boosting) takeGradients() {
	if _, ofAll := b.objective.(objectives.OfAllRows); !ofAll || !b.ranks.Shared() {
		b.pool.Do(len(b.pieces)-1, (*gradientTask)(b))
		return
	}
	rows := b.whole.Rows
	rows.Round = b.Round
	scores, all := share.Gather(b.ranks, nil, b.scores, b.outputs, b.whole.n), gradients.NewBuffer(b.whole.n, b.outputs)
	b.objective.Gradients(rows, 0, b.whole.n, scores, all.Grad, all.Hess)
	own := share.Part{Lo: b.First, Hi: b.First + b.n}
	copy(b.buffer.Grad, share.Outputs(own, all.Grad, b.whole.n))
	copy(b.buffer.Hess, share.Outputs(own, all.Hess, b.whole.n))
}

// shareInput makes the input of metrics, which has the scores of this rank's rows of a set, that of these rows; All has the scores of all.
func (j *judge) shareInput(s *evalSet, in *metrics.Input) {
	all, part := *in, share.Part{Lo: s.first, Hi: s.first + s.n}
	in.Labels, in.Targets, in.Upper, in.Weights = share.Rows(part, all.Labels), share.Each(part, all.Targets), share.Rows(part, all.Upper), share.Rows(part, all.Weights)
	in.Values, in.Share = all.Values[:len(s.raw)], j.ranks.Sum
	in.All = func() metrics.Input {
		s.all = share.Gather(j.ranks, s.all, s.raw, j.outputs, len(all.Labels))
		all.Raw = s.all
		return all
	}
}
