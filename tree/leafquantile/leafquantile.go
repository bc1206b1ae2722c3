// Package leafquantile renews leaf values as quantiles of what the scores of their rows leave to the labels.
//
// In: a tree, the rows of its leaves, hessians, labels and scores. Out: the tree with other leaf values. It must not know how trees
// grow, nor objectives.
package leafquantile

import (
	"encoding/binary"
	"math"
	"unsafe"

	"boost/internal/comm"
	"boost/internal/kernel/hist"
	"boost/internal/kernel/loss"
	"boost/parallel"
	"boost/tree"
)

// Renewer renews leaf values. It takes 14 bytes a row, and Worker bytes by worker.
type Renewer struct {
	pool    *parallel.Pool
	ranks   *comm.Ranks
	runs    int
	leaf    func(leaf, run int) (first int, entries []uint64)
	rows    Rows
	tree    *tree.Tree
	start   []int     // of the leaves in the next three
	values  []float64 // labels less scores, of rows with a hessian above 0
	weights []uint32
	buckets []uint16         // memory of the search
	search  []loss.Quantiles // by worker
}

// Worker is what a Renewer takes by worker, in bytes.
const Worker = int64(unsafe.Sizeof(loss.Quantiles{}))

// Rows are what a tree's leaves are renewed by.
type Rows struct {
	Labels, Scores []float64
	Hess           []float32
	Same           bool    // all hessians are the same
	Up             float64 // hessians are multiplied by it to be whole numbers
	Level          float64 // of the quantile
	Rate           float64 // leaf values are it times a quantile
}

// New returns a Renewer for up to so many rows and leaves. The rows of a leaf are those of so many runs, each with the row of the table that its entries
// count theirs from.
func New(pool *parallel.Pool, ranks *comm.Ranks, rows, leaves, runs int, leaf func(leaf, run int) (first int, entries []uint64)) *Renewer {
	return &Renewer{
		pool: pool, ranks: ranks, runs: runs, leaf: leaf,
		start: make([]int, leaves+1), values: make([]float64, rows), weights: make([]uint32, rows), buckets: make([]uint16, rows),
		search: make([]loss.Quantiles, pool.Threads()),
	}
}

// Renew replaces the leaf values of a tree. A leaf whose rows have hessians of 0 only keeps its value.
func (r *Renewer) Renew(t *tree.Tree, rows Rows) {
	r.tree, r.rows = t, rows
	for l := range t.Leaf {
		r.start[l+1] = r.start[l]
		for run := range r.runs {
			_, entries := r.leaf(l, run)
			r.start[l+1] += len(entries)
		}
	}
	if r.ranks.Shared() {
		r.overRanks()
	} else {
		r.pool.Do(len(t.Leaf), r)
	}
	r.tree, r.rows = nil, Rows{}
}

const (
	leastSampled = 1 << 10 // rows of a leaf of which some are looked at first
	mostSampled  = 1 << 9
)

// Run renews one leaf; it makes Renewer a parallel.Task. Some rows tell between which numbers the quantile is likely to lie, so that most
// values are looked at once.
func (r *Renewer) Run(worker, leaf int) {
	q, rows := &r.search[worker], r.start[leaf+1]-r.start[leaf]
	q.Use(r.buckets[r.start[leaf]:r.start[leaf+1]])
	if rows >= leastSampled {
		step := rows / min(44+rows/48, mostSampled)
		if !r.rows.Same {
			step = max(step/4, 1)
		}
		some := r.part(leaf, step, math.Inf(-1), math.Inf(1))
		if len(some.Values) >= leastSampled/32 {
			least, most := q.Near(some.Values, some.Weights, r.rows.Level)
			part := r.part(leaf, 1, least, most)
			if value, ok := q.Within(&part, r.rows.Level); ok {
				r.set(leaf, value)
				return
			}
		}
	}
	part := r.part(leaf, 1, math.Inf(-1), math.Inf(1))
	if value, ok := q.Within(&part, r.rows.Level); ok {
		r.set(leaf, value)
	}
}

func (r *Renewer) set(leaf int, quantile float64) {
	r.tree.Leaf[leaf] = float64(r.rows.Rate * quantile)
}

