// Package leafquantile renews leaf values as quantiles of what the scores of their rows leave to the labels.
//
// In: a tree, the rows of its leaves, or each row with its leaf; hessians, labels and scores. Out: other leaf values. It must not know how trees
// grow, nor objectives.
package leafquantile

import (
	"encoding/binary"
	"math"
	"unsafe"

	"boost/internal/comm"
	"boost/internal/kernel/hist"
	"boost/internal/kernel/loss"
	"boost/internal/kernel/scan"
	"boost/parallel"
	"boost/tree"
)

// Renewer renews leaf values. It takes 14 bytes a row, and Bytes.
//
// Some rows of a large leaf tell between which numbers its quantile is likely to lie. The values between them are then listed run by run: what
// all leaves have of a run stays in the second cache. So most values are looked at once.
type Renewer struct {
	pool    *parallel.Pool
	ranks   *comm.Ranks
	runs    int
	span    func(run int) (lo, hi int)
	leaf    func(leaf, run int) []uint64
	rows    Rows
	tree    *tree.Tree
	start   []int // of the leaves in values, weights and buckets
	ranges  []scan.Range
	pieces  []piece     // by leaf and run
	values  []float64   // labels less scores, of rows with a hessian above 0
	weights []uint32    // hessians as whole numbers
	buckets []uint16    // memory of the search
	left    [][]float64 // by worker: labels less scores of a run
	search  []loss.Quantiles
}

// piece is what a leaf has of a run.
type piece struct {
	at int // where in values
	hist.Found
}

// Bytes returns what a Renewer takes beside 14 bytes a row.
func Bytes(rows, leaves, runs, threads int) int64 {
	return int64(leaves)*(8+int64(unsafe.Sizeof(scan.Range{}))+int64(runs)*int64(unsafe.Sizeof(piece{}))) +
		int64(threads)*(int64(unsafe.Sizeof(loss.Quantiles{}))+8*int64(min(rows, hist.BlockRows)))
}

// Rows are what a tree's leaves are renewed by.
type Rows struct {
	Labels, Scores []float64
	Hess           []float32
	Same           bool    // all hessians are the same
	Up             float64 // hessians are multiplied by it to be whole numbers
	Level          float64 // of the quantile
	Rate           float64 // leaf values are it times a quantile
}

// New returns a Renewer for up to so many rows and leaves. The rows of a leaf are those of so many runs: span returns the rows of the table in a run, and
// leaf the entries of a leaf's rows there, in any order.
func New(pool *parallel.Pool, ranks *comm.Ranks, rows, leaves, runs int, span func(run int) (lo, hi int), leaf func(leaf, run int) []uint64) *Renewer {
	r := &Renewer{
		pool: pool, ranks: ranks, runs: runs, span: span, leaf: leaf,
		start: make([]int, leaves+1), ranges: make([]scan.Range, leaves), pieces: make([]piece, leaves*runs),
		values: make([]float64, rows), weights: make([]uint32, rows), buckets: make([]uint16, rows),
		left: make([][]float64, pool.Threads()), search: make([]loss.Quantiles, pool.Threads()),
	}
	for w := range r.left {
		r.left[w] = make([]float64, min(rows, hist.BlockRows))
	}
	return r
}

// Renew replaces the leaf values of a tree. A leaf whose rows have hessians of 0 only keeps its value.
func (r *Renewer) Renew(t *tree.Tree, rows Rows) {
	r.tree, r.rows = t, rows
	for l := range t.Leaf {
		r.start[l+1] = r.start[l]
		for run := range r.runs {
			r.pieces[l*r.runs+run] = piece{at: r.start[l+1]}
			r.start[l+1] += len(r.leaf(l, run))
		}
	}
	leaves := len(t.Leaf)
	r.pool.Do(leaves, (*rangeTask)(r))
	r.pool.Do(r.runs, (*listTask)(r))
	if r.ranks.Shared() {
		r.overRanks()
	} else {
		r.pool.Do(leaves, (*quantileTask)(r))
	}
	r.tree, r.rows = nil, Rows{}
}

const (
	leastSampled = 1 << 10 // rows of a leaf of which some are looked at first
	mostSampled  = 1 << 9
)

// rangeTask sets the range in which a leaf's quantile is likely to lie.
type rangeTask Renewer

