package booster

import (
	"context"
	"fmt"
	"log/slog"

	"boost/booster/model"
	"boost/gradients"
	"boost/histogram"
	"boost/parallel"
	"boost/tree"
	"boost/tree/grow"
)

// lane grows the trees of single outputs, one after the other. With several outputs there is a
// lane for each worker, and trees of a round grow side by side: their gradients are all taken at
// the round's first scores, so that none waits for another. A lane costs what is kept of one
// output's gradients and what a Grower takes.
type lane struct {
	pool    *parallel.Pool
	storage *gradients.Storage
	grower  *grow.Grower
}

// grown is what a lane says of a tree beside the tree itself.
type grown struct {
	outcome gradients.Outcome
	mode    gradients.Mode
	params  gradients.Params
	err     error
}

// newLane makes a lane that grows by a plan on the workers of a pool.
func (t *trainer) newLane(pool *parallel.Pool, c grow.Config) lane {
	c.Pool = pool
	return lane{pool, gradients.NewStorage(t.n, t.storing), grow.New(c)}
}

// makeLanes makes what the trees of a round grow in.
func (t *trainer) makeLanes(c grow.Config) {
	t.grown = make([]grown, t.outputs)
	if t.nBeside < t.outputs {
		t.whole = t.newLane(t.pool, c)
	}
	if t.nBeside == 0 {
		return
	}
	c.Strategy = t.laneStrategy(c.Strategy)
	t.lanes = make([]lane, min(t.pool.Threads(), t.nBeside))
	for i := range t.lanes {
		t.lanes[i] = t.newLane(parallel.NewPool(1), c)
	}
}

// laneStrategy returns how one worker builds histograms where all together go by the given strategy.
func (t *trainer) laneStrategy(all histogram.Strategy) histogram.Strategy {
	if all == histogram.RowParallel && t.anyBuilder() {
		return histogram.Sequential
	}
	return all
}

// besideCells is the number of cells of a table below which trees grow side by side even where
// that leaves workers without one: passes over so few rows gain less from these.
const besideCells = 2_000_000

// beside returns how many trees of a round grow side by side; the others follow, each on all
// workers.
func (t *trainer) beside() int {
	threads := t.pool.Threads()
	switch {
	case threads == 1 || t.outputs == 1 || t.store != nil || t.inFiles:
		return 0
	case t.outputs >= threads:
		return t.outputs - t.outputs%threads
	case t.n*t.matrix.NFeatures() < besideCells:
		return t.outputs
	}
	return 0
}

// besideTask grows the tree of one output in a lane that no other worker uses.
type besideTask struct {
	t     *trainer
	round int
}

func (b *besideTask) Run(worker, output int) {
	at := worker
	if b.t.nBeside == len(b.t.lanes) { // a lane for each tree
		at = output
	}
	b.t.grown[output] = b.t.growTree(&b.t.lanes[at], b.round, output)
}

// growTrees grows one tree per output, and adds them to the scores.
func (t *trainer) growTrees(round int) error {
	first := len(t.trees)
	t.trees = append(t.trees, make([]tree.Tree, t.outputs)...)
	if t.nBeside > 0 {
		t.pool.Do(t.nBeside, &besideTask{t, round})
	}
	for k := t.nBeside; k < t.outputs; k++ {
		if t.grown[k] = t.growTree(&t.whole, round, k); t.grown[k].err != nil {
			break
		}
	}
	for k := range t.grown {
		if err := t.grown[k].err; err != nil {
			t.trees = t.trees[:first]
			return fmt.Errorf("round %d, output %d: %w", round, k, err)
		}
		t.note(round, k, &t.grown[k])
	}
	made := t.trees[first:]
	t.reuse(made)
	return nil
}

// reuse tells all lanes what trees split on.
func (t *trainer) reuse(trees []tree.Tree) {
	for _, l := range t.lanes {
		l.grower.Reuse(trees...)
	}
	if t.whole.grower != nil {
		t.whole.grower.Reuse(trees...)
	}
}

// growTree grows the tree of one output and adds it to the scores of the training rows and of the
// validation sets.
func (t *trainer) growTree(l *lane, round, output int) (g grown) {
	grad, hess := t.buffer.Output(output)
	if g.outcome, g.err = l.storage.Quantize(l.pool, grad, hess, t.bag, round, output); g.err != nil {
		return g
	}
	g.mode, g.params = l.storage.Mode(), l.storage.Params()
	at := len(t.trees) - t.outputs + output
	made := &t.trees[at]
	if *made, g.err = l.grower.Grow(l.storage, t.bag, round, output); g.err != nil {
		return g
	}
	if g.err = t.keep(at, made.Leaf); g.err != nil {
		return g
	}
	scores := t.scores[output*t.n : (output+1)*t.n]
	l.grower.AddLeafValues(made, scores)
	if t.bag != nil {
		task := treeTask{t: made, cuts: t.cuts, matrix: t.matrix, scores: scores, rows: t.outside}
		l.pool.Do(task.pieces(), &task)
	}
	for _, s := range t.sets {
		task := treeTask{t: made, cuts: t.cuts, matrix: s.matrix, scores: s.raw[output*s.n : (output+1)*s.n]}
		l.pool.Do(task.pieces(), &task)
	}
	return g
}

// note records and reports what quantizing an output's gradients ran into.
func (t *trainer) note(round, output int, g *grown) {
	if t.log.Enabled(context.Background(), slog.LevelDebug) {
		t.log.Debug("quantized", "round", round, "output", output, "mode", g.mode.String(),
			"grad_scale", g.params.GradScale, "hess_scale", g.params.HessScale)
	}
	out := &g.outcome
	if out.Wide {
		wide := model.WideRound{Round: round, Output: output, Gradients: model.WideI32}
		if g.mode == gradients.I16 {
			wide.Gradients = model.WideI16
		}
		t.wide = append(t.wide, wide)
	}
	if (out.Wide || out.Blind) && !t.warned {
		t.warned = true
		msg := fmt.Sprintf("one gradient is so large that codes of %s would lose the others: %s is used in such rounds", t.p.Gradients, g.mode)
		if out.Blind {
			msg = fmt.Sprintf("one gradient is so large that even codes of %s lose the others: look at this row's label and weight", g.mode)
		}
		t.log.Warn(msg, "round", round, "output", output, "row", out.MaxRow, "lost_share", out.ErrShare)
	}
	if out.Clipped > 0 && !t.clipped {
		t.clipped = true
		t.log.Warn("negative hessians were set to 0", "round", round, "output", output, "rows", out.Clipped)
	}
}
