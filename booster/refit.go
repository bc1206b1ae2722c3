package booster

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math"

	"boost/binning"
	"boost/booster/internal/scores"
	"boost/booster/internal/source"
	"boost/booster/internal/workers"
	"boost/booster/model"
	"boost/dataset"
	"boost/gradients"
	"boost/internal/cpu"
	"boost/objectives"
	"boost/parallel"
	"boost/tree"
	"boost/tree/grow"
	"boost/tree/leafquantile"
)

// Refit returns the model with new leaf values in the same trees: decay times the old value
// plus 1-decay times the value that the table's rows give the leaf. It goes tree by tree,
// as training does: gradients follow from the scores that the new values of the rounds
// before lead to, and a leaf's value from its rows' sums, the learning rate and the
// penalties that its round was trained with, and the objective's longest step. The trees of a random forest
// are taken alone, as in training; those of boosting with dropout are refused, because their values depend
// on rounds after them. A leaf that
// no row with weight reaches keeps its value. All rows count; base scores, splits, gains and
// covers stay. decay is 0 … 1 (LightGBM's refit_decay_rate, 0.9 by default there).
//
// Sums are whole numbers of a unit that leaves the largest gradient of a tree 31 bits, as
// where leaf values are renewed in training: the bytes depend neither on threads nor on
// the order of the rows. categorical.l2 is left out, as LightGBM's refit does.
//
// Of the options WithObjective, WithPool, Logger and StoreLeaves count. The model keeps its
// parameters and has the table's fingerprint; its history goes, being that of the old values.
// A model that was trained from init scores needs a table with them. Errors are those of Train.
func Refit(ctx context.Context, m *Model, t *dataset.Table, decay float64, opts ...Option) (*Model, error) {
	var o options
	for _, set := range opts {
		set(&o)
	}
	if n := m.Contents().Averaged(); n > 0 {
		return nil, fmt.Errorf("%w: the model has the rounds of %d models whose mean they are (train.bag_folds), and whose leaves do not follow each other: train again, or with train.blend, whose models search.Refit takes apart", ErrParams, n)
	}
	r, err := newRefit(ctx, m, t, decay, &o)
	if err != nil {
		return nil, beforeRounds(ctx, err)
	}
	if r.ownPool {
		defer r.pool.Close()
	}
	for round := range m.Rounds() {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("%w after %d rounds: %w", ErrInterrupted, round, err)
		}
		if err := r.round(round); err != nil {
			return nil, err
		}
	}
	return r.model()
}

// refit is the state of one Refit.
type refit struct {
	*examples
	from       *Model
	keep       func(tree int, values []float64) error
	decay      float64
	forest     bool // rounds do not depend on each other, and predictions are their mean
	matrix     *binning.Matrix
	table      *dataset.Table
	directions []int8 // of constraints.monotone by feature, nil without
	pool       *parallel.Pool
	ownPool    bool

	scores  []float64 // raw, output-major
	buffer  *gradients.Buffer
	storage *gradients.Storage // of floats: it checks them and finds the largest
	refitTree
	leaves []float64 // of all trees so far
}

// refitTree is the state of one tree of a refit.
type refitTree struct {
	tree       tree.Tree // its leaf values are their numbers
	grad, hess []float32
	up         [2]float64           // gradients and hessians are multiplied by it
	leaf       []float64            // by row: its leaf
	sums       []leafSums           // by worker
	quantiles  *leafquantile.Finder // nil: leaf values follow from sums
	values     []float64            // new leaves
	output     []float64            // scores of the output
}

// leafSums are one worker's sums by leaf.
type leafSums struct{ grad, hess []int64 }

func newRefit(ctx context.Context, m *Model, t *dataset.Table, decay float64, o *options) (*refit, error) {
	if !(decay >= 0 && decay <= 1) {
		return nil, fmt.Errorf("%w: decay = %v: must be 0 (new values) … 1 (the old ones)", ErrParams, decay)
	}
	if after := m.Contents().After; after > 0 {
		return nil, fmt.Errorf("%w: the model is the tail of one, whose first %d rounds it lacks", ErrParams, after)
	}
	followed, err := follow(source.InMemory{Table: t}, m, "the model")
	if err != nil {
		return nil, err
	}
	if t = followed.(source.InMemory).Table; t.NumRows() == 0 {
		return nil, fmt.Errorf("%w: no rows to refit to", dataset.ErrTable)
	}
	target, err := targetOf(m, o.custom)
	if err != nil {
		return nil, err
	}
	if objectives.NeedsQueries(target.objective) {
		t, _ = t.ByQuery()
	}
	labels, err := target.labels(t)
	if err != nil {
		return nil, err
	}
	p, err := ParamsOf(m)
	if err != nil {
		return nil, err
	}
	p.Objective = target.objective.Name()
	if err := checkRefit(m, &p); err != nil {
		return nil, err
	}
	r := &refit{from: m, keep: o.keep, decay: decay, pool: o.pool}
	if r.forest, err = refitsForest(m); err != nil {
		return nil, err
	}
	if r.examples, err = newExamples(target, t, labels, &p); err != nil {
		return nil, err
	}
	if r.pool == nil {
		threads := min(cpu.Threads(), workers.Sharing(r.n*(m.NumTrees()+1)))
		r.pool, r.ownPool = parallel.NewPool(threads), true
	}
	if err := r.prepare(ctx, t, o.log); err != nil {
		if r.ownPool {
			r.pool.Close()
		}
		return nil, err
	}
	return r, nil
}

