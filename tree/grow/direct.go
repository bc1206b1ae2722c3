package grow

import (
	"fmt"

	"boost/gradients"
	"boost/internal/invariant"
	"boost/internal/kernel/hist"
	"boost/parallel"
)

// searchDirect finds the best split of each of the current siblings without keeping
// their histograms: the rows of both are added up, one sibling after the other, for
// the features that can be split at all.
func (g *Grower) searchDirect() error {
	for s := range g.nSiblings {
		at := g.siblings[s]
		l := &g.leaves[at]
		l.best = candidate{}
		if !g.canSplit(l) {
			continue
		}
		allowed := g.columns.node(g.active, g.round, g.output, l.depth, len(g.made.Feature)*2+s, g.features)
		g.features = allowed
		live := g.direct.Build(g.storage, g.rows.runs(at), allowed, g.rule.MinRows)
		g.allowed[s] = g.allowed[s][:0]
		for _, f := range live {
			g.allowed[s] = append(g.allowed[s], int(f))
		}
		g.sibling = s
		g.config.Pool.Do((len(live)+featureChunk-1)/featureChunk, (*directTask)(g))
		g.choose(s, l)
		if g.config.Verify || invariant.Enabled {
			if err := g.verifyDirect(at, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// directTask searches a chunk of the features of one sibling.
type directTask Grower

func (t *directTask) Run(worker, chunk int) {
	g := (*Grower)(t)
	features := g.allowed[g.sibling]
	lo := chunk * featureChunk
	for _, f := range features[lo:min(lo+featureChunk, len(features))] {
		c := &g.candidates[g.sibling][f]
		*c = candidate{}
		g.searchFeature(worker, &g.leaves[g.siblings[g.sibling]], f, nil, c)
	}
}

// verifyDirect is verify for a leaf without a histogram: the leaf's rows add up to its
// total, and those of its best feature, code by code, to the sums that were searched.
func (g *Grower) verifyDirect(at int, l *leaf) error {
	if err := g.verifyRows(at, l); err != nil || !l.best.found {
		return err
	}
	f := l.best.feature
	grad, hess := g.slots(0, l, f)
	left := make([]sums, len(grad))
	for code := range left {
		left[code] = sums{grad: grad[code], hess: hess[code]}
	}
	grad16, hess16 := g.storage.Codes16()
	grad32, hess32 := g.storage.Codes32()
	for _, run := range g.rows.runs(at) {
		lo, hi := parallel.Block(run.Block, g.rows.rows, hist.BlockRows)
		c := g.config.Matrix.Block(f, lo, hi, run.Entries, &g.rows.codes[0])
		for _, e := range run.Entries {
			row := int(hist.Row(e))
			s := &left[c.At(row)]
			if g.storage.Mode() == gradients.I16 {
				s.grad -= int64(grad16[lo+row])
				s.hess -= uint64(hess16[lo+row])
			} else {
				s.grad -= int64(grad32[lo+row])
				s.hess -= uint64(hess32[lo+row])
			}
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
