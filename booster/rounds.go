package booster

import (
	"context"
	"fmt"
	"slices"
	"time"

	"boost/binning"
	"boost/booster/internal/crosses"
	"boost/booster/internal/dropout"
	"boost/booster/internal/sampling"
	"boost/booster/internal/scores"
	"boost/booster/model"
	"boost/gradients"
	"boost/histogram"
	"boost/objectives/metrics"
	"boost/tree"
	"boost/tree/grow"
)

// boosting is the state of the rounds of a run.
type boosting struct {
	*run
	*examples
	data *binned
	plan *plan

	scores []float64 // raw, outputs × n, output-major
	// saved are those after the best round, which early stopping goes back to; nil where they are not kept. They cost 8 bytes per
	// row and output, and save another pass of all kept trees over the rows.
	saved   []float64
	buffer  *gradients.Buffer
	sampler sampling.Sampler
	lanes   lanes
	judge   judge
	dart    *dropout.State // nil for other ways of boosting

	trees []tree.Tree
	wide  []model.WideRound
	rate  float64 // what the leaf values of the current round are multiplied by
	progress
	saving *saving
	logged struct{ large, clipped bool } // a gradient that is too large; hessians that were clipped
}

// progress is how far the rounds are.
type progress struct {
	first   int    // rounds of the base model
	done    int    // rounds, with those
	best    int    // rounds of the best model; done where early stopping is off
	ended   bool   // by early stopping
	stopped string // one of the Stopped constants
	before  Round  // the last round
}

// newBoosting makes the buffers of the rounds and starts from the base model.
func (r *run) newBoosting(ex *examples, data *binned, pl *plan, list []metrics.Metric, draws *sampling.Draws) (*boosting, error) {
	b := &boosting{run: r, examples: ex, data: data, plan: pl, judge: r.newJudge(ex, data.sets, list)}
	if pl.keepBest {
		b.saved = make([]float64, ex.outputs*ex.n)
	}
	var copied *binning.RowMajor
	var lists *histogram.Lists
	if len(pl.copied) > 0 {
		copied = binning.NewPackedRowMajor(data.matrix, pl.copied, r.pool)
		lists = r.makeLists(ex, data, pl, copied)
	}
	b.scores = make([]float64, ex.outputs*ex.n)
	scores.Start(b.scores, ex.initial, ex.base)
	b.buffer = gradients.NewBuffer(ex.n, ex.outputs)
	b.sampler = sampling.New(&r.p.Sampling, r.p.Seed, ex.n, draws, ex.ranks, r.pool)
	forced, err := r.forcedSplits(data)
	if err != nil {
		return nil, err
	}
	b.lanes = r.newLanes(ex, data, pl, grow.Config{
		Forced:     forced,
		SparseSums: pl.sparseSums, Matrix: data.matrix, RowMajor: copied, Lists: lists, Features: data.cuts.Features, Of: crosses.Sources(data.schema), Strategy: pl.strategy,
		Params: r.p.treeParams(), LearningRate: 1, MaxStep: ex.maxStep(), AnyUnit: r.p.anyUnit(), Seed: r.p.Seed,
		Ranks: ex.ranks, Searchers: ex.all, Renew: r.p.RenewLeaves == renewOn, Quantiles: ex.quantileLeaves(), Verify: r.p.Verify,
	})
	if r.p.Boosting == DartBoosting {
		b.dart = dropout.New(&r.p.Dart, r.p.Seed, len(b.scores))
		if pl.numbers {
			b.dart.Numbers = dropout.NewLeafNumbers(ex.n, ex.outputs)
			for _, s := range data.sets {
				s.numbers = dropout.NewLeafNumbers(s.n, ex.outputs)
			}
		}
	}
	for _, s := range data.sets {
		scores.Start(s.raw, s.initial, b.base)
	}
	if err := b.startFromBase(); err != nil {
		return nil, err
	}
	return b, b.resume()
}

// makeLists makes the lists of a row-major copy if they make passes faster and there is room for them.
func (r *run) makeLists(ex *examples, data *binned, pl *plan, copied *binning.RowMajor) *histogram.Lists {
	if !histogram.Packs(ex.storing) || pl.inFiles {
		return nil
	}
	lists, bytes := histogram.NewLists(data.matrix, copied, r.pool, r.memoryLimit().Left(r.report.PeakBytes))
	if lists != nil {
		r.report.PeakBytes, r.report.ListBytes = r.report.PeakBytes+bytes, bytes
		r.log.Debug("rows are listed", "bytes", bytes)
	}
	return lists
}