// checkRefit refuses what would give other leaves than training did.
func checkRefit(m *Model, p *Params) error {
	if hasLinear(m.Contents().Trees) {
		return fmt.Errorf("%w: a model with linear leaves (tree.linear) cannot be refitted: train on the new rows, or go on from the model (train.init_model)", ErrParams)
	}
	for round := range m.Rounds() {
		text, err := m.Contents().RoundParams(round)
		if err != nil {
			return err
		}
		of, err := paramsIn(text)
		if err != nil {
			return err
		}
		if of.Tree.PathSmooth > 0 {
			return fmt.Errorf("%w: a model with tree.path_smooth cannot be refitted: its leaves depend on the nodes above them, whose values are not kept", ErrParams)
		}
		if of.PositiveWeight != p.PositiveWeight || !maps.Equal(of.ClassWeight, p.ClassWeight) {
			return fmt.Errorf("%w: a model whose rounds were trained with different weights of classes cannot be refitted", ErrParams)
		}
	}
	return nil
}

// prepare codes the rows and sets their scores to those before the first tree.
func (r *refit) prepare(ctx context.Context, t *dataset.Table, log *slog.Logger) (err error) {
	c := r.from.Contents()
	if r.matrix, err = binning.Build(ctx, c.Cuts, t, (&Params{Binning: binning.Defaults()}).scoringLayout(), r.pool); err != nil {
		return err
	}
	r.table, r.directions = t, c.Directions()
	r.scores = make([]float64, r.outputs*r.n)
	scores.Start(r.scores, r.initial, c.BaseScore)
	r.buffer = gradients.NewBuffer(r.n, r.outputs)
	p, err := ParamsOf(r.from)
	if err != nil {
		return err
	}
	r.storage = gradients.NewStorage(r.n, gradients.Settings{Mode: gradients.F32, Clip: p.ClipNegativeHessian})
	r.leaf = make([]float64, r.n)
	most := 0
	for i := range c.Trees {
		most = max(most, c.Trees[i].NumLeaves())
	}
	r.values = make([]float64, most)
	if r.quantileLeaves() {
		r.quantiles = leafquantile.NewFinder(r.n, most, r.pool.Threads())
	}
	r.sums = make([]leafSums, r.pool.Threads())
	for w := range r.sums {
		r.sums[w] = leafSums{make([]int64, most), make([]int64, most)}
	}
	if log != nil {
		log.Debug("refitting", "rows", r.n, "trees", len(c.Trees), "decay", r.decay)
	}
	return nil
}

// round finds the new leaf values of a round's trees.
func (r *refit) round(round int) error {
	p, err := r.params(round)
	if err != nil {
		return err
	}
	r.Round, r.Seed = round, p.Seed
	r.pool.Do(len(r.pieces)-1, parallel.Func(func(_, piece int) {
		lo, hi := r.pieces[piece], r.pieces[piece+1]
		r.objective.Gradients(r.Rows, lo, hi, r.scores, r.buffer.Grad, r.buffer.Hess)
	}))
	r.Positions.Update(r.buffer.Grad, r.buffer.Hess)
	for k := range r.outputs {
		r.grad, r.hess = r.buffer.Output(k)
		if _, err := r.storage.Quantize(r.pool, r.grad, r.hess, nil, round, k); err != nil {
			return fmt.Errorf("round %d, output %d: %w", round, k, err)
		}
		r.output = r.scores[k*r.n : (k+1)*r.n]
		if err := r.refitLeaves(round*r.outputs+k, p); err != nil {
			return err
		}
	}
	return nil
}

// params returns the parameters that a round was trained by.
func (r *refit) params(round int) (*Params, error) {
	text, err := r.from.Contents().RoundParams(round)
	if err != nil {
		return nil, err
	}
	p, err := paramsIn(text)
	return &p, err
}

