package booster

import (
	"context"
	"fmt"
	"log/slog"

	"boost/booster/internal/dropout"
	"boost/booster/model"
	"boost/gradients"
	"boost/parallel"
	"boost/tree"
	"boost/tree/grow"
	"boost/tree/linear"
)

// lane grows the trees of single outputs, one after the other. With several outputs there may be a
// lane for each worker, and trees of a round grow side by side: all gradients of a round are taken
// at its first scores, so that no tree waits for another. A lane costs the memory of the gradients of
// one output and of a Grower.
type lane struct {
	pool    *parallel.Pool
	storage *gradients.Storage
	grower  *grow.Grower
	linear  *linear.Fitter // nil where leaves are constant
}

// grown is what a lane returns for a tree beside the tree itself.
type grown struct {
	outcome gradients.Outcome
	mode    gradients.Mode
	params  gradients.Params
	err     error
}

// lanes are what the trees of a round grow in.
type lanes struct {
	whole  lane    // on all workers; empty if all trees of a round grow side by side
	single []lane  // on one worker each; nil if no trees grow side by side
	beside int     // trees of a round that do
	grown  []grown // by output
}

func (r *run) newLanes(ex *examples, data *binned, pl *plan, c grow.Config) lanes {
	l := lanes{beside: pl.beside, grown: make([]grown, ex.outputs)}
	newLane := func(pool *parallel.Pool) lane {
		c.Pool = pool
		return lane{pool, gradients.NewStorage(ex.n, ex.storing), grow.New(c), data.newFitter(&r.p, ex, pool, c.LeafLimit())}
	}
	if l.beside < ex.outputs {
		l.whole = newLane(r.pool)
	}
	if l.beside == 0 {
		return l
	}
	c.Strategy = r.p.laneStrategy(c.Strategy)
	l.single = make([]lane, min(r.pool.Threads(), l.beside))
	for i := range l.single {
		l.single[i] = newLane(parallel.NewPool(1))
	}
	return l
}

// reuse passes to all lanes what trees split on.
func (l *lanes) reuse(trees []tree.Tree) {
	for _, lane := range l.single {
		lane.grower.Reuse(trees...)
	}
	if l.whole.grower != nil {
		l.whole.grower.Reuse(trees...)
	}
}

// besideTask grows the tree of one output in a lane that no other worker uses.
type besideTask struct {
	b     *boosting
	round int
}

func (task *besideTask) Run(worker, output int) {
	l := &task.b.lanes
	at := worker
	if l.beside == len(l.single) { // a lane for each tree
		at = output
	}
	l.grown[output] = task.b.growTree(&l.single[at], task.round, output)
}

// growTrees grows one tree per output, and adds them to the scores.
func (b *boosting) growTrees(round int) error {
	first := len(b.trees)
	b.trees = append(b.trees, make([]tree.Tree, b.outputs)...)
	if b.dart != nil && b.dart.Numbers != nil {
		b.dart.Numbers.Begin()
		for _, s := range b.data.sets {
			s.numbers.Begin()
		}
	}
	if b.lanes.beside > 0 {
		b.pool.Do(b.lanes.beside, &besideTask{b, round})
	}
	for k := b.lanes.beside; k < b.outputs; k++ {
		if b.lanes.grown[k] = b.growTree(&b.lanes.whole, round, k); b.lanes.grown[k].err != nil {
			break
		}
	}
	for k := range b.lanes.grown {
		if err := b.lanes.grown[k].err; err != nil {
			b.trees = b.trees[:first]
			return fmt.Errorf("round %d, output %d: %w", round, k, err)
		}
		b.note(round, k, &b.lanes.grown[k])
	}
	made := b.trees[first:]
	b.lanes.reuse(made)
	return nil
}

