package booster

import (
	"math"

	"boost/internal/kernel/loss"
	"boost/parallel"
)

// leafQuantiles finds the leaf values of a refit that are quantiles. It takes 14 bytes a row.
type leafQuantiles struct {
	start   []int // of the leaves in the next two
	values  []float64
	weights []uint32
	buckets []uint16
	found   []float64 // by leaf
	search  []loss.Quantiles
}

func newLeafQuantiles(rows, leaves, threads int) *leafQuantiles {
	return &leafQuantiles{
		make([]int, leaves+1), make([]float64, rows), make([]uint32, rows), make([]uint16, rows), make([]float64, leaves), make([]loss.Quantiles, threads),
	}
}

// findQuantiles finds the quantile of label − score over the rows of each of a tree's leaves, weighted by hessians in the unit of the sums.
func (r *refit) findQuantiles(labels []float64, level float64, leaves int) {
	q := r.quantiles
	clear(q.start)
	weight := func(row int) uint32 { return uint32(math.RoundToEven(float64(r.hess[row]) * r.up[1])) }
	for row, leaf := range r.leaf {
		if weight(row) > 0 {
			q.start[int(leaf)+1]++
		}
	}
	for l := range leaves {
		q.start[l+1] += q.start[l]
	}
	next := append([]int(nil), q.start...)
	for row, leaf := range r.leaf {
		if w := weight(row); w > 0 {
			at := &next[int(leaf)]
			q.values[*at], q.weights[*at] = labels[row]-r.output[row], w
			*at++
		}
	}
	r.pool.Do(leaves, parallel.Func(func(worker, l int) {
		if lo, hi := q.start[l], q.start[l+1]; lo < hi {
			q.search[worker].Use(q.buckets[lo:hi])
			q.found[l] = q.search[worker].Of(q.values[lo:hi], q.weights[lo:hi], level)
		}
	}))
}
