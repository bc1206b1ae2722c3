package gradients

import (
	"math"
	"slices"

	"boost/internal/comm"
	"boost/internal/kernel/hist"
	"boost/internal/kernel/mix"
	"boost/internal/rng"
	"boost/parallel"
)

// Bag is the set of rows that a round's trees are grown on, as ascending row
// numbers inside blocks of hist.BlockRows rows. A nil *Bag means all rows.
type Bag struct {
	Ranks  *comm.Ranks // where other rows are; nil for none
	blocks [][]uint16
	rows   int
	key    uint64
	limit  uint64
}

// NewBag returns a Bag that can hold any subset of the rows; it is empty until
// Sample is called. It costs 2 bytes per row.
func NewBag(rows int) *Bag {
	b := &Bag{blocks: make([][]uint16, parallel.Blocks(rows, hist.BlockRows)), rows: rows}
	for i := range b.blocks {
		lo, hi := parallel.Block(i, rows, hist.BlockRows)
		b.blocks[i] = make([]uint16, 0, hi-lo)
	}
	return b
}

// Sample refills the bag: each row is in it with the given probability, decided by
// the row's own draw, so that neither threads nor blocks matter.
func (b *Bag) Sample(pool *parallel.Pool, seed uint64, iteration int, fraction float64) {
	b.key = b.keyOf(seed, rng.RowSample, iteration)
	b.limit = uint64(math.Round(fraction * (1 << 53)))
	pool.Do(len(b.blocks), b)
}

// Run refills one block; it makes the Bag a parallel.Task.
func (b *Bag) Run(_, block int) {
	lo, hi := parallel.Block(block, b.rows, hist.BlockRows)
	in, n := b.blocks[block][:hi-lo], 0
	var tile [drawTile]uint64
	for first := lo; first < hi; first += drawTile {
		draws := tile[:min(drawTile, hi-first)]
		mix.Draws(draws, b.key, first)
		for i, draw := range draws {
			in[n] = uint16(first - lo + i)
			if draw>>11 < b.limit {
				n++
			}
		}
	}
	b.blocks[block] = in[:n]
}

// drawTile is the number of rows whose draws are found together.
const drawTile = 256

// keyOf returns the key of the draws of the rows in a round or iteration.
func (b *Bag) keyOf(seed uint64, purpose rng.Purpose, iteration int) uint64 {
	return rng.From(rng.Key(seed, purpose, uint64(iteration), 0), uint64(b.Ranks.First()))
}

// Block returns the rows of one block that are in the bag.
func (b *Bag) Block(i int) []uint16 { return b.blocks[i] }

// Len returns the number of rows in the bag.
func (b *Bag) Len() int {
	n := 0
	for _, rows := range b.blocks {
		n += len(rows)
	}
	return n
}

// Outside appends the rows of the table that are not in the bag to dst, ascending.
func (b *Bag) Outside(dst []uint32) []uint32 {
	var inside [hist.BlockRows]uint8
	for i, in := range b.blocks {
		lo, hi := parallel.Block(i, b.rows, hist.BlockRows)
		clear(inside[:])
		for _, row := range in {
			inside[int(row)%hist.BlockRows] = 1
		}
		// Each row is written, and kept if it is not inside: there is no branch to be guessed wrong.
		dst = slices.Grow(dst, hi-lo)
		rows, n := dst[len(dst):][:hi-lo], 0
		for row, is := range inside[:hi-lo] {
			rows[n] = uint32(lo + row)
			n += 1 - int(is)
		}
		dst = dst[:len(dst)+n]
	}
	return dst
}