func (t *rangeTask) Run(worker, leaf int) {
	r, q := (*Renewer)(t), &t.search[worker]
	r.ranges[leaf] = scan.Range{Low: math.Inf(-1), High: math.Inf(1)}
	rows := r.start[leaf+1] - r.start[leaf]
	if rows < leastSampled || r.ranks.Shared() {
		return
	}
	step := rows / min(44+rows/48, mostSampled)
	if !r.rows.Same {
		step = max(step/4, 1)
	}
	if values, weights := r.some(leaf, step); len(values) >= leastSampled/32 {
		least, most := q.Near(values, weights, r.rows.Level)
		r.ranges[leaf] = scan.Range{Low: least, High: most}
	}
}

// listTask lists the values of a run that lie within their leaves' ranges.
type listTask Renewer

func (t *listTask) Run(worker, run int) {
	r := (*Renewer)(t)
	lo, hi := r.span(run)
	left, labels, scores, hess := r.left[worker][:hi-lo], r.rows.Labels[lo:hi], r.rows.Scores[lo:hi], r.rows.Hess[lo:hi]
	for row, label := range labels {
		left[row] = label - scores[row]
	}
	for l := range r.tree.Leaf {
		entries := r.leaf(l, run)
		p, in := &r.pieces[l*r.runs+run], r.ranges[l]
		var weights []uint32
		if !r.rows.Same {
			weights = r.weights[p.at:][:len(entries)]
		}
		p.Found = hist.Within(r.values[p.at:][:len(entries)], weights, entries, left, hess, r.rows.Up, in.Low, in.High)
	}
}

// quantileTask renews one leaf.
type quantileTask Renewer

func (t *quantileTask) Run(worker, leaf int) {
	r, q := (*Renewer)(t), &t.search[worker]
	q.Use(r.buckets[r.start[leaf]:r.start[leaf+1]])
	part, weight := r.part(leaf)
	if weight > 0 {
		part.Weights, part.Below, part.All = nil, part.Below/weight, part.All/weight
	}
	if value, ok := q.Within(&part, r.rows.Level); ok {
		r.set(leaf, value)
		return
	}
	if part.All == 0 {
		return
	}
	values, weights := r.some(leaf, 1)
	r.set(leaf, q.Of(values, weights, r.rows.Level))
}

func (r *Renewer) set(leaf int, quantile float64) {
	r.tree.Leaf[leaf] = float64(r.rows.Rate * quantile)
}

// part returns what is listed of a leaf, and the weight that all rows have which weigh something, or 0.
func (r *Renewer) part(leaf int) (p loss.Part, weight uint64) {
	lo := r.start[leaf]
	n, some, every := lo, uint32(0), uint32(math.MaxUint32)
	for _, own := range r.pieces[leaf*r.runs : (leaf+1)*r.runs] {
		copy(r.values[n:], r.values[own.at:][:own.N])
		copy(r.weights[n:], r.weights[own.at:][:own.N])
		n, p.Below, p.All, some, every = n+own.N, p.Below+own.Below, p.All+own.All, some|own.Some, every&own.Every
	}
	if p.Values, p.Weights = r.values[lo:n], r.weights[lo:n]; r.rows.Same {
		return p, 1
	}
	if some == every {
		return p, uint64(some)
	}
	return p, 0
}

// some returns what every so many rows of a leaf leave, with their weights, or nil where all have the same.
func (r *Renewer) some(leaf, step int) (values []float64, weights []uint32) {
	lo, hi := r.start[leaf], r.start[leaf+1]
	values, weights = r.values[lo:hi], r.weights[lo:hi]
	n := 0
	for run := range r.runs {
		first, _ := r.span(run)
		entries := r.leaf(leaf, run)
		for i := 0; i < len(entries); i += step {
			row, w := first+int(hist.Row(entries[i])), uint32(1)
			if !r.rows.Same {
				w = hist.WholeWeight(r.rows.Hess[row], r.rows.Up)
			}
			values[n], weights[n] = r.rows.Labels[row]-r.rows.Scores[row], w
			if w > 0 {
				n++
			}
		}
	}
	if r.rows.Same {
		return values[:n], nil
	}
	return values[:n], weights[:n]
}

// overRanks renews all leaves by the rows of all ranks, each of which gives all others what its own have: 8 to 12 bytes a row.
func (r *Renewer) overRanks() {
	var own []byte
	for leaf := range r.tree.Leaf {
		part, _ := r.part(leaf)
		if r.rows.Same {
			part.Weights = nil
		}
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
