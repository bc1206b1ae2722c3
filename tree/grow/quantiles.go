package grow

import (
	"math"

	"boost/gradients"
	"boost/internal/kernel/hist"
	"boost/internal/kernel/loss"
	"boost/tree"
)

// quantiles renews leaf values as quantiles of what their rows' scores leave to the labels. It takes 14 bytes a row, and 12 KiB by
// worker.
type quantiles struct {
	g       *Grower
	tree    *tree.Tree
	labels  []float64
	scores  []float64
	hess    []float32
	up      float64 // hessians are multiplied by it to be whole numbers
	same    bool    // all hessians are the same
	level   float64
	start   []int     // of the leaves in the next two
	values  []float64 // labels less scores, of rows with a hessian above 0
	weights []uint32
	buckets []uint16         // memory of the search
	search  []loss.Quantiles // by worker
}

func newQuantiles(g *Grower, rows, leaves, threads int) *quantiles {
	return &quantiles{
		g: g, start: make([]int, leaves+1), values: make([]float64, rows), weights: make([]uint32, rows), buckets: make([]uint16, rows),
		search: make([]loss.Quantiles, threads),
	}
}

// QuantileLeaves replaces the tree's leaf values by the learning rate times a quantile of label − score over each
// leaf's rows, which their hessians weigh. A leaf whose rows have none keeps its value. It must follow the tree's Grow, from the same storage, and Config.Quantiles be set.
func (g *Grower) QuantileLeaves(t *tree.Tree, st *gradients.Storage, level float64, labels, scores []float64) {
	q := g.quantiles
	_, q.hess = st.Floats()
	_, largest := st.Largest()
	q.up, q.same = math.Ldexp(1, -LeafUnit(largest)), st.SameHessians()
	q.tree, q.level, q.labels, q.scores = t, level, labels, scores
	for l := range t.Leaf {
		q.start[l+1] = q.start[l] + g.rows.count(int(g.leaves[l]))
	}
	g.config.Pool.Do(len(t.Leaf), q)
	q.tree, q.labels, q.scores, q.hess = nil, nil, nil, nil
}

// Run renews one leaf; it makes quantiles a parallel.Task.
func (q *quantiles) Run(worker, leaf int) {
	lo, hi := q.start[leaf], q.start[leaf+1]
	values, weights, n := q.values[lo:hi], q.weights[lo:hi], 0
	if q.same {
		weights = nil
	}
	for _, run := range q.g.rows.byNode[q.g.leaves[leaf]] {
		for _, e := range run.Entries {
			row := run.First + int(hist.Row(e))
			if q.same {
				values[n] = q.labels[row] - q.scores[row]
				n++
				continue
			}
			weight := uint32(math.RoundToEven(float64(q.hess[row]) * q.up))
			values[n], weights[n] = q.labels[row]-q.scores[row], weight
			if weight > 0 {
				n++
			}
		}
	}
	if n == 0 {
		return
	}
	if weights != nil {
		weights = weights[:n]
	}
	q.search[worker].Use(q.buckets[lo:hi])
	q.tree.Leaf[leaf] = float64(q.g.config.LearningRate * q.search[worker].Of(values[:n], weights, q.level))
}
