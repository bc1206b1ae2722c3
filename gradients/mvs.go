package gradients

import (
	"math"

	"boost/internal/comm"
	"boost/internal/kernel/mix"
	"boost/internal/kernel/quantize"
	"boost/internal/kernel/sample"
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
//
// Sums are of whole numbers of a unit, so that they do not depend on the order of rows: see unitOf.
type Mvs struct {
	fraction, lambda float64
	rows             int
	pool             *parallel.Pool

	bag    *Bag
	buffer *Buffer
	size   []float32 // by row
	pieces []mvsTotals
	phase  mvsPhase
	up     [2]float64 // what is summed is multiplied by it: gradients and hessians, or sizes
	ratio  float64    // lambda of this round
	mu     float64
	cut    uint32 // bits of the least float32 that is not below mu
	key    uint64
}

// mvsTotals are sums over rows, or what is largest of them.
type mvsTotals struct {
	largest [2]uint32 // bits of the largest magnitude of gradients and hessians, or of the largest size
	sums    [2]int64  // of magnitudes, or of the sizes below mu
	above   int       // rows of the others, which are kept for certain
}

type mvsPhase uint8

const (
	mvsLargest mvsPhase = iota // finds the largest gradient and hessian
	mvsMeans                   // sums gradients and hessians up
	mvsSizes                   // finds the sizes, and the largest of them
	mvsRest                    // sums those below mu up
)

// NewMvs returns a Mvs that is expected to keep the share fraction of the rows, above 0 and
// at most 1. lambda is 0 or more, or AutoLambda.
func NewMvs(rows int, fraction, lambda float64, pool *parallel.Pool) *Mvs {
	return &Mvs{
		fraction: fraction, lambda: lambda, rows: rows, pool: pool,
		size: make([]float32, rows), pieces: make([]mvsTotals, parallel.Blocks(rows, pieceRows)),
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
	m.key = bag.keyOf(seed, rng.MvsRows, round)
	bag.fill(m.pool, m)
	m.bag, m.buffer = nil, nil
}

func (m *Mvs) run(phase mvsPhase) (all mvsTotals) {
	m.phase = phase
	m.pool.Do(len(m.pieces), m)
	for i := range m.pieces {
		b := &m.pieces[i]
		for j := range all.sums {
			all.largest[j] = max(all.largest[j], b.largest[j])
			all.sums[j] += b.sums[j]
		}
		all.above += b.above
	}
	switch phase {
	case mvsLargest, mvsSizes:
		comm.Max(m.bag.Ranks, &all.largest[0], &all.largest[1])
	case mvsMeans, mvsRest:
		comm.Add(m.bag.Ranks, &all.sums[0], &all.sums[1])
		comm.Add(m.bag.Ranks, &all.above)
	}
	return all
}

// unitOf returns a power of 2 of which the largest magnitude, given by its bits, is less than 2³¹, and what values are multiplied by
// to be whole numbers of it: 2³² of them do not overflow.
func unitOf(largest uint32) (unit, up float64) {
	_, exponent := math.Frexp(float64(math.Float32frombits(min(largest, math.Float32bits(math.MaxFloat32)))))
	return math.Ldexp(1, exponent-31), math.Ldexp(1, 31-exponent)
}

// meanRatio returns (Σ|gradient| / Σ|hessian|)².
func (m *Mvs) meanRatio() float64 {
	largest := m.run(mvsLargest).largest
	var unit [2]float64
	for i := range unit {
		unit[i], m.up[i] = unitOf(largest[i])
	}
	sums := m.run(mvsMeans).sums
	if sums[1] <= 0 {
		return 0 // lambda·hessian² is 0 whatever lambda is
	}
	ratio := float64(float64(sums[0])*unit[0]) / float64(float64(sums[1])*unit[1])
	return min(ratio*ratio, math.MaxFloat64)
}

// findMu solves Σ min(1, s/μ) = fraction·rows by Newton's method in 1/μ. As a function of
// 1/μ the sum is concave and consists of straight pieces, so that from the left, where
// nothing is kept for certain, each step stays on the left, and the piece that holds the
// solution is met in a few steps. The last step is the solution itself.
func (m *Mvs) findMu() {
	want := float64(m.fraction * float64(m.bag.Ranks.Rows(m.rows)))
	largest := m.run(mvsSizes).largest[0]
	m.cut = math.MaxUint32 >> 1
	below, above := m.sumBelow(largest).sums[0], 0
	for {
		unit, _ := unitOf(min(largest, m.cut))
		m.mu = float64(float64(below)*unit) / (want - float64(above))
		least := float32(m.mu)
		if float64(least) < m.mu {
			least = math.Nextafter32(least, float32(math.Inf(1)))
		}
		m.cut = math.Float32bits(least)
		sum := m.sumBelow(largest)
		if sum.above <= above || float64(sum.above) >= want {
			return
		}
		below, above = sum.sums[0], sum.above
	}
}

// sumBelow sums the sizes below the cut up, in units of the least of the cut and the largest size.
func (m *Mvs) sumBelow(largest uint32) mvsTotals {
	_, m.up[0] = unitOf(min(largest, m.cut))
	return m.run(mvsRest)
}

// Run does the current phase for one piece; it makes the Mvs a parallel.Task.
func (m *Mvs) Run(_, index int) {
	lo, hi := parallel.Block(index, m.rows, pieceRows)
	totals := &m.pieces[index]
	*totals = mvsTotals{}
	switch size := m.size[lo:hi]; m.phase {
	case mvsLargest:
		for k := range m.buffer.Outputs {
			grad, hess := m.buffer.Output(k)
			totals.largest[0] = max(totals.largest[0], largest(grad[lo:hi]))
			totals.largest[1] = max(totals.largest[1], largest(hess[lo:hi]))
		}
	case mvsMeans:
		for k := range m.buffer.Outputs {
			grad, hess := m.buffer.Output(k)
			totals.sums[0] += sample.SumMagnitudes(grad[lo:hi], m.up[0])
			totals.sums[1] += sample.SumMagnitudes(hess[lo:hi], m.up[1])
		}
	case mvsSizes:
		totals.largest[0] = m.measure(lo, size)
	case mvsRest:
		totals.sums[0], totals.above = sample.SumBelow(size, m.cut, m.up[0])
	}
}

// largest returns the bits of the largest magnitude, 0 for no values.
func largest(values []float32) uint32 { return quantize.Scan(values, values).MaxGrad }

// measure writes the sizes of rows from lo on, and returns the bits of the largest.
func (m *Mvs) measure(lo int, size []float32) (most uint32) {
	var tile [drawTile]float64
	for at := 0; at < len(size); at += drawTile {
		part := size[at:min(at+drawTile, len(size))]
		squares := tile[:len(part)]
		clear(squares)
		for k := range m.buffer.Outputs {
			grad, hess := m.buffer.Output(k)
			first := lo + at
			sample.AddSquares(squares, grad[first:first+len(part)], hess[first:first+len(part)], m.ratio)
		}
		most = max(most, sample.Roots(part, squares))
	}
	return most
}

// take takes the rows of a piece that are drawn and divides them by their
// probabilities. A row is kept if (1-u)·μ ≤ s for its draw u of [0, 1): for certain from
// s = μ on, and never where s is so small that the weight would pass 2⁵³.
func (m *Mvs) take(p piece, in []uint16) (n int) {
	var draws [drawTile]uint64
	var weights [drawTile]float32
	for at := p.lo; at < p.hi; at += drawTile {
		part := m.size[at:min(at+drawTile, p.hi)]
		draws, weights := draws[:len(part)], weights[:len(part)]
		mix.Draws(draws, m.key, at)
		n += sample.Keep(in[n:], weights, draws, part, p.inBlock(at), m.mu)
		if m.mu == 0 {
			continue
		}
		m.buffer.weighRows(at, weights)
	}
	return n
}
