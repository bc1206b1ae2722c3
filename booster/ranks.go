package booster

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"boost/binning"
	"boost/booster/internal/sampling"
	"boost/gradients"
	"boost/internal/comm"
	"boost/objectives"
)

// WithRanks spreads the rounds over ranks: processes that each hold the codes, scores and gradients of some of the rows. All are
// given the same tables and parameters, and return the same model, with the bytes that one process makes. What fails
// at one of them fails at all.
func WithRanks(c comm.Comm) Option { return func(o *options) { o.ranks = c } }

// spread reports whether other ranks take part.
func (o *options) spread() bool { return o.ranks != nil && o.ranks.Size() > 1 }

// checkRanks returns what does not go over ranks yet.
func (r *run) checkRanks(ex *examples) error {
	if !r.spread() {
		return nil
	}
	name := ex.objective.Name()
	_, ofAll := ex.objective.(objectives.OfAllRows)
	key := ""
	switch {
	case r.custom != nil, r.stopWhen != nil, r.rateBy != nil:
		return fmt.Errorf("%w: an objective, a rate and a stop of the caller's own see the rows of one process: train in one", ErrParams)
	case ofAll, name == "rank_xendcg":
		key = fmt.Sprintf("train.objective = %q", name)
	case ex.quantileLeaves():
		key = fmt.Sprintf("train.objective = %q, whose leaves are quantiles,", name)
	case ex.Positions != nil:
		key = "data.position"
	case r.p.Gradients == gradients.F32.String():
		key = `train.gradients = "f32"`
	case r.p.Tree.Linear:
		key = "tree.linear"
	case len(r.p.Tree.FeatureRowCost) > 0:
		key = "tree.feature_row_cost"
	case r.p.Stratified:
		key = "sampling.stratified"
	case r.p.Verify:
		key = "train.verify"
	case r.folder != nil:
		key = "output.checkpoint"
	case r.cache != nil:
		key = "data.cache"
	default:
		return nil
	}
	return fmt.Errorf("%w: %s is for one process: leave it out, or train without ranks", ErrParams, key)
}

// part returns the rows of a set that this rank has: as many as the others, queries whole.
func (r *run) part(rows int, queries []int) (lo, hi int) {
	if !r.spread() {
		return 0, rows
	}
	border := func(rank int) int {
		at := rows * rank / r.ranks.Size()
		for _, first := range queries {
			if first >= at {
				return first
			}
		}
		return at
	}
	return border(r.ranks.Rank()), border(r.ranks.Rank() + 1)
}

// size returns the number of ranks.
func (o *options) size() int {
	if o.ranks == nil {
		return 1
	}
	return o.ranks.Size()
}

// share returns what is learned from of this rank's part of the training rows, which it makes known to the others.
func (r *run) share(ctx context.Context, ex *examples, draws *sampling.Draws) (*examples, error) {
	if !r.spread() {
		return ex, nil
	}
	lo, hi := r.part(ex.n, ex.Queries)
	own := *ex
	own.n = hi - lo
	own.Labels, own.Weights, own.Upper = part(ex.Labels, lo, hi), part(ex.Weights, lo, hi), part(ex.Upper, lo, hi)
	own.tableWeights = part(ex.tableWeights, lo, hi)
	own.Targets = nil
	for _, t := range ex.Targets {
		own.Targets = append(own.Targets, t[lo:hi])
	}
	own.answers.Columns, own.answers.Upper = nil, own.Upper
	for _, c := range ex.answers.Columns {
		own.answers.Columns = append(own.answers.Columns, c[lo:hi])
	}
	own.initial = partOfEach(ex.initial, ex.n, lo, hi)
	if ex.Queries != nil {
		own.Queries = []int{}
		for _, first := range ex.Queries {
			if first >= lo && first <= hi {
				own.Queries = append(own.Queries, first-lo)
			}
		}
	}
	own.pieces = objectives.Pieces(own.objective, own.Rows, gradientBlock)
	draws.Keep(lo, hi)
	var err error
	own.ranks, err = comm.Join(context.WithoutCancel(ctx), r.ranks, own.n)
	own.storing.Ranks = own.ranks
	return &own, err
}

// takePart returns the codes of the rows lo … hi-1.
func (r *run) takePart(codes *binning.Codes, lo, hi int) *binning.Codes {
	if !r.spread() {
		return codes
	}
	rows := make([]int32, hi-lo)
	for i := range rows {
		rows[i] = int32(lo + i)
	}
	return codes.Take(rows)
}

// partOfEach returns the rows lo … hi-1 of each output.
func partOfEach(scores []float64, rows, lo, hi int) (own []float64) {
	for ; len(scores) > 0; scores = scores[rows:] {
		own = append(own, scores[lo:hi]...)
	}
	return own
}

func part[T any](values []T, lo, hi int) []T {
	if values == nil {
		return nil
	}
	return values[lo:hi:hi]
}

// gatherScores returns the raw scores of all rows of a set, output-major, of which own are this rank's.
func gatherScores(ranks *comm.Ranks, all, own []float64, outputs int) {
	rows, here := len(all)/outputs, len(own)/outputs
	for k := range outputs {
		ranks.GatherFloats(all[k*rows:(k+1)*rows], own[k*here:(k+1)*here])
	}
}

// scoresOf returns the scores that metrics are computed on: all rows of a set, wherever they are.
func (j *judge) scoresOf(s *evalSet) []float64 {
	if !j.ranks.Shared() {
		return s.raw
	}
	if s.all == nil {
		s.all = make([]float64, j.outputs*len(s.labels.Columns[0]))
	}
	gatherScores(j.ranks, s.all, s.raw, j.outputs)
	return s.all
}

// errOtherRank ends a training that was interrupted at another rank.
var errOtherRank = errors.New("at another rank")

// sameModel compares the models of all ranks.
func (r *run) sameModel(ctx context.Context, m *Model) error {
	bytes, err := m.Encode()
	if err != nil {
		return err
	}
	own := sha256.Sum256(bytes)
	all, err := r.ranks.Gather(context.WithoutCancel(ctx), own[:])
	if err != nil {
		return err
	}
	for rank, theirs := range all {
		if string(theirs) != string(own[:]) {
			return fmt.Errorf("%w: rank %d has made another model than rank %d: do both run the same program on the same table?", comm.ErrComm, rank, r.ranks.Rank())
		}
	}
	return nil
}
