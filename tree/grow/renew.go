package grow

import (
	"math"

	"boost/gradients"
	"boost/internal/kernel/hist"
	"boost/parallel"
)

// renewal sums the gradients of each leaf's rows in full precision: as whole
// numbers of a unit that leaves the largest of them 31 bits, so that the sums do not
// depend on the order of rows and 2³² rows cannot overflow. A worker's sums cost 16 bytes
// per leaf.
type renewal struct {
	g       *Grower
	storage *gradients.Storage
	leaves  int
	up      sums // what values are multiplied by
	byOne   []leafSums
}

// leafSums are one worker's sums, by leaf.
type leafSums struct{ grad, hess []int64 }

func newRenewal(g *Grower, leaves, threads int) *renewal {
	r := &renewal{g: g, byOne: make([]leafSums, threads)}
	for w := range r.byOne {
		r.byOne[w] = leafSums{make([]int64, leaves), make([]int64, leaves)}
	}
	return r
}

// sum returns the sums of the first leaves as the first worker's, and the values of one unit.
func (r *renewal) sum(st *gradients.Storage, leaves int, pool *parallel.Pool) (all leafSums, unit sums) {
	for w := range r.byOne {
		clear(r.byOne[w].grad)
		clear(r.byOne[w].hess)
	}
	grad, hess := st.Largest()
	g, h := LeafUnit(grad), LeafUnit(hess)
	r.storage, r.leaves, r.up = st, leaves, sums{gradF: math.Ldexp(1, -g), hessF: math.Ldexp(1, -h)}
	pool.Do(r.g.rows.nRuns, r)
	r.storage = nil
	all = r.byOne[0]
	for _, other := range r.byOne[1:] {
		for l := range leaves {
			all.grad[l] += other.grad[l]
			all.hess[l] += other.hess[l]
		}
	}
	r.g.config.Ranks.SumInts(all.grad[:leaves], all.hess[:leaves])
	return all, sums{gradF: math.Ldexp(1, g), hessF: math.Ldexp(1, h)}
}

// Run adds up the rows of one run; it makes the renewal a parallel.Task.
func (r *renewal) Run(worker, index int) {
	rows := &r.g.rows
	lo := rows.byNode[0][index].First
	hi := rows.end(lo)
	grad, hess := r.storage.Floats()
	grad, hess = grad[lo:hi], hess[lo:hi]
	keep(touch(grad, 16) + touch(hess, 16))
	to := r.byOne[worker]
	for l, at := range r.g.leaves[:r.leaves] {
		g, h := hist.SumFloats(rows.byNode[at][index].Entries, grad, hess, r.up.gradF, r.up.hessF)
		to.grad[l] += g
		to.hess[l] += h
	}
}