// growTree grows the tree of one output and adds it to the scores of the training rows and of the
// validation sets.
func (b *boosting) growTree(l *lane, round, output int) (g grown) {
	grad, hess := b.buffer.Output(output)
	if g.outcome, g.err = l.storage.Quantize(l.pool, grad, hess, b.sampler.Bag, round, output); g.err != nil {
		return g
	}
	g.mode, g.params = l.storage.Mode(), l.storage.Params()
	at := len(b.trees) - b.outputs + output
	made := &b.trees[at]
	if *made, g.err = l.grower.Grow(l.storage, b.sampler.Bag, round, output); g.err != nil {
		return g
	}
	b.data.placeUnseen(made)
	scores := b.scores[output*b.n : (output+1)*b.n]
	if level, ok := b.leafLevel(output); ok {
		l.grower.QuantileLeaves(made, l.storage, level, b.LabelsOf(output), scores)
	}
	b.fitLinear(l, made, round)
	added := b.weigh(made)
	if g.err = b.keep(at, made.Leaf); g.err != nil {
		return g
	}
	if b.dart != nil && b.dart.Numbers != nil {
		b.number(l, added, output)
		return g
	}
	if !b.forest() {
		b.addToRows(l, added, scores)
	}
	for _, s := range b.data.sets {
		model.AddTree(l.pool, added, b.data.codedOf(s), nil, s.ofTrees()[output*s.n:(output+1)*s.n])
	}
	return g
}

// addToRows adds the leaf values of a new tree to the scores of all rows, those that it was not grown on too.
func (b *boosting) addToRows(l *lane, t *tree.Tree, scores []float64) {
	if b.sampler.Bag != nil && model.AddPlanned(l.pool, t, b.data.coded(), scores) {
		return
	}
	if t.Linear != nil {
		l.linear.AddScores(t, scores)
	} else {
		l.grower.AddLeafValues(t, scores)
	}
	if b.sampler.Bag != nil {
		model.AddTree(l.pool, t, b.data.coded(), b.sampler.Outside(), scores)
	}
}

// number finds the leaves of all rows in a new tree, and adds their values to the scores.
func (b *boosting) number(l *lane, added *tree.Tree, output int) {
	t, d := dropout.Numbered(added), b.dart.Numbers
	found := d.OfOutput(output, d.Found)
	b.addToRows(l, t, found)
	d.Take(l.pool, output, added.Leaf, b.scores)
	for _, s := range b.data.sets {
		model.AddTree(l.pool, t, b.data.codedOf(s), nil, s.numbers.OfOutput(output, s.numbers.Found))
		s.numbers.Take(l.pool, output, added.Leaf, s.raw)
	}
}

// weigh returns a new tree as it is added to scores: itself with the leaf values that stay, or a copy where their weight changes later.
func (b *boosting) weigh(made *tree.Tree) *tree.Tree {
	if b.dart != nil {
		return scaled(made, b.rate)
	}
	made.Scale(b.rate)
	return made
}

// note records and logs what is notable of quantizing the gradients of an output.
func (b *boosting) note(round, output int, g *grown) {
	if b.log.Enabled(context.Background(), slog.LevelDebug) {
		b.log.Debug("quantized", "round", round, "output", output, "mode", g.mode.String(),
			"grad_scale", g.params.GradScale, "hess_scale", g.params.HessScale)
	}
	out := &g.outcome
	if out.Wide {
		wide := model.WideRound{Round: round, Output: output, Gradients: model.WideI32}
		if g.mode == gradients.I16 {
			wide.Gradients = model.WideI16
		}
		b.wide = append(b.wide, wide)
	}
	if (out.Wide || out.Blind) && !b.logged.large {
		b.logged.large = true
		msg := fmt.Sprintf("the gradient of one row is far larger than those of all others: codes of %s, wider than %s, are used in such rounds", g.mode, b.p.Gradients)
		if out.Blind {
			msg = fmt.Sprintf("the gradient of one row is so large that even codes of %s lose those of the others: look at its label and weight", g.mode)
		}
		b.log.Warn(msg, "round", round, "output", output, "row", out.MaxRow, "lost_share", out.ErrShare)
	}
	if out.Clipped > 0 && !b.logged.clipped {
		b.logged.clipped = true
		b.log.Warn("negative hessians were set to 0", "round", round, "output", output, "rows", out.Clipped)
	}
}
