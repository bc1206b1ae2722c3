package compress

import (
	"context"
	"fmt"
	"math"
	"slices"

	"boost/booster/model"
	"boost/dataset"
	"boost/objectives"
	"boost/objectives/metrics"
	"boost/parallel"
	"boost/tree"
)

// pruner is the state of pruning: trees, of which a part is left, and the rows' scores.
type pruner struct {
	*sample
	from      *model.Model
	p         PruneParams
	objective objectives.Objective
	rows      objectives.Rows
	metric    metrics.Metric
	before    float64

	states []prunedTree
	pulls  [][]float64
	totals []float64 // by output: hessians of all rows at the start
	uses   []int     // by cut, numbered as offsets say: splits that name it
	offset []int     // by feature

	rowScores
	parts   []float64 // by block, output and leaf: sum of gradients, of hessians
	stride  int       // of parts: twice the leaves of the largest tree
	steepen float64   // hessians are multiplied by it
	solver  solver
	moves   [][]float64 // by output: what the scores of a leaf's rows change by
	ratios  []float64   // of the last sweep: loss by byte of each pair of leaves
}

// rowScores are the raw scores of the rows and what follows from them, output-major.
type rowScores struct {
	start, scores []float64 // raw, of the whole model and now
	startHess     []float32 // at the start
	grad, hess    []float32
	values        []float64 // predictions, for the metric
}

// prunedTree is what is left of a tree.
type prunedTree struct {
	kept   []bool    // by split node; a node that is kept has a parent that is
	value  []float64 // by leaf of the whole tree, equal below a node that is not kept
	leaves int
}

