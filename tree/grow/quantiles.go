package grow

import (
	"encoding/binary"
	"math"

	"boost/gradients"
	"boost/internal/comm"
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
	if g.config.Ranks.Shared() {
		q.overRanks()
	} else {
		g.config.Pool.Do(len(t.Leaf), q)
	}
	q.tree, q.labels, q.scores, q.hess = nil, nil, nil, nil
}

// Run renews one leaf; it makes quantiles a parallel.Task.
func (q *quantiles) Run(worker, leaf int) {
	lo, hi := q.start[leaf], q.start[leaf+1]
	values, weights := q.list(leaf)
	q.search[worker].Use(q.buckets[lo:hi])
	q.renew(worker, leaf, values, weights)
}

// list returns what the rows of a leaf that weigh something have, with weights where these differ.
func (q *quantiles) list(leaf int) (values []float64, weights []uint32) {
	lo, hi := q.start[leaf], q.start[leaf+1]
	values, weights = q.values[lo:hi], q.weights[lo:hi]
	n := 0
	if q.same {
		for _, run := range q.g.rows.byNode[q.g.leaves[leaf]] {
			labels, scores := q.labels[run.First:], q.scores[run.First:]
			scores = scores[:len(labels)]
			to := values[n:][:len(run.Entries)]
			for i, e := range run.Entries {
				row := hist.Row(e)
				to[i] = labels[row] - scores[row]
			}
			n += len(run.Entries)
		}
		return values[:n], nil
	}
	for _, run := range q.g.rows.byNode[q.g.leaves[leaf]] {
		labels, scores, hess := q.labels[run.First:], q.scores[run.First:], q.hess[run.First:]
		scores, hess = scores[:len(labels)], hess[:len(labels)]
		for _, e := range run.Entries {
			row := hist.Row(e)
			weight := uint32(math.Float64bits(float64(float64(hess[row])*q.up) + 0x1p52)) // the nearest whole number, an even one of two
			values[n], weights[n] = labels[row]-scores[row], weight
			if weight > 0 {
				n++
			}
		}
	}
	return values[:n], weights[:n]
}

// renew makes the value of a leaf the quantile of some values.
func (q *quantiles) renew(worker, leaf int, values []float64, weights []uint32) {
	if len(values) > 0 {
		q.tree.Leaf[leaf] = float64(q.g.config.LearningRate * q.search[worker].Of(values, weights, q.level))
	}
}

// overRanks renews all leaves by the rows of all ranks, each of which gives all others what its own have: 8 to 12 bytes a row.
func (q *quantiles) overRanks() {
	var own []byte
	for leaf := range q.tree.Leaf {
		values, weights := q.list(leaf)
		own = binary.LittleEndian.AppendUint64(own, uint64(len(values)))
		for _, v := range values {
			own = binary.LittleEndian.AppendUint64(own, math.Float64bits(v))
		}
		for _, w := range weights {
			own = binary.LittleEndian.AppendUint32(own, w)
		}
	}
	ranks := q.g.config.Ranks
	all := ranks.Gather(own)
	for leaf := range q.tree.Leaf {
		var values []float64
		var weights []uint32
		for rank := range all {
			var n int
			if n, all[rank] = q.length(all[rank]); n < 0 {
				ranks.Fail(&comm.Error{Rank: rank, Text: "told leaves that cannot be read"})
				return
			}
			for i := range n {
				values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(all[rank][8*i:])))
			}
			if all[rank] = all[rank][8*n:]; !q.same {
				for i := range n {
					weights = append(weights, binary.LittleEndian.Uint32(all[rank][4*i:]))
				}
				all[rank] = all[rank][4*n:]
			}
		}
		q.search[0].Use(make([]uint16, len(values)))
		q.renew(0, leaf, values, weights)
	}
}

// length takes the number of a leaf's values off what a rank has told; it is below 0 where they are not all there.
func (q *quantiles) length(b []byte) (n int, rest []byte) {
	size := uint64(12)
	if q.same {
		size = 8
	}
	if len(b) < 8 {
		return -1, nil
	}
	told := binary.LittleEndian.Uint64(b)
	if b = b[8:]; told > uint64(len(b))/size {
		return -1, nil
	}
	return int(told), b
}