// part returns what every so many rows of a leaf leave, from least to most, without weights where all have the same.
func (r *Renewer) part(leaf, step int, least, most float64) loss.Part {
	p, weight := r.list(leaf, step, least, most)
	if weight > 0 {
		p.Weights, p.Below, p.All = nil, p.Below/weight, p.All/weight
	}
	return p
}

// list is part with weights, unless all hessians are the same; it returns the weight that all rows have which weigh something, or 0. There is no branch
// on where a row lies, which cannot be guessed.
func (r *Renewer) list(leaf, step int, least, most float64) (p loss.Part, weight uint64) {
	lo, hi := r.start[leaf], r.start[leaf+1]
	values, weights := r.values[lo:hi], r.weights[lo:hi]
	n, below, all := 0, uint64(0), uint64(0)
	if r.rows.Same {
		for run := range r.runs {
			first, entries := r.leaf(leaf, run)
			labels, scores := r.rows.Labels[first:], r.rows.Scores[first:]
			scores = scores[:len(labels)]
			for i := 0; i < len(entries); i += step {
				row := hist.Row(entries[i])
				v := labels[row] - scores[row]
				values[n] = v
				n += bit(v >= least) & bit(v <= most)
				below += uint64(bit(v < least))
				all++
			}
		}
		return loss.Part{Values: values[:n], Below: below, All: all}, 0
	}
	some, every := uint32(0), uint32(math.MaxUint32) // bits of weights above 0
	for run := range r.runs {
		first, entries := r.leaf(leaf, run)
		labels, scores, hess := r.rows.Labels[first:], r.rows.Scores[first:], r.rows.Hess[first:]
		scores, hess = scores[:len(labels)], hess[:len(labels)]
		for i := 0; i < len(entries); i += step {
			row := hist.Row(entries[i])
			w := uint32(math.Float64bits(float64(float64(hess[row])*r.rows.Up) + 0x1p52)) // the nearest whole number, an even one of two
			v, none := labels[row]-scores[row], bit(w == 0)
			values[n], weights[n] = v, w
			n += bit(v >= least) & bit(v <= most) &^ none
			below += uint64(w) & -uint64(bit(v < least))
			all += uint64(w)
			some, every = some|w, every&(w|-uint32(none))
		}
	}
	p = loss.Part{Values: values[:n], Weights: weights[:n], Below: below, All: all}
	if some == every {
		return p, uint64(some)
	}
	return p, 0
}

func bit(is bool) int {
	if is {
		return 1
	}
	return 0
}

// overRanks renews all leaves by the rows of all ranks, each of which gives all others what its own have: 8 to 12 bytes a row.
func (r *Renewer) overRanks() {
	var own []byte
	for leaf := range r.tree.Leaf {
		part, _ := r.list(leaf, 1, math.Inf(-1), math.Inf(1))
		own = binary.LittleEndian.AppendUint64(own, uint64(len(part.Values)))
		for _, v := range part.Values {
			own = binary.LittleEndian.AppendUint64(own, math.Float64bits(v))
		}
		for _, w := range part.Weights {
			own = binary.LittleEndian.AppendUint32(own, w)
		}
	}
	all := r.ranks.Gather(own)
	for leaf := range r.tree.Leaf {
		var values []float64
		var weights []uint32
		for rank := range all {
			var n int
			if n, all[rank] = r.length(all[rank]); n < 0 {
				r.ranks.Fail(&comm.Error{Rank: rank, Text: "told leaves that cannot be read"})
				return
			}
			for i := range n {
				values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(all[rank][8*i:])))
			}
			if all[rank] = all[rank][8*n:]; !r.rows.Same {
				for i := range n {
					weights = append(weights, binary.LittleEndian.Uint32(all[rank][4*i:]))
				}
				all[rank] = all[rank][4*n:]
			}
		}
		if len(values) > 0 {
			r.search[0].Use(make([]uint16, len(values)))
			r.set(leaf, r.search[0].Of(values, weights, r.rows.Level))
		}
	}
}

// length takes the number of a leaf's values off what a rank has told; it is below 0 where they are not all there.
func (r *Renewer) length(b []byte) (n int, rest []byte) {
	size := uint64(12)
	if r.rows.Same {
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
