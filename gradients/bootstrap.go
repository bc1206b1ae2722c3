package gradients

import (
	"math"

	"boost/internal/comm"
	"boost/internal/detmath"
	"boost/internal/kernel/loss"
	"boost/internal/kernel/mix"
	"boost/internal/rng"
	"boost/parallel"
)

// Bootstrap samples rows by chances that differ, in groups, or with replacement. A row that is drawn more than once has
// its gradients and hessians multiplied by how often.
type Bootstrap struct {
	limits [][]uint64 // by class: what the 53 bits of a draw are below for a row that is drawn once, twice, …
	class  []float64  // by row; nil for one class of all rows
	groups []uint32   // by row: the number of those that are drawn together; nil for rows by themselves

	rows   int
	buffer *Buffer
	key    uint64
}

// BootstrapSettings are how a Bootstrap samples.
type BootstrapSettings struct {
	Shares  []float64 // by class: the share of the rows, (0, 1]
	Class   []float64 // by row: index into Shares; nil for 0
	Groups  []uint32  // by row: rows with the same number are drawn together; nil for each by itself
	Replace bool      // with replacement: the number of times is Poisson distributed, its mean is the share
}

// NewBootstrap returns a Bootstrap of so many rows. It keeps Class and Groups.
func NewBootstrap(rows int, s BootstrapSettings) *Bootstrap {
	b := &Bootstrap{rows: rows, class: s.Class, groups: s.Groups}
	for _, share := range s.Shares {
		limits := []uint64{limit(share)}
		if s.Replace {
			limits = poissonLimits(share)
		}
		b.limits = append(b.limits, limits)
	}
	return b
}

// Keep makes the Bootstrap one of the rows lo … hi-1 only.
func (b *Bootstrap) Keep(lo, hi int) {
	b.rows = hi - lo
	if b.class != nil {
		b.class = b.class[lo:hi]
	}
	if b.groups != nil {
		b.groups = b.groups[lo:hi]
	}
}

// limit returns what 53 random bits are below with a probability.
func limit(probability float64) uint64 { return uint64(math.Round(probability * (1 << 53))) }

// poissonLimits returns the limits of at least once, twice, …, down to what no draw is below. The mean is at most 1, so that
// chances fall, and are summed from the smallest.
func poissonLimits(mean float64) []uint64 {
	var chances []float64 // of once, twice, …
	for chance, times := float64(mean*detmath.Exp(-mean)), 2.0; limit(chance) > 0; times++ {
		chances = append(chances, chance)
		chance = float64(chance*mean) / times
	}
	limits := make([]uint64, len(chances))
	sum := 0.0
	for i := len(chances) - 1; i >= 0; i-- {
		sum += chances[i]
		limits[i] = limit(sum)
	}
	return limits
}

// Weighs reports whether Sample multiplies gradients.
func (b *Bootstrap) Weighs() bool {
	for _, limits := range b.limits {
		if len(limits) > 1 {
			return true
		}
	}
	return false
}

// Sample refills the bag, and weighs the gradients of rows that are in it more than once.
func (b *Bootstrap) Sample(pool *parallel.Pool, bag *Bag, buffer *Buffer, seed uint64, iteration int) {
	b.buffer, b.key = buffer, bag.keyOf(seed, rng.RowSample, iteration)
	if b.groups != nil { // numbered alike at all ranks
		b.key = rng.Key(seed, rng.RowSample, uint64(iteration), 0)
	}
	bag.fill(pool, b)
	b.buffer = nil
}

// take takes the rows of a piece that are drawn.
func (b *Bootstrap) take(p piece, in []uint16) (n int) {
	for row := p.lo; row < p.hi; row++ {
		limits, unit := b.limits[0], uint64(row)
		if b.class != nil {
			limits = b.limits[int(b.class[row])]
		}
		if b.groups != nil {
			unit = uint64(b.groups[row])
		}
		draw, times := rng.Draw(b.key, unit)>>11, 0
		for times < len(limits) && draw < limits[times] {
			times++
		}
		if times == 0 {
			continue
		}
		in[n] = uint16(p.inBlock(row))
		n++
		if times > 1 {
			b.buffer.weigh(row, b.rows, float32(times))
		}
	}
	return n
}

// weigh multiplies the gradients and hessians of one of so many rows.
func (b *Buffer) weigh(row, rows int, weight float32) {
	for at := row; at < len(b.Grad); at += rows {
		b.Grad[at] *= weight
		b.Hess[at] *= weight
	}
}

// WeighBayesian multiplies the gradients and hessians of every row by (-log u)^temperature, u being its draw from (0, 1): the
// Bayesian bootstrap, where the temperature is 1. ranks may be nil.
func WeighBayesian(pool *parallel.Pool, buffer *Buffer, temperature float64, ranks *comm.Ranks, seed uint64, iteration int) {
	n := len(buffer.Grad) / buffer.Outputs
	key := rng.From(rng.Key(seed, rng.RowSample, uint64(iteration), 0), uint64(ranks.First()))
	pool.Do(parallel.Blocks(n, pieceRows), parallel.Func(func(_, block int) {
		lo, hi := parallel.Block(block, n, pieceRows)
		var tile [drawTile]uint64
		var from, to [drawTile]float64
		for first := lo; first < hi; first += drawTile {
			k := min(drawTile, hi-first)
			draws, u, weights := tile[:k], from[:k], to[:k]
			mix.Draws(draws, key, first)
			for i, draw := range draws {
				u[i] = (float64(int64(draw>>12)) + 0.5) / (1 << 52)
			}
			loss.Log(weights, u)
			for i, log := range weights {
				weights[i] = -log
			}
			if temperature != 1 {
				loss.Log(u, weights)
				for i := range u {
					u[i] *= temperature
				}
				loss.Exp(weights, u)
			}
			for i, w := range weights {
				weights[i] = float64(float32(w))
			}
			for at := first; at < len(buffer.Grad); at += n {
				loss.Weigh(buffer.Grad[at:][:k], buffer.Hess[at:][:k], weights)
			}
		}
	}))
}
