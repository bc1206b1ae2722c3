package grow

import (
	"fmt"

	"boost/histogram"
	"boost/internal/kernel/hist"
	"boost/internal/kernel/scan"
)

// sparseSearch splits nodes without flat histograms: rows are added up for those features only that
// can be split, and the step that does so searches them too.
type sparseSearch struct {
	*splitter
	builder *histogram.SparseSums

	// The search in progress.
	search   *search
	features []int  // that it may split on
	dead     []bool // of the node's sums, those of features that cannot be split any more
}

// sparseParent is what a split node leaves to its children.
type sparseParent struct {
	sums *histogram.NodeSums
	kept bool
}

// addUp adds up the rows of a node.
func (d *sparseSearch) addUp(at int) {
	n := &d.nodes[at]
	n.sums = d.builder.Build(d.storage, d.rows.runs(at), n.total.codes(), d.active, d.rule.MinRows)
	n.kept = d.builder.Keep(n.sums)
}

// divide gives the children of a split their sums and finds their best splits: the rows of
// the smaller one are added up, and taken away from its parent's sums for the larger.
func (d *sparseSearch) divide(s *split, parent sparseParent, last bool) error {
	smaller, larger := &d.nodes[s.smaller], &d.nodes[s.larger]
	switch {
	case last || parent.sums != nil && !d.canSplit(larger):
		if parent.sums != nil {
			d.builder.Release(parent.sums, parent.kept)
		}
	case parent.sums != nil && d.canSplit(smaller):
		smaller.sums = d.builder.Divide(parent.sums, d.storage, d.rows.runs(s.smaller), smaller.total.codes(), d.active, d.rule.MinRows)
		smaller.kept = d.builder.Keep(smaller.sums)
		larger.sums, larger.kept = parent.sums, parent.kept
		return d.find(s)
	case parent.sums != nil:
		d.builder.Subtract(parent.sums, d.storage, d.rows.runs(s.smaller), smaller.total.codes())
		larger.sums, larger.kept = parent.sums, parent.kept
	case d.canSplit(larger):
		d.addUp(s.larger)
	}
	if last {
		return nil
	}
	if d.canSplit(smaller) {
		d.addUp(s.smaller)
	}
	return d.find(s)
}

// find finds the best split of each node of a split that has sums.
func (d *sparseSearch) find(s *split) error {
	for i := range s.searching {
		q := &s.searching[i]
		n := q.node
		n.best = candidate{}
		if n.sums == nil {
			continue
		}
		q.prepare()
		d.search = q
		d.features = d.sampler.Node(d.active, d.round, d.output, n.depth, n.path, d.features)
		d.features = d.restrict(d.features, n)
		d.dead = append(d.dead[:0], make([]bool, len(n.sums.Features))...)
		d.pool.Do((len(d.dead)+sparseChunk-1)/sparseChunk, (*sparseTask)(d))
		n.sums.Drop(d.dead)
		q.allowed = both(q.allowed[:0], d.features, n.sums.Features)
		q.choose()
		if d.verifying() {
			if err := d.verify(q.at, n); err != nil {
				return err
			}
		}
		if !n.best.found || !n.kept {
			d.builder.Release(n.sums, n.kept)
			n.sums = nil
		}
	}
	return nil
}

// both appends the numbers that two ascending lists have in common.
func both(dst, a []int, b []int32) []int {
	for _, f := range b {
		for len(a) > 0 && a[0] < int(f) {
			a = a[1:]
		}
		if len(a) > 0 && a[0] == int(f) {
			dst = append(dst, int(f))
		}
	}
	return dst
}

// sparseChunk is the number of features that a worker searches at a time.
const sparseChunk = 64

// sparseTask searches a chunk of the features of a node, and marks those that
// cannot be split any more.
type sparseTask sparseSearch

func (t *sparseTask) Run(worker, chunk int) {
	d := (*sparseSearch)(t)
	q, lo := d.search, chunk*sparseChunk
	for i, f := range q.node.sums.Features[lo:min(lo+sparseChunk, len(q.node.sums.Features))] {
		c := &q.candidates[f]
		c.found = false
		grad, hess, count, stored := d.slots(worker, q.node, lo+i)
		if d.dead[lo+i] = stored < d.rule.MinRows; !d.dead[lo+i] {
			searchCodes(q, worker, int(f), &scan.Feature[int64, uint64]{Grad: grad, Hess: hess, Count: count, Total: q.codeTotal()}, c)
		}
		q.scores[f] = c.scoreOf()
	}
}

// slots returns the sums of a node's i-th feature, by code, and how many rows are
// outside its default bin.
func (d *sparseSearch) slots(worker int, n *node, i int) (grad []int64, hess []uint64, count []uint32, stored uint64) {
	f := n.sums.Features[i]
	w, codes := &d.workers[worker], int(d.offsets[f+1]-d.offsets[f])
	if len(w.grad) < codes {
		w.grad, w.hess, w.count = make([]int64, codes), make([]uint64, codes), make([]uint32, codes)
	}
	grad, hess, count = w.grad[:codes], w.hess[:codes], w.count[:codes]
	defaultBin, _ := d.config.Matrix.DefaultBin(int(f))
	return grad, hess, count, n.sums.Feature(i, defaultBin, grad, hess, count)
}

// verify is verifyFeatures for a node without a histogram: the node's rows add up to the
// sums of its best feature that were searched, code by code.
func (d *sparseSearch) verify(at int, n *node) error {
	if !n.best.found {
		return nil
	}
	f := n.best.feature
	grad, hess, _ := d.splitter.slots(0, n, f)
	left := make([]sums, len(grad))
	for code := range left {
		left[code] = sums{grad: grad[code], hess: hess[code]}
	}
	for _, run := range d.rows.runs(at) {
		lo, hi := run.First, d.rows.end(run.First)
		c := d.config.Matrix.Block(f, lo, hi, run.Entries, &d.rows.codes[d.worker])
		for _, e := range run.Entries {
			row := int(hist.Row(e))
			s := &left[c.At(row)]
			grad, hess := d.storage.Code(lo + row)
			s.grad -= grad
			s.hess -= hess
		}
	}
	for code, s := range left {
		if s != (sums{}) {
			return fmt.Errorf("%w: code %d of feature %d in leaf %d was added up to (%d, %d) more than its rows hold",
				ErrInvariant, code, f, at, s.grad, int64(s.hess))
		}
	}
	return nil
}
