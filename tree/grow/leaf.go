package grow

import (
	"cmp"
	"math"

	"boost/gradients"
	"boost/internal/kernel/hist"
	"boost/internal/kernel/scan"
	"boost/tree"
	"boost/tree/leafquantile"
)

// LeafRule says how the value of a leaf follows from the sums of its rows: in growth, and where a
// model is refitted.
type LeafRule struct {
	LambdaL1, LambdaL2 float64
	MaxStep            float64 // bounds the size of values, before the learning rate; 0 = no bound
	LearningRate       float64
}

// Value returns the value that lowers the loss most, −T(grad)/(hess + LambdaL2 + extraL2), T
// shrinking |grad| by LambdaL1, within MaxStep, times the learning rate.
func (r *LeafRule) Value(grad, hess, extraL2 float64) float64 {
	rule := scan.Rule{L1: r.LambdaL1}
	value := rule.Value(grad, hess, r.LambdaL2+extraL2)
	if r.MaxStep > 0 {
		value = min(max(value, -r.MaxStep), r.MaxStep)
	}
	return float64(r.LearningRate * value)
}

// LeafLimit returns the bound on the size of leaf values before the learning rate, 0 for none.
func (c *Config) LeafLimit() float64 {
	if p := &c.Params; c.MaxStep == 0 || p.MaxDeltaStep > 0 {
		return min(p.MaxDeltaStep, cmp.Or(c.MaxStep, math.Inf(1)))
	}
	return c.MaxStep
}

// LeafUnit returns the exponent of the unit in which exact sums of a leaf's values are taken: the
// largest value is less than 2³¹ units of 2^exponent.
func LeafUnit(largest float32) (exponent int) {
	_, exponent = math.Frexp(float64(largest))
	return exponent - 31
}

// QuantileLeaves replaces the tree's leaf values by the learning rate times a quantile of label − score over each
// leaf's rows, which their hessians weigh. A leaf whose rows have none keeps its value. It must follow the tree's Grow, from the same storage, and Config.Quantiles be set.
func (g *Grower) QuantileLeaves(t *tree.Tree, st *gradients.Storage, level float64, labels, scores []float64) {
	_, hess := st.Floats()
	_, largest := st.Largest()
	g.quantiles.Renew(t, leafquantile.Rows{
		Labels: labels, Scores: scores, Hess: hess, Same: st.SameHessians(), Up: math.Ldexp(1, -LeafUnit(largest)), Level: level, Rate: g.config.LearningRate,
	})
}

// finish gives the leaves their values and returns the tree.
func (g *Grower) finish() tree.Tree {
	t := g.made
	p := &g.config.Params
	rule := LeafRule{p.LambdaL1, p.LambdaL2, g.config.LeafLimit(), g.config.LearningRate}
	g.made = tree.Tree{}
	leaves := len(t.Feature) + 1
	t.Leaf, t.LeafCover = make([]float64, leaves), make([]float64, leaves)
	var renewed leafSums
	var unit sums
	if g.renewal != nil {
		renewed, unit = g.renewal.sum(g.storage, leaves, g.config.Pool)
	}
	advanced := g.limits != nil && g.limits.boxes != nil
	if advanced {
		g.stepLeaves(rule.MaxStep)
	}
	for i := range leaves {
		n := &g.nodes[g.leaves[i]]
		grad, hess := g.value(n.total)
		t.LeafCover[i] = hess
		if g.renewal != nil {
			grad, hess = float64(renewed.grad[i])*unit.gradF, float64(renewed.hess[i])*unit.hessF
		}
		if t.Leaf[i] = rule.Value(grad, hess, n.extraL2); g.limits == nil {
			continue
		}
		if advanced { // the values of others are such as they are now
			g.rangeOf(int(g.leaves[i]))
		}
		value := g.limits.leaf(g, n, grad, hess, rule.MaxStep)
		if t.Leaf[i] = float64(g.config.LearningRate * value); advanced {
			n.value = value
		}
	}
	if g.limits != nil && g.limits.tightens { // values from other sums than bounds
		t.KeepOrder(t.Leaf, g.limits.directions)
	}
	for i := range g.nodes[:g.nNodes] {
		n := &g.nodes[i]
		if n.hist != nil {
			g.hists.Put(n.hist)
			n.hist = nil
		}
		if n.sums != nil {
			g.all.sparse.builder.Release(n.sums, n.kept)
			n.sums = nil
		}
	}
	return t
}

// AddLeafValues adds the tree's leaf values to the raw scores of the rows it was
// grown on, one score per row of the matrix. It must follow the tree's Grow.
func (g *Grower) AddLeafValues(t *tree.Tree, scores []float64) {
	g.scoring = scoreTask{g: g, values: t.Leaf, scores: scores}
	g.config.Pool.Do(g.rows.nRuns, &g.scoring)
	g.scoring = scoreTask{}
}

// scoreTask adds the leaf values to the scores of the rows of one run.
//
// Bound: 24 bytes a row, an entry and a score each way, which take 0.5 to 0.7 ns in the order of
// memory; five instructions a row, 0.5 ns in the cache. The scores, half a megabyte, are first read in
// that order: the first leaves otherwise wait for a line for each of their rows, which costs training 2 to 3 %.
// Four rows at a time, leaves in turn over parts of a run that stay in the first cache, and numbers of
// leaves by row first, with the scores in order after them, take as long as without, within a fifth.
type scoreTask struct {
	g      *Grower
	values []float64 // by leaf
	scores []float64
}

func (t *scoreTask) Run(_, index int) {
	s := &t.g.rows
	root := &s.byNode[0][index]
	if len(root.Entries) == 0 {
		return
	}
	scores := t.scores[root.First:s.end(root.First)]
	keep(touch(scores, 8))
	for l, value := range t.values {
		for _, e := range s.byNode[t.g.leaves[l]][index].Entries {
			scores[hist.Row(e)] += value
		}
	}
}

// NumberLeaves writes the leaf of each row that the tree was grown on, and leaves what stands for other rows. It must follow the
// tree's Grow.
func (g *Grower) NumberLeaves(t *tree.Tree, number []uint32) {
	g.config.Pool.Do(g.rows.nRuns, &numberTask{g, t.NumLeaves(), number})
}

// numberTask writes the leaves of the rows of one run.
type numberTask struct {
	g      *Grower
	leaves int
	number []uint32
}

func (t *numberTask) Run(_, index int) {
	s := &t.g.rows
	root := &s.byNode[0][index]
	if len(root.Entries) == 0 {
		return
	}
	number := t.number[root.First:s.end(root.First)]
	for l := range t.leaves {
		for _, e := range s.byNode[t.g.leaves[l]][index].Entries {
			number[hist.Row(e)] = uint32(l)
		}
	}
}

// touch reads one of so many values, which are a cache line, so that all of them come into the
// second cache in the order of memory.
func touch[T float32 | float64](values []T, line int) (sum T) {
	for i := 0; i < len(values); i += line {
		sum += values[i]
	}
	return sum
}

// keep takes a value that is of no use but for having been read.
//
//go:noinline
func keep[T float32 | float64](T) {}