// refitLeaves appends the new leaf values of a tree, and adds them to the rows' scores.
func (r *refit) refitLeaves(number int, p *Params) error {
	t := &r.from.Contents().Trees[number]
	n := t.NumLeaves()
	r.tree = *t
	r.tree.Leaf = r.values[:n]
	for i := range r.tree.Leaf {
		r.tree.Leaf[i] = float64(i)
	}
	grad, hess := r.storage.Largest()
	g, h := grow.LeafUnit(grad), grow.LeafUnit(hess)
	r.up = [2]float64{math.Ldexp(1, -g), math.Ldexp(1, -h)}
	for w := range r.sums {
		clear(r.sums[w].grad[:n])
		clear(r.sums[w].hess[:n])
	}
	blocks := parallel.Blocks(r.n, gradientBlock)
	r.pool.Do(blocks, (*refitSum)(r))
	all := r.sums[0]
	for _, other := range r.sums[1:] {
		for l := range n {
			all.grad[l] += other.grad[l]
			all.hess[l] += other.hess[l]
		}
	}
	var quantiles []float64 // nil: leaf values follow from sums
	if level, ok := r.leafLevel(number % r.outputs); ok {
		rows := leafquantile.LeafRows{Leaf: r.leaf, Hess: r.hess, Unit: r.up[1], Labels: r.LabelsOf(number % r.outputs), Scores: r.output}
		quantiles = r.quantiles.Find(r.pool, &rows, level, n)
	}
	rate := p.RateOf(number / r.outputs)
	if r.forest {
		rate = 1 / float64(r.from.Rounds())
	}
	rule := grow.LeafRule{LambdaL1: p.Tree.LambdaL1, LambdaL2: p.Tree.LambdaL2, LearningRate: rate, MaxStep: r.maxStep()}
	if p.Tree.MaxDeltaStep > 0 {
		rule.MaxStep = min(p.Tree.MaxDeltaStep, cmp.Or(rule.MaxStep, math.Inf(1)))
	}
	for l, old := range t.Leaf {
		value := old
		if all.grad[l] != 0 || all.hess[l] != 0 {
			value = rule.Value(float64(float64(all.grad[l])*math.Ldexp(1, g)), float64(float64(all.hess[l])*math.Ldexp(1, h)), 0)
			if quantiles != nil && all.hess[l] != 0 {
				value = float64(rate * quantiles[l])
			}
			value = float64(r.decay*old) + float64((1-r.decay)*value)
		}
		r.leaves = append(r.leaves, value)
	}
	if r.directions != nil {
		t.KeepOrder(r.leaves[len(r.leaves)-n:], r.directions)
	}
	if err := r.keep(number, r.leaves[len(r.leaves)-n:]); err != nil {
		return err
	}
	if r.forest {
		return nil
	}
	copy(r.values, r.leaves[len(r.leaves)-n:])
	r.pool.Do(blocks, (*refitAdd)(r))
	return nil
}

// refitSum finds the leaves of a block of rows and adds the rows up. 2³¹ rows of less than
// 2³¹ units each cannot overflow.
type refitSum refit

func (s *refitSum) Run(worker, block int) {
	lo, hi := parallel.Block(block, s.n, gradientBlock)
	clear(s.leaf[lo:hi])
	model.AddScores(&s.tree, model.Coded{Cuts: s.from.Contents().Cuts, Matrix: s.matrix}, lo, hi, s.leaf)
	to := s.sums[worker]
	for row := lo; row < hi; row++ {
		leaf := int(s.leaf[row])
		to.grad[leaf] += int64(math.RoundToEven(float64(s.grad[row]) * s.up[0]))
		to.hess[leaf] += int64(math.RoundToEven(float64(s.hess[row]) * s.up[1]))
	}
}

// refitAdd adds the new leaf values to the scores of a block of rows.
type refitAdd refit

func (a *refitAdd) Run(_, block int) {
	lo, hi := parallel.Block(block, a.n, gradientBlock)
	for row := lo; row < hi; row++ {
		a.output[row] += a.values[int(a.leaf[row])]
	}
}

// model returns the model with the new leaves.
func (r *refit) model() (*Model, error) {
	sum, err := r.from.SHA256()
	if err != nil {
		return nil, err
	}
	refitted, err := r.from.WithLeaves(r.leaves)
	if err != nil {
		return nil, err
	}
	c := *refitted.Contents()
	c.History, c.Fingerprint, c.ValidPrints, c.NumericsVersion, c.Schema.Written = nil, r.table.Fingerprint(r.pool), nil, NumericsVersion, r.table.Schema().Written
	c.Origin = &model.Origin{How: model.Refitted, Models: []string{sum}, Decay: r.decay, Whole: c.Whole(), Tables: r.from.Contents().Tables()}
	return model.New(c)
}
