package grow

import (
	"errors"
	"fmt"

	"boost/gradients"
	"boost/internal/kernel/hist"
	"boost/parallel"
)

// ErrInvariant is wrapped by the error of a Grow with Config.Verify whose sums do
// not agree: a defect of this program or of the machine.
var ErrInvariant = errors.New("histogram invariant broken")

// verify checks SEEDS S2.26 for the current siblings: the slots of every active
// feature add up to the leaf's total, and so do the codes of the leaf's rows. Float
// sums differ by rounding and are checked by their counts.
func (g *Grower) verify() error {
	for s := range g.nSiblings {
		at := g.siblings[s]
		l := &g.leaves[at]
		if err := g.verifyRows(at, l); err != nil {
			return err
		}
		for _, f := range g.active {
			if err := g.verifyFeature(at, l, f); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *Grower) verifyRows(at int, l *leaf) error {
	if n := g.rows.count(at); n != l.rows {
		return fmt.Errorf("%w: leaf %d holds %d rows, its split counted %d", ErrInvariant, at, n, l.rows)
	}
	if g.storage.Mode() == gradients.F32 {
		return nil
	}
	var total sums
	for _, run := range g.rows.runs(at) {
		lo, _ := parallel.Block(run.Block, g.rows.rows, hist.BlockRows)
		for _, e := range run.Entries {
			grad, hess := g.storage.Code(lo + int(hist.Row(e)))
			total.grad += grad
			total.hess += hess
		}
	}
	if g.storage.Counts() {
		total.rows = int64(l.rows)
	}
	if total != l.total {
		return fmt.Errorf("%w: the rows of leaf %d add up to (%d, %d), the leaf's total is (%d, %d)",
			ErrInvariant, at, total.grad, total.hess, l.total.grad, l.total.hess)
	}
	return nil
}

func (g *Grower) verifyFeature(at int, l *leaf, f int) error {
	var total sums
	rows := 0
	for i := g.offsets[f]; i < g.offsets[f+1]; i++ {
		if g.storage.Mode() != gradients.F32 {
			total.grad += l.hist.Grad[i]
			total.hess += l.hist.Hess[i]
		}
		if g.storage.Counts() {
			rows += int(l.hist.Count[i])
		}
	}
	if g.storage.Counts() {
		total.rows = int64(rows)
	}
	if g.storage.Counts() && rows != l.rows {
		return fmt.Errorf("%w: feature %d counts %d rows in leaf %d instead of %d", ErrInvariant, f, rows, at, l.rows)
	}
	if g.storage.Mode() != gradients.F32 && total != l.total {
		return fmt.Errorf("%w: feature %d of leaf %d adds up to (%d, %d), the leaf's total is (%d, %d)",
			ErrInvariant, f, at, total.grad, total.hess, l.total.grad, l.total.hess)
	}
	return nil
}
