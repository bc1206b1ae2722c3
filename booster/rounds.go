package booster

import (
	"context"
	"fmt"
	"math"
	"time"

	"boost/parallel"
)

// rounds runs boosting rounds until they are done, early stopping or a limit ends
// them, or ctx is cancelled.
func (t *trainer) rounds(ctx context.Context) error {
	start := time.Now()
	defer func() { t.report.TrainSeconds = time.Since(start).Seconds() }()
	t.stopped = StoppedRounds
	for round := t.first; round < t.first+t.p.Rounds; round++ {
		if err := ctx.Err(); err != nil {
			t.stopped = StoppedInterrupted
			return fmt.Errorf("%w after %d rounds: %w", ErrInterrupted, round-t.first, err)
		}
		if limit := t.p.TimeLimit; limit > 0 && time.Since(t.start) >= limit {
			t.stopped = StoppedTimeLimit
			if round == t.first {
				return fmt.Errorf("%w: train.time_limit of %v was over before the first round", ErrBudget, limit)
			}
			t.log.Warn("time limit reached", "rounds", round)
			return nil
		}
		t.saveBest()
		if err := t.round(round); err != nil {
			return err
		}
		if t.afterRound(round) {
			t.stopped = StoppedEarly
			return nil
		}
	}
	return nil
}

// round grows one tree per output.
func (t *trainer) round(round int) error {
	t.pool.Do(parallel.Blocks(t.n, gradientBlock), &t.task)
	t.sampleRows(round)
	if err := t.growTrees(round); err != nil {
		return err
	}
	t.done++
	return nil
}

// sampleRows settles which rows the round's trees are grown on.
func (t *trainer) sampleRows(round int) {
	switch {
	case t.p.goss():
		if round < t.p.gossStart() {
			return
		}
		t.bag = t.sample
		t.goss.Sample(t.bag, t.buffer, t.p.Seed, round)
	case t.p.mvs():
		t.bag = t.sample
		t.mvs.Sample(t.bag, t.buffer, t.p.Seed, round)
	case t.sample == nil || t.bag != nil && round%t.p.RowEvery != 0:
		return
	default:
		t.bag = t.sample
		t.bag.Sample(t.pool, t.p.Seed, round/t.p.RowEvery, t.p.RowFraction)
	}
	t.listOutside()
}

// gradientBlock is the number of rows of one piece of the gradient pass.
const gradientBlock = 4096

// gradientTask fills the gradient buffer by blocks of rows.
type gradientTask struct{ t *trainer }

func (g *gradientTask) Run(_, block int) {
	t := g.t
	lo, hi := parallel.Block(block, t.n, gradientBlock)
	t.target.objective.Gradients(t.rows, lo, hi, t.scores, t.buffer.Grad, t.buffer.Hess)
}

// listOutside lists the rows that are not in the bag.
func (t *trainer) listOutside() {
	if t.outside == nil {
		t.outside = make([]uint32, 0, t.n)
	}
	t.outside = t.bag.Outside(t.outside[:0])
}

// afterRound evaluates, reports progress and reports whether early stopping ends training.
func (t *trainer) afterRound(round int) (stop bool) {
	t.evaluate(round)
	t.best = t.done
	if t.stopsEarly() {
		if len(t.evals) > 0 {
			lead := t.evals[0]
			if math.IsNaN(lead.Value) && !t.undefined {
				t.undefined = true
				t.log.Warn("the metric that early stopping goes by is undefined, and counts as no better", "set", lead.Set, "metric", lead.Metric)
			}
			stop = t.stop.see(t.done, lead.Value)
		}
		if t.stop.bestRound > 0 {
			t.best = t.stop.bestRound
		}
	}
	if t.onRound != nil {
		t.onRound(Round{Index: round, Of: t.first + t.p.Rounds, Evals: t.evals, Best: t.best, Elapsed: time.Since(t.start)})
	}
	return stop
}