// rounds runs boosting rounds until they are done, early stopping or a limit ends them, or ctx is cancelled.
func (b *boosting) rounds(ctx context.Context) error {
	start := time.Now()
	defer func() { b.report.TrainSeconds = time.Since(start).Seconds() }()
	for !b.over() {
		round := b.done
		if err := b.all.Cancelled(ctx); err != nil {
			b.stopped = StoppedInterrupted
			b.saving.save(b)
			return fmt.Errorf("%w after %d rounds: %w", ErrInterrupted, round-b.first, err)
		}
		if limit := b.p.TimeLimit; limit > 0 && b.all.Any(time.Since(b.start) >= limit) {
			b.stopped = StoppedTimeLimit
			if round == b.first {
				return fmt.Errorf("%w: train.time_limit of %v was over before the first round", ErrBudget, limit)
			}
			b.log.Warn("time limit reached", "rounds", round)
			break
		}
		if b.saved != nil && b.best == b.done {
			scores.Copy(b.pool, b.saved, b.scores)
		}
		if err := b.round(round); err != nil {
			return err
		}
		b.ended = b.afterRound(round)
		if err := b.all.Err(); err != nil {
			return err
		}
		b.saving.afterRound(b)
	}
	b.saving.save(b)
	if b.done > b.first && b.unsplit() {
		b.log.Warn("no tree has a split", "rounds", b.done-b.first, "because", b.whyUnsplit())
	}
	return nil
}

// over reports whether no round follows those that are done, and notes why.
func (b *boosting) over() bool {
	switch {
	case b.ended:
		b.stopped = StoppedEarly
	case b.done == b.first+unsplitRounds && b.unsplit():
		b.stopped = StoppedUnsplit
	case b.done == b.first+b.p.Rounds, b.most > 0 && b.done == b.most:
		b.stopped = StoppedRounds
	default:
		return false
	}
	return true
}

// unsplitRounds is the number of rounds after which a run ends if no tree has a split: more would hardly have any.
const unsplitRounds = 10

// unsplit reports whether no tree of the run has a split.
func (b *boosting) unsplit() bool {
	return !slices.ContainsFunc(b.trees[b.first*b.outputs:], func(t tree.Tree) bool { return t.NumSplits() > 0 })
}

// whyUnsplit says what is likely to be in the way of splits.
func (b *boosting) whyUnsplit() string {
	m, least := b.data.matrix, b.p.Tree.MinDataInLeaf
	switch {
	case int(m.Offsets()[m.NFeatures()]) == m.NFeatures():
		return "no feature has more than one bin"
	case b.n < 2*least:
		return fmt.Sprintf("%d rows are fewer than twice tree.min_data_in_leaf = %d: set tree.min_data_in_leaf = %d", b.n, least, max(1, b.n/8))
	}
	return "no split keeps the limits of [tree] and lowers the loss"
}

// round grows one tree per output.
func (b *boosting) round(round int) error {
	if err := b.chooseRate(round); err != nil {
		return err
	}
	b.Round, b.rate = round, b.p.RateOf(round-b.first)
	if b.dart != nil {
		b.rate = b.drop(round, b.rate)
	}
	b.takeGradients()
	b.Positions.Update(b.buffer.Grad, b.buffer.Hess)
	b.sampler.Choose(b.buffer, round, b.learned())
	if err := b.growTrees(round); err != nil {
		return err
	}
	if b.dart != nil {
		b.putBack(b.rate)
	}
	b.done++
	return nil
}

// learned returns the round at which the trees have learned enough for gradients to show which rows matter. Those of a random
// forest learn nothing.
func (b *boosting) learned() int {
	if b.forest() {
		return 0
	}
	return int(1 / b.p.RateOf(0))
}

// gradientBlock is the number of rows of one piece of the gradient pass, more where queries stay whole.
const gradientBlock = 4096

// gradientTask fills the gradient buffer by pieces of rows.
type gradientTask boosting

func (b *gradientTask) Run(_, piece int) {
	lo, hi := b.pieces[piece], b.pieces[piece+1]
	b.objective.Gradients(b.Rows, lo, hi, b.scores, b.buffer.Grad, b.buffer.Hess)
}

// afterRound evaluates, reports progress and reports whether early stopping ends training.
func (b *boosting) afterRound(round int) (stop bool) {
	due := (round+1)%b.p.MetricsEvery == 0 || round+1 == b.first+b.p.Rounds
	if due && b.forest() {
		b.meanScores()
	}
	b.judge.evaluate(due)
	b.best, stop = b.judge.best(b.done, b.log)
	now := Round{Index: round, Of: b.first + b.p.Rounds, Evals: b.judge.evals, Best: b.best, Elapsed: time.Since(b.start)}
	if b.stopWhen != nil {
		b.best, stop = b.stopWhen(now)
		b.best = min(max(b.best, b.first+1), b.done)
		now.Best = b.best
	}
	if b.dart != nil && b.best == b.done {
		b.dart.KeepBest()
	}
	b.before = now
	if b.onRound != nil {
		b.onRound(now)
	}
	return stop
}
