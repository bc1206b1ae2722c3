package parts_test

import (
	"boost/binning"
	"boost/histogram"
	"boost/internal/kernel/hist"
	"boost/parallel"
)

// narrow builds histograms of float32 gradients with float32 sums, the variant that the
// trainer does not have because it loses low bits: the baseline is whichever of both is
// faster. It goes by columns, four at a time, as the builders do.
type narrow struct {
	matrix     *binning.Matrix
	grad, hess []float32
	sums       [][4][256]pair // by worker
	histogram  []pair
	runs       []histogram.Run
}

type pair struct{ grad, hess float32 }

func newNarrow(m *binning.Matrix, grad, hess []float32, pool *parallel.Pool) *narrow {
	return &narrow{
		matrix: m, grad: grad, hess: hess, sums: make([][4][256]pair, pool.Threads()),
		histogram: make([]pair, m.Offsets()[m.NFeatures()]),
	}
}

func (n *narrow) build(pool *parallel.Pool, runs []histogram.Run) {
	n.runs = runs
	clear(n.histogram)
	pool.Do((n.matrix.NFeatures()+3)/4, n)
}

// Run builds four features; it makes the narrow a parallel.Task.
func (n *narrow) Run(worker, group int) {
	s := &n.sums[worker]
	*s = [4][256]pair{}
	first := 4 * group
	last := min(first+3, n.matrix.NFeatures()-1)
	var columns [4][]uint8
	for i := range columns {
		columns[i] = n.matrix.Column(min(first+i, last)).U8()
	}
	for _, run := range n.runs {
		if len(run.Entries) == 0 {
			continue
		}
		lo, hi := run.First, min(run.First+hist.BlockRows, n.matrix.NRows())
		c0, grad := columns[0][lo:hi], n.grad[lo:hi]
		c1, c2, c3, hess := columns[1][lo:hi][:len(c0)], columns[2][lo:hi][:len(c0)], columns[3][lo:hi][:len(c0)], n.hess[lo:hi][:len(c0)]
		grad = grad[:len(c0)]
		for _, e := range run.Entries {
			row := int(hist.Row(e))
			c, g, h := c0[row], grad[row], hess[row]
			s[0][c].grad += g
			s[0][c].hess += h
			c = c1[row]
			s[1][c].grad += g
			s[1][c].hess += h
			c = c2[row]
			s[2][c].grad += g
			s[2][c].hess += h
			c = c3[row]
			s[3][c].grad += g
			s[3][c].hess += h
		}
	}
	offsets := n.matrix.Offsets()
	for f := first; f <= last; f++ {
		copy(n.histogram[offsets[f]:offsets[f+1]], s[f-first][:])
	}
}
