package grow

import (
	"fmt"

	"boost/histogram"
	"boost/internal/kernel/hist"
)

// directParent is what a split leaf leaves to its children.
type directParent struct {
	sums *histogram.NodeSums
	kept bool
}

// addUp adds up the rows of a leaf.
func (g *splitter) addUp(at int) {
	l := &g.nodes[at]
	l.sums = g.direct.Build(g.storage, g.rows.runs(at), l.total.codes(), g.active, g.rule.MinRows)
	l.kept = g.direct.Keep(l.sums)
}

// divide gives the current siblings their sums and finds their best splits: the rows of
// the smaller one are added up, and taken away from its parent's sums for the larger.
func (g *splitter) divide(parent directParent, last bool) error {
	smaller, larger := &g.nodes[g.smaller], &g.nodes[g.larger]
	switch {
	case last || parent.sums != nil && !g.canSplit(larger):
		if parent.sums != nil {
			g.direct.Release(parent.sums, parent.kept)
		}
	case parent.sums != nil && g.canSplit(smaller):
		smaller.sums = g.direct.Divide(parent.sums, g.storage, g.rows.runs(g.smaller), smaller.total.codes(), g.active, g.rule.MinRows)
		smaller.kept = g.direct.Keep(smaller.sums)
		larger.sums, larger.kept = parent.sums, parent.kept
		return g.searchDirect()
	case parent.sums != nil:
		g.direct.Subtract(parent.sums, g.storage, g.rows.runs(g.smaller), smaller.total.codes())
		larger.sums, larger.kept = parent.sums, parent.kept
	case g.canSplit(larger):
		g.addUp(g.larger)
	}
	if last {
		return nil
	}
	if g.canSplit(smaller) {
		g.addUp(g.smaller)
	}
	return g.searchDirect()
}

// searchDirect finds the best split of each of the current siblings that has sums.
func (g *splitter) searchDirect() error {
	for s := range g.nSiblings {
		at := g.siblings[s]
		l := &g.nodes[at]
		l.best = candidate{}
		if l.sums == nil {
			continue
		}
		g.prepare(s)
		allowed := g.sampler.node(g.active, g.round, g.output, l.depth, g.drawOf(s), g.features)
		g.features, g.sibling = allowed, s
		n := len(l.sums.Features)
		g.dead = append(g.dead[:0], make([]bool, n)...)
		chunks := (n + directChunk - 1) / directChunk
		g.pool.Do(chunks, (*directTask)(g))
		l.sums.Drop(g.dead)
		g.allowed[s] = both(g.allowed[s][:0], allowed, l.sums.Features)
		g.choose(s, l)
		if g.verifying() {
			if err := g.verifyDirect(at, l); err != nil {
				return err
			}
		}
		if !l.best.found || !l.kept {
			g.direct.Release(l.sums, l.kept)
			l.sums = nil
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

// directChunk is the number of features that a worker searches at a time.
const directChunk = 64

// directTask searches a chunk of the features of one sibling, and marks those that
// cannot be split any more.
type directTask splitter

func (t *directTask) Run(worker, chunk int) {
	g := (*splitter)(t)
	l := &g.nodes[g.siblings[g.sibling]]
	lo := chunk * directChunk
	for i, f := range l.sums.Features[lo:min(lo+directChunk, len(l.sums.Features))] {
		c := &g.candidates[g.sibling][f]
		c.found = false
		grad, hess, count, stored := g.directSlots(worker, l, lo+i)
		if g.dead[lo+i] = stored < g.rule.MinRows; !g.dead[lo+i] {
			g.searchSlots(worker, l, int(f), grad, hess, count, 0, c)
		}
		g.scores[g.sibling][f] = c.scoreOf()
	}
}

// directSlots returns the sums of a leaf's i-th feature, by code, and how many rows are
// off its rest code.
func (g *splitter) directSlots(worker int, l *node, i int) (grad []int64, hess []uint64, count []uint32, stored uint64) {
	f := l.sums.Features[i]
	w, n := &g.workers[worker], int(g.offsets[f+1]-g.offsets[f])
	if len(w.grad) < n {
		w.grad, w.hess, w.count = make([]int64, n), make([]uint64, n), make([]uint32, n)
	}
	grad, hess, count = w.grad[:n], w.hess[:n], w.count[:n]
	rest, _ := g.config.Matrix.DefaultBin(int(f))
	return grad, hess, count, l.sums.Feature(i, rest, grad, hess, count)
}

// verifyDirect is verifyFeatures for a leaf without a histogram: the leaf's rows add up to the
// sums of its best feature that were searched, code by code.
func (g *splitter) verifyDirect(at int, l *node) error {
	if !l.best.found {
		return nil
	}
	f := l.best.feature
	grad, hess, _ := g.slots(0, l, f)
	left := make([]sums, len(grad))
	for code := range left {
		left[code] = sums{grad: grad[code], hess: hess[code]}
	}
	for _, run := range g.rows.runs(at) {
		lo, hi := run.First, g.rows.end(run.First)
		c := g.config.Matrix.Block(f, lo, hi, run.Entries, &g.rows.codes[g.worker])
		for _, e := range run.Entries {
			row := int(hist.Row(e))
			s := &left[c.At(row)]
			grad, hess := g.storage.Code(lo + row)
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
