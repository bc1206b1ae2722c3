package grow

import (
	"errors"
	"fmt"
	"math"

	"boost/gradients"
	"boost/internal/detmath"
	"boost/internal/kernel/hist"
	"boost/parallel"
)

// ErrInvariant is wrapped by the error of a Grow with Config.Verify whose sums do
// not agree: a defect of this program or of the machine.
var ErrInvariant = errors.New("histogram invariant broken")

// verifying reports whether sums are checked: the slots of every active feature of a node that
// is searched add up to the node's total (verifyFeatures), and so do the values of the rows of
// every node, of the last leaves too (verifyRows). Sums of codes are equal, sums of floats differ
// by roundings (tolerance).
func (g *Grower) verifying() bool { return g.config.Verify || alwaysVerify }

// verifyFeatures checks the histograms of the nodes that are searched.
func (s *split) verifyFeatures() error {
	for i := range s.searching {
		q := &s.searching[i]
		for _, f := range s.searched() {
			if err := s.verifyFeature(q.at, q.node, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// verifyRows checks the rows of a node.
func (g *Grower) verifyRows(at int) error {
	if g.config.Ranks.Shared() {
		return nil // a leaf's numbers are those of the rows of all ranks
	}
	l := &g.nodes[at]
	if n := g.rows.count(at); n != l.rows {
		return fmt.Errorf("%w: leaf %d holds %d rows, its split counted %d", ErrInvariant, at, n, l.rows)
	}
	if g.storage.Mode() == gradients.F32 {
		if exact := g.exactly(at); !g.near(l, exact) {
			return fmt.Errorf("%w: the rows of leaf %d add up to (%v, %v), the leaf's total is (%v, %v)",
				ErrInvariant, at, exact.gradF, exact.hessF, l.total.gradF, l.total.hessF)
		}
		return nil
	}
	var total sums
	for _, run := range g.rows.runs(at) {
		lo := run.First
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

func (g *Grower) verifyFeature(at int, l *node, f int) error {
	var total sums
	from, to := g.offsets[f], g.offsets[f+1]
	if g.storage.Counts() {
		rows := 0
		for _, n := range l.hist.Count[from:to] {
			rows += int(n)
		}
		if rows != l.rows {
			return fmt.Errorf("%w: feature %d counts %d rows in leaf %d instead of %d", ErrInvariant, f, rows, at, l.rows)
		}
		total.rows = int64(rows)
	}
	if g.storage.Mode() == gradients.F32 {
		var grad, hess detmath.Sum
		for i := from; i < to; i++ {
			grad.Add(l.hist.GradF[i])
			hess.Add(l.hist.HessF[i])
		}
		if exact := (sums{gradF: grad.Round(), hessF: hess.Round()}); !g.near(l, exact) {
			return fmt.Errorf("%w: feature %d of leaf %d adds up to (%v, %v), the leaf's total is (%v, %v)",
				ErrInvariant, f, at, exact.gradF, exact.hessF, l.total.gradF, l.total.hessF)
		}
		return nil
	}
	for i := from; i < to; i++ {
		grad, hess := l.hist.At(int(i))
		total.grad += grad
		total.hess += hess
	}
	if total != l.total {
		return fmt.Errorf("%w: feature %d of leaf %d adds up to (%d, %d), the leaf's total is (%d, %d)",
			ErrInvariant, f, at, total.grad, total.hess, l.total.grad, l.total.hess)
	}
	return nil
}

// exactly returns the sums of a leaf's floats, rounded once, and those of their sizes for the root.
func (g *Grower) exactly(at int) sums {
	grad, hess := g.storage.Floats()
	var gradSum, hessSum, gradSize, hessSize detmath.Sum
	for _, run := range g.rows.runs(at) {
		lo := run.First
		for _, e := range run.Entries {
			row := lo + int(hist.Row(e))
			x, y := float64(grad[row]), float64(hess[row])
			gradSum.Add(x)
			hessSum.Add(y)
			gradSize.Add(math.Abs(x))
			hessSize.Add(math.Abs(y))
		}
	}
	if g.nodes[at].up < 0 {
		g.sizes = sums{gradF: gradSize.Round(), hessF: hessSize.Round()}
	}
	return sums{gradF: gradSum.Round(), hessF: hessSum.Round()}
}

// near reports whether exact sums of floats are a leaf's total up to roundings.
func (g *Grower) near(l *node, exact sums) bool {
	share := g.tolerance(l.depth)
	return math.Abs(exact.gradF-l.total.gradF) <= share*g.sizes.gradF && math.Abs(exact.hessF-l.total.hessF) <= share*g.sizes.hessF
}

// tolerance bounds what roundings may make of the sums of a node of a depth, as a share of the
// sum of |value| over all rows of the root: no sum on the way is larger, so that each operation
// is off by at most 2⁻⁵³ of it.
//
// A slot's value takes part in 4,096 additions of a group and one for each group; sums over
// slots see each row once, so that this many times 2⁻⁵³ bounds the error of a feature's slots
// together. Each level down subtracts one such histogram from another, and takes a total off by
// adding up the slots of a feature, of which the widest has so many codes: after d levels the
// slots are off by (d+1) times the former, the total by the sum of that over the levels, all of
// it less than (d+1)² times the sum of both. Twice that, for the error of the bound itself.
func (g *Grower) tolerance(depth int) float64 {
	const group = 4096
	codes := 0
	for f := range g.config.Features {
		codes = max(codes, int(g.offsets[f+1]-g.offsets[f]))
	}
	levels := float64(depth + 1)
	return levels * levels * float64(group+parallel.Blocks(g.rows.rows, group)+codes+3) * 0x1p-52
}
