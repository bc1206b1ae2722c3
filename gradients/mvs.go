package gradients

import (
	"math"

	"boost/internal/kernel/hist"
	"boost/internal/rng"
	"boost/parallel"
)

// AutoLambda as Mvs's lambda stands for the squared ratio of a round's mean |gradient| to
// its mean hessian: with it what is sampled does not depend on the label's unit.
const AutoLambda = -1

// Mvs samples rows so that sums over them vary least (minimal variance sampling, Ibragimov
// & Gusev 2019, §3): a row of size s = √Σ(gradient² + lambda·hessian²), summed over the
// outputs, is kept with the probability min(1, s/μ), and what is kept is divided by its
// probability. μ is such that these add up to the wanted share of the rows. It costs 4 bytes
// per row.
type Mvs struct {
	fraction, lambda float64
	rows             int
	pool             *parallel.Pool

	bag    *Bag
	buffer *Buffer
	size   []float32   // by row
	blocks []mvsTotals // by block, so that sums do not depend on who takes them
	phase  mvsPhase
	ratio  float64 // lambda of this round
	mu     float64
	cut    uint32 // bits of the least float32 that is not below mu
	key    uint64
}

type mvsTotals struct {
	grad, hess float64 // sums of magnitudes
	below      float64 // sum of the sizes below mu
	above      int     // rows of the others, which are kept for certain
}

type mvsPhase uint8

const (
	mvsMeans mvsPhase = iota // sums gradients and hessians up
	mvsSizes                 // finds the sizes and sums them up
	mvsRest                  // sums those below mu up
	mvsKeep                  // fills the bag and weighs the rows
)

// NewMvs returns a Mvs that is expected to keep the share fraction of the rows, above 0 and
// at most 1. lambda is 0 or more, or AutoLambda.
func NewMvs(rows int, fraction, lambda float64, pool *parallel.Pool) *Mvs {
	return &Mvs{
		fraction: fraction, lambda: lambda, rows: rows, pool: pool,
		size: make([]float32, rows), blocks: make([]mvsTotals, parallel.Blocks(rows, hist.BlockRows)),
	}
}

// Sample refills the bag with the rows of a round and weighs their gradients and hessians
// in the buffer. Values that are not finite count as the largest. If all sizes are 0, all
// rows are kept.
func (m *Mvs) Sample(bag *Bag, buffer *Buffer, seed uint64, round int) {
	m.bag, m.buffer = bag, buffer
	m.ratio = m.lambda
	if m.lambda == AutoLambda {
		m.ratio = m.meanRatio()
	}
	m.findMu()
	m.key = rng.Key(seed, rng.MvsRows, uint64(round), 0)
	m.run(mvsKeep)
	m.bag, m.buffer = nil, nil
}

func (m *Mvs) run(phase mvsPhase) (sum mvsTotals) {
	m.phase = phase
	m.pool.Do(len(m.blocks), m)
	for _, b := range m.blocks {
		sum.grad += b.grad
		sum.hess += b.hess
		sum.below += b.below
		sum.above += b.above
	}
	return sum
}

// meanRatio returns (Σ|gradient| / Σ|hessian|)².
func (m *Mvs) meanRatio() float64 {
	sum := m.run(mvsMeans)
	if !(sum.hess > 0) {
		return 0 // lambda·hessian² is 0 whatever lambda is
	}
	ratio := sum.grad / sum.hess
	return min(ratio*ratio, math.MaxFloat64)
}

// findMu solves Σ min(1, s/μ) = fraction·rows by Newton's method in 1/μ. As a function of
// 1/μ the sum is concave and consists of straight pieces, so that from the left, where
// nothing is kept for certain, each step stays on the left, and the piece that holds the
// solution is met in a few steps. The last step is the solution itself.
func (m *Mvs) findMu() {
	want := float64(m.fraction * float64(m.rows))
	below, above := m.run(mvsSizes).below, 0
	for {
		m.mu = below / (want - float64(above))
		least := float32(m.mu)
		if float64(least) < m.mu {
			least = math.Nextafter32(least, float32(math.Inf(1)))
		}
		m.cut = math.Float32bits(least)
		sum := m.run(mvsRest)
		if sum.above <= above || float64(sum.above) >= want {
			return
		}
		below, above = sum.below, sum.above
	}
}

