package leafquantile

import (
	"boost/internal/kernel/hist"
	"boost/internal/kernel/loss"
	"boost/parallel"
)

// Finder finds the quantiles of leaves whose rows are known by their leaf. It takes 14 bytes a row.
type Finder struct {
	start   []int // of the leaves in the next two
	values  []float64
	weights []uint32
	buckets []uint16
	found   []float64 // by leaf
	search  []loss.Quantiles
}

// NewFinder returns a Finder for trees of up to so many leaves.
func NewFinder(rows, leaves, threads int) *Finder {
	return &Finder{
		make([]int, leaves+1), make([]float64, rows), make([]uint32, rows), make([]uint16, rows), make([]float64, leaves), make([]loss.Quantiles, threads),
	}
}

// LeafRows are the rows of a tree.
type LeafRows struct {
	Leaf           []float64 // by row: its leaf
	Hess           []float32
	Unit           float64 // hessians are multiplied by it, and rounded, to be weights
	Labels, Scores []float64
}

// Find finds the quantile of label − score over the rows of each of a tree's leaves, weighted by hessians. It returns them by leaf, of
// leaves without weight any number. They hold until the next call.
func (q *Finder) Find(pool *parallel.Pool, rows *LeafRows, level float64, leaves int) []float64 {
	clear(q.start)
	weight := func(row int) uint32 { return hist.WholeWeight(rows.Hess[row], rows.Unit) }
	for row, leaf := range rows.Leaf {
		if weight(row) > 0 {
			q.start[int(leaf)+1]++
		}
	}
	for l := range leaves {
		q.start[l+1] += q.start[l]
	}
	next := append([]int(nil), q.start...)
	for row, leaf := range rows.Leaf {
		if w := weight(row); w > 0 {
			at := &next[int(leaf)]
			q.values[*at], q.weights[*at] = rows.Labels[row]-rows.Scores[row], w
			*at++
		}
	}
	pool.Do(leaves, parallel.Func(func(worker, l int) {
		if lo, hi := q.start[l], q.start[l+1]; lo < hi {
			q.search[worker].Use(q.buckets[lo:hi])
			q.found[l] = q.search[worker].Of(q.values[lo:hi], q.weights[lo:hi], level)
		}
	}))
	return q.found
}
