package gradients

import (
	"math"

	"boost/internal/kernel/mix"
	"boost/internal/rng"
	"boost/parallel"
)

// Goss samples rows one-sidedly by gradient (Ke et al. 2017): the rows of the largest
// |gradient·hessian|, summed over the outputs, are kept; of the others a share is drawn,
// whose gradients and hessians are multiplied by what makes their sums right. It costs 4
// bytes per row, and 256 KiB per worker.
type Goss struct {
	top, other float64 // shares of all rows
	rows       int
	pool       *parallel.Pool

	bag    *Bag
	buffer *Buffer
	size   []uint32   // by row: bits of the |gradient·hessian|
	counts [][]uint32 // per worker: rows by half of their bits
	phase  gossPhase
	prefix uint32 // upper half of the bits of the last row of the top
	cut    uint32 // bits of the last row of the top
	equal  []int  // per piece: rows of the top whose bits are cut
	key    uint64
	limit  uint64  // of the draw of a kept row
	weight float32 // of kept rows outside the top
}

type gossPhase uint8

const (
	gossSize  gossPhase = iota // finds the sizes and counts them by their upper half
	gossLower                  // counts by the lower half those that share the cut's upper one
	gossTies                   // counts the rows at the cut
)

// NewGoss returns a Goss that keeps the share top of the rows and draws the share other,
// both of all rows: above 0, together at most 1.
func NewGoss(rows int, top, other float64, pool *parallel.Pool) *Goss {
	g := &Goss{
		top: top, other: other, rows: rows, pool: pool,
		size: make([]uint32, rows), counts: make([][]uint32, pool.Threads()), equal: make([]int, parallel.Blocks(rows, pieceRows)),
	}
	for w := range g.counts {
		g.counts[w] = make([]uint32, 1<<16)
	}
	return g
}

// Sample refills the bag with the rows of a round and weighs their gradients and hessians
// in the buffer. Of equal rows at the edge of the top the lower ones are in it. Values
// that are not finite count as the largest.
func (g *Goss) Sample(bag *Bag, buffer *Buffer, seed uint64, round int) {
	g.bag, g.buffer = bag, buffer
	rows := bag.Ranks.Rows(g.rows)
	top := min(max(int(float64(rows)*g.top), 1), rows)
	left := top
	g.clear()
	g.run(gossSize)
	g.prefix, left = g.atFromTop(left)
	g.clear()
	g.run(gossLower)
	lower, left := g.atFromTop(left)
	g.cut = g.prefix<<16 | lower
	g.run(gossTies)
	left -= g.before()
	for i, n := range g.equal {
		g.equal[i] = min(n, max(left, 0))
		left -= g.equal[i]
	}
	share := min(g.other*float64(rows)/float64(max(rows-top, 1)), 1)
	g.key = bag.keyOf(seed, rng.GossRows, round)
	g.limit = uint64(math.Round(share * (1 << 53)))
	g.weight = float32(1 / share)
	bag.fill(g.pool, g)
	g.bag, g.buffer = nil, nil
}

func (g *Goss) clear() {
	for _, counts := range g.counts {
		clear(counts)
	}
}

func (g *Goss) run(phase gossPhase) {
	g.phase = phase
	g.pool.Do(len(g.equal), g)
}

// atFromTop returns the half that the n-th largest row has, and how many rows of the top
// have just that half.
func (g *Goss) atFromTop(n int) (half uint32, left int) {
	all := g.counts[0]
	for _, counts := range g.counts[1:] {
		for half, n := range counts {
			all[half] += n
		}
	}
	g.bag.Ranks.Sum32(all)
	for half := 1<<16 - 1; ; half-- {
		count := int(all[half])
		if n <= count || half == 0 {
			return uint32(half), n
		}
		n -= count
	}
}

// before returns how many rows at the cut the ranks before this one have.
func (g *Goss) before() (rows int) {
	if !g.bag.Ranks.Shared() {
		return 0
	}
	own := 0
	for _, n := range g.equal {
		own += n
	}
	return g.bag.Ranks.Before(own)
}

// Run does the current phase for one piece; it makes the Goss a parallel.Task.
func (g *Goss) Run(worker, index int) {
	lo, hi := parallel.Block(index, g.rows, pieceRows)
	size, counts := g.size[lo:hi], g.counts[worker]
	switch g.phase {
	case gossSize:
		g.measure(lo, hi)
		for _, s := range size {
			counts[s>>16]++
		}
	case gossLower:
		for _, s := range size {
			if s>>16 == g.prefix {
				counts[s&0xffff]++
			}
		}
	case gossTies:
		n := 0
		for _, s := range size {
			if s == g.cut {
				n++
			}
		}
		g.equal[index] = n
	}
}

// measure writes the sizes of rows as bits, which order like the numbers.
func (g *Goss) measure(lo, hi int) {
	size := g.size[lo:hi]
	if g.buffer.Outputs == 1 {
		grad, hess := g.buffer.Grad[lo:hi], g.buffer.Hess[lo:hi]
		for i, v := range grad {
			size[i] = math.Float32bits(v*hess[i]) &^ (1 << 31)
		}
		return
	}
	for i := range size {
		sum := 0.0
		for k := range g.buffer.Outputs {
			at := k*g.rows + lo + i
			sum += math.Abs(float64(g.buffer.Grad[at]) * float64(g.buffer.Hess[at]))
		}
		size[i] = math.Float32bits(float32(sum)) &^ (1 << 31)
	}
}

// take takes a piece's rows of the top and those that are drawn. Which they are cannot be guessed, so there is no branch on it.
func (g *Goss) take(p piece, in []uint16) (n int) {
	atCut, byDraw := g.equal[p.index], [2]float32{1, g.weight}
	var draws [drawTile]uint64
	var weights [drawTile]float32
	for at := p.lo; at < p.hi; at += drawTile {
		part := g.size[at:min(at+drawTile, p.hi)]
		draws, weights := draws[:len(part)], weights[:len(part)]
		mix.Draws(draws, g.key, at)
		for i, s := range part {
			top, drawn := 0, 0
			if s > g.cut {
				top = 1
			}
			if draws[i]>>11 < g.limit {
				drawn = 1
			}
			if s == g.cut && atCut > 0 {
				atCut--
				top = 1
			}
			in[n] = uint16(p.inBlock(at) + i)
			n += top | drawn
			weights[i] = byDraw[drawn&^top]
		}
		g.buffer.weighRows(at, weights)
	}
	return n
}