// Run does the current phase for one block; it makes the Mvs a parallel.Task.
func (m *Mvs) Run(_, block int) {
	lo, hi := parallel.Block(block, m.rows, hist.BlockRows)
	totals := &m.blocks[block]
	switch size := m.size[lo:hi]; m.phase {
	case mvsMeans:
		totals.grad, totals.hess = 0, 0
		for k := range m.buffer.Outputs {
			grad, hess := m.buffer.Output(k)
			totals.grad += sumOfMagnitudes(grad[lo:hi])
			totals.hess += sumOfMagnitudes(hess[lo:hi])
		}
	case mvsSizes:
		m.measure(lo, size)
		totals.below, totals.above = sumBelow(size, math.MaxUint32>>1)
	case mvsRest:
		totals.below, totals.above = sumBelow(size, m.cut)
	case mvsKeep:
		m.keep(block, lo, size)
	}
}

// measure writes the sizes of rows from lo on.
func (m *Mvs) measure(lo int, size []float32) {
	if m.buffer.Outputs == 1 {
		grad, hess := m.buffer.Grad[lo:lo+len(size)], m.buffer.Hess[lo:lo+len(size)]
		for i, v := range grad {
			size[i] = sizeOf(m.squares(v, hess[i]))
		}
		return
	}
	for i := range size {
		sum := 0.0
		for k := range m.buffer.Outputs {
			at := k*m.rows + lo + i
			sum += m.squares(m.buffer.Grad[at], m.buffer.Hess[at])
		}
		size[i] = sizeOf(sum)
	}
}

func (m *Mvs) squares(grad, hess float32) float64 {
	g, h := float64(grad), float64(hess)
	return float64(g*g) + float64(m.ratio*float64(h*h))
}

func sizeOf(squares float64) float32 {
	if s := float32(math.Sqrt(squares)); s <= math.MaxFloat32 {
		return s
	}
	return math.MaxFloat32 // of infinity and of what is not a number too
}

// sumOfMagnitudes adds up over four sums, in a fixed order: one alone would wait for itself.
func sumOfMagnitudes(values []float32) float64 {
	var a, b, c, d float64
	for ; len(values) >= 4; values = values[4:] {
		v := values[:4:4]
		a += magnitude(v[0])
		b += magnitude(v[1])
		c += magnitude(v[2])
		d += magnitude(v[3])
	}
	for _, v := range values {
		a += magnitude(v)
	}
	return a + b + (c + d)
}

func magnitude(v float32) float64 {
	return float64(math.Float32frombits(math.Float32bits(v) &^ (1 << 31)))
}

// sumBelow sums the sizes up whose bits are below cut, and counts the others. Sizes are not
// negative, so that their bits order like them, and the difference of two fits 32 bits: its
// sign is all ones where a size is below. There is no branch to be guessed wrong.
func sumBelow(size []float32, cut uint32) (sum float64, others int) {
	var a, b, c, d float64
	below := 0
	all := len(size)
	for ; len(size) >= 4; size = size[4:] {
		s := size[:4:4]
		m0, m1, m2, m3 := mask(s[0], cut), mask(s[1], cut), mask(s[2], cut), mask(s[3], cut)
		a += masked(s[0], m0)
		b += masked(s[1], m1)
		c += masked(s[2], m2)
		d += masked(s[3], m3)
		below += int(m0&1 + m1&1 + m2&1 + m3&1)
	}
	for _, s := range size {
		m := mask(s, cut)
		a += masked(s, m)
		below += int(m & 1)
	}
	return a + b + (c + d), all - below
}

func mask(s float32, cut uint32) uint32 {
	return uint32(int32(math.Float32bits(s)-cut) >> 31)
}

func masked(s float32, mask uint32) float64 {
	return float64(math.Float32frombits(math.Float32bits(s) & mask))
}

// keep puts the rows of a block that are drawn into the bag and divides them by their
// probabilities. A row is kept if (1-u)·μ ≤ s for its draw u of [0, 1): for certain from
// s = μ on, and never where s is so small that the weight would pass 2⁵³.
func (m *Mvs) keep(block, lo int, size []float32) {
	in := m.bag.blocks[block]
	in = in[:cap(in)]
	n := 0
	step := m.mu / (1 << 53) // what a draw's last bit is worth
	for i, s := range size {
		in[n] = uint16(i)
		if float64(int64(1<<53-rng.Draw(m.key, uint64(lo+i))>>11))*step <= float64(s) {
			n++
		}
	}
	in = in[:n]
	m.bag.blocks[block] = in
	if m.mu == 0 {
		return
	}
	for k := range m.buffer.Outputs {
		grad, hess := m.buffer.Output(k)
		grad, hess = grad[lo:lo+len(size)], hess[lo:lo+len(size)]
		for _, i := range in {
			weight := float32(max(m.mu/float64(size[i]), 1))
			grad[i] *= weight
			hess[i] *= weight
		}
	}
}