func newPruner(ctx context.Context, m *model.Model, t *dataset.Table, p PruneParams, opts []Option) (*pruner, error) {
	if err := p.complete(); err != nil {
		return nil, err
	}
	c := m.Contents()
	if m.HasLinear() {
		return nil, model.ErrLinear
	}
	if c.After > 0 {
		return nil, fmt.Errorf("the model is the tail of one: append it to the %d rounds before it", c.After)
	}
	if t.NumRows() == 0 {
		return nil, fmt.Errorf("%w: no rows to prune on", dataset.ErrTable)
	}
	s, err := newSample(ctx, m, t, opts)
	if err != nil {
		return nil, err
	}
	w := &pruner{sample: s, from: m, p: p, steepen: 1}
	if err := w.prepare(ctx); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

func (w *pruner) prepare(ctx context.Context) (err error) {
	if w.table.LabelColumn() == nil {
		return fmt.Errorf("%w: there are no labels to prune by", dataset.ErrTable)
	}
	if w.from.LacksInitScores(w.table) {
		return fmt.Errorf("%w: the model was trained from init scores: give the table its own", dataset.ErrTable)
	}
	if w.objective = w.p.Objective; w.objective == nil {
		if w.objective, err = builtIn(w.from); err != nil {
			return err
		}
	}
	if why := unprunable(w.objective); why != "" {
		return fmt.Errorf("%s: leave pruning out", why)
	}
	if w.rows, err = w.sample.rows(w.from); err != nil {
		return err
	}
	if err := w.objective.Check(w.rows); err != nil {
		return err
	}
	leading, err := leadingMetric(w.from)
	if err != nil {
		return err
	}
	if w.metric, err = metrics.New(leading); err != nil {
		return err
	}
	if w.outputs > 1 && w.rows.Targets == nil { // the losses of several labels add up, each of its own score
		// The trees of a round move at once. For numbers x of variance under chances p,
		// Var(x) ≤ 2·Σ p·(1−p)·x²: the loss of softmax lies below what twice its second derivatives
		// by one score say.
		w.steepen = 2
	}
	rowMajor, err := w.from.PredictRaw(ctx, w.table, model.Pool(w.pool))
	if err != nil {
		return err
	}
	size := w.n * w.outputs
	w.start, w.values = make([]float64, size), make([]float64, size)
	metrics.OutputMajor(rowMajor, w.outputs, w.start)
	w.scores = slices.Clone(w.start)
	w.grad, w.hess = make([]float32, size), make([]float32, size)
	w.each(func(_, lo, hi int) { w.objective.Gradients(w.rows, lo, hi, w.scores, w.grad, w.hess) })
	w.startHess = slices.Clone(w.hess)
	w.prepareTrees()
	w.before = w.loss()
	return ctx.Err()
}

// unprunable says why models of an objective cannot be pruned; nothing if they can.
func unprunable(o objectives.Objective) string {
	_, quantiles := o.(objectives.QuantileLeaves)
	_, ofAll := o.(objectives.OfAllRows)
	switch {
	case quantiles:
		return fmt.Sprintf("pruning needs the second derivative of the loss, and that of objective %s is 0", o.Name())
	case objectives.NeedsQueries(o):
		return fmt.Sprintf("pruning needs a loss of rows, and objective %s is one of queries", o.Name())
	case ofAll:
		return fmt.Sprintf("pruning needs a loss of one row at a time, and that of objective %s is of all rows", o.Name())
	}
	return ""
}

func (w *pruner) prepareTrees() {
	c := w.from.Contents()
	w.offset = make([]int, len(c.Cuts.Features)+1)
	for f, feature := range model.Features(c.Cuts) {
		w.offset[f+1] = w.offset[f]
		if !feature.Categorical {
			w.offset[f+1] += int(feature.Regular)
		}
	}
	w.uses = make([]int, w.offset[len(c.Cuts.Features)])
	w.solver.uses, w.solver.offset = w.uses, w.offset
	w.totals = make([]float64, w.outputs)
	for k := range w.totals {
		for lo := 0; lo < w.n; lo += sampleBlock {
			part := 0.0
			for _, h := range w.startHess[k*w.n+lo : k*w.n+min(lo+sampleBlock, w.n)] {
				part += float64(h)
			}
			w.totals[k] += part
		}
	}
	w.places = make([]placesOf, len(w.trees))
	most, kept := 0, 0
	for i := range w.trees {
		t := &w.trees[i]
		n := t.NumLeaves()
		most = max(most, n)
		state := prunedTree{kept: make([]bool, t.NumSplits()), value: slices.Clone(t.Leaf), leaves: n}
		for node := range state.kept {
			state.kept[node] = true
			w.use(t, node)
		}
		w.states = append(w.states, state)
		w.pulls = append(w.pulls, w.pull(t, w.totals[i%w.outputs]*w.steepen))
		if kept += 2 * w.n; kept <= w.mostPlaces {
			w.note(i)
		}
	}
	w.stride = 2 * most
	w.parts = make([]float64, parallel.Blocks(w.n, sampleBlock)*w.outputs*w.stride)
	w.moves = make([][]float64, w.outputs)
}

// pull returns how much the old value of each leaf weighs: a share of all hessians, divided among
// the leaves as training's were, or equally where that is not known.
func (w *pruner) pull(t *tree.Tree, total float64) []float64 {
	pulls := make([]float64, t.NumLeaves())
	if !(total > 0) {
		total = 1
	}
	sum := 0.0
	for _, c := range t.LeafCover {
		sum += c
	}
	for l := range pulls {
		share := 1 / float64(len(pulls))
		if sum > 0 {
			// None is without.
			share = float64(0.99*t.LeafCover[l])/sum + float64(0.01*share)
		}
		pulls[l] = float64(float64(w.p.Pull*total) * share)
	}
	return pulls
}

// pullBy goes on with another pull.
func (w *pruner) pullBy(pull float64) {
	w.p.Pull, w.ratios = pull, nil
	for i := range w.trees {
		w.pulls[i] = w.pull(&w.trees[i], w.totals[i%w.outputs]*w.steepen)
	}
}

// loss evaluates the scores.
func (w *pruner) loss() float64 {
	in := metrics.Input{
		Outputs: w.outputs, Raw: w.scores, Values: w.values, Labels: w.rows.Labels, Targets: w.rows.Targets, Upper: w.rows.Upper, Weights: w.rows.Weights,
		Survival: (*metrics.Survival)(objectives.SurvivalOf(w.objective)), Pool: w.pool,
	}
	return metrics.Evaluate(in, w.from.Contents().Link, []metrics.Metric{w.metric})[0]
}

// here returns the state as a step.
func (w *pruner) here() *PruneStep {
	s := &PruneStep{Metric: w.metric.Name(), Loss: w.loss(), Before: w.before, prune: w}
	for i := range w.states {
		state := &w.states[i]
		s.Leaves += state.leaves
		s.states = append(s.states, prunedTree{slices.Clone(state.kept), slices.Clone(state.value), state.leaves})
	}
	s.Splits = s.Leaves - len(w.states)
	return s
}

// restore goes back to a step.
func (w *pruner) restore(to *PruneStep) {
	copy(w.scores, w.start)
	clear(w.uses)
	for i := range w.states {
		t, state := &w.trees[i], &to.states[i]
		w.states[i] = prunedTree{slices.Clone(state.kept), slices.Clone(state.value), state.leaves}
		for node, kept := range state.kept {
			if kept {
				w.use(t, node)
			}
		}
		k := i % w.outputs
		w.moves[k] = w.moves[k][:0]
		for l, v := range state.value {
			w.moves[k] = append(w.moves[k], v-t.Leaf[l])
		}
		w.move(i, w.find(i))
	}
	w.ratios = nil
}

// use counts a split's cut.
func (w *pruner) use(t *tree.Tree, node int) {
	if !t.Categorical[node] {
		w.uses[w.offset[t.Feature[node]]+int(t.Code[node])]++
	}
}

// step takes some of so many leaves off.
func (w *pruner) step(ctx context.Context, leaves int) error {
	if w.ratios == nil {
		if err := w.sweep(ctx, 0); err != nil {
			return err
		}
	}
	// A price takes more off than the pairs that it was found by. Near the end, half is enough.
	quota := max(1, min(int(float64(leaves)*w.p.Step), (leaves-w.p.Leaves)/2))
	// Where values move on and nothing comes off, more is paid.
	for more := 1.0; ; more *= 1.01 {
		slices.Sort(w.ratios)
		price := math.Nextafter(w.ratios[min(quota, len(w.ratios))-1]*more, math.Inf(1))
		for range w.p.Sweeps {
			if err := w.sweep(ctx, price); err != nil {
				return err
			}
			price = 0
		}
		now := 0
		for i := range w.states {
			now += w.states[i].leaves
		}
		if now < leaves {
			return nil
		}
	}
}

// sweep goes through all trees once: takes off what is not worth its bytes at a price, and
// moves leaf values.
func (w *pruner) sweep(ctx context.Context, price float64) error {
	w.ratios = w.ratios[:0]
	for round := range w.from.Rounds() {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.round(round*w.outputs, price)
	}
	return nil
}

// find returns the leaf of each row in a tree where these are not kept.
func (w *pruner) find(i int) []float64 {
	if w.places[i] != nil {
		return nil
	}
	w.visit(&w.trees[i])
	return slices.Clone(w.leaf)
}

// round goes through the trees of a round, from tree first on.
func (w *pruner) round(first int, price float64) {
	var numbers [][]float64 // by output
	for k := range w.outputs {
		numbers = append(numbers, w.find(first+k))
	}
	w.each(func(_, lo, hi int) {
		w.objective.Gradients(w.rows, lo, hi, w.scores, w.grad, w.hess)
		for k := range w.outputs {
			part := w.parts[(lo/sampleBlock*w.outputs+k)*w.stride:][:2*w.trees[first+k].NumLeaves()]
			clear(part)
			if numbers[k] == nil {
				addUpLeaves(w, k, lo, hi, w.places[first+k], part)
			} else {
				addUpLeaves(w, k, lo, hi, numbers[k], part)
			}
		}
	})
	for k := range w.outputs {
		sums := w.parts[k*w.stride:][:2*w.trees[first+k].NumLeaves()]
		for at := (w.outputs + k) * w.stride; at < len(w.parts); at += w.outputs * w.stride {
			for i, x := range w.parts[at:][:len(sums)] {
				sums[i] += x
			}
		}
		w.ratios = w.solver.solve(&w.trees[first+k], &w.states[first+k], w.pulls[first+k], sums, price, w.ratios)
		w.moves[k] = append(w.moves[k][:0], w.solver.move...)
	}
	for k := range w.outputs {
		w.move(first+k, numbers[k])
	}
}

// move adds to the scores what the leaves of a tree changed by.
func (w *pruner) move(i int, numbers []float64) {
	k := i % w.outputs
	scores := w.scores[k*w.n:][:w.n]
	w.each(func(_, lo, hi int) {
		if numbers == nil {
			moveScores(scores, w.places[i], w.moves[k], lo, hi)
		} else {
			moveScores(scores, numbers, w.moves[k], lo, hi)
		}
	})
}

// addUpLeaves sums gradients and hessians by leaf, of what leaf values are fitted to.
func addUpLeaves[N uint16 | float64](w *pruner, output, lo, hi int, leaf []N, sums []float64) {
	at := output * w.n
	grad, hess := w.grad[at:][:w.n], w.hess[at:][:w.n]
	if w.p.Labels == 1 {
		for row := lo; row < hi; row++ {
			l := 2 * int(leaf[row])
			sums[l] += float64(grad[row])
			sums[l+1] += float64(float64(hess[row]) * w.steepen)
		}
		return
	}
	start, scores, startHess := w.start[at:][:w.n], w.scores[at:][:w.n], w.startHess[at:][:w.n]
	labels, own := w.p.Labels, 1-w.p.Labels
	for row := lo; row < hi; row++ {
		l := 2 * int(leaf[row])
		h := float64(own * float64(startHess[row]))
		sums[l] += float64(labels*float64(grad[row])) + float64(h*(scores[row]-start[row]))
		sums[l+1] += float64((float64(labels*float64(hess[row])) + h) * w.steepen)
	}
}

func moveScores[N uint16 | float64](scores []float64, leaf []N, by []float64, lo, hi int) {
	for row := lo; row < hi; row++ {
		scores[row] += by[int(leaf[row])]
	}
}
