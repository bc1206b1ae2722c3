package gradients

import (
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
	taken  []int // rows of each piece
	taker  taker
	rows   int
	key    uint64
	limit  uint64
}

// NewBag returns a Bag that can hold any subset of the rows; it is empty until
// Sample is called. It costs 2 bytes per row.
func NewBag(rows int) *Bag {
	b := &Bag{blocks: make([][]uint16, parallel.Blocks(rows, hist.BlockRows)), taken: make([]int, parallel.Blocks(rows, pieceRows)), rows: rows}
	for i := range b.blocks {
		lo, hi := parallel.Block(i, rows, hist.BlockRows)
		b.blocks[i] = make([]uint16, 0, hi-lo)
	}
	return b
}

// Sample refills the bag: each row is in it with the given probability, decided by
// the row's own draw, so that neither threads nor blocks matter.
func (b *Bag) Sample(pool *parallel.Pool, seed uint64, iteration int, fraction float64) {
	b.key, b.limit = b.keyOf(seed, rng.RowSample, iteration), limit(fraction)
	b.fill(pool, b)
}

// take takes the rows whose draws are below the limit.
func (b *Bag) take(p piece, in []uint16) (n int) {
	var tile [drawTile]uint64
	for first := p.lo; first < p.hi; first += drawTile {
		draws := tile[:min(drawTile, p.hi-first)]
		mix.Draws(draws, b.key, first)
		for i, draw := range draws {
			in[n] = uint16(p.inBlock(first) + i)
			if draw>>11 < b.limit {
				n++
			}
		}
	}
	return n
}

// taker decides which rows are in a bag.
type taker interface {
	// take writes those rows of a piece that are in the bag, as numbers inside their block, to in, which has room for all, and returns
	// how many they are.
	take(p piece, in []uint16) int
}

// piece is rows that are taken at a time, all of one block.
type piece struct{ index, lo, hi int }

// inBlock returns the number of a row inside its block.
func (p piece) inBlock(row int) int { return row - p.lo/hist.BlockRows*hist.BlockRows }

// fill refills the bag, a piece at a time, and then brings the pieces of each block together.
func (b *Bag) fill(pool *parallel.Pool, t taker) {
	b.taker = t
	pool.Do(len(b.taken), (*takeTask)(b))
	pool.Do(len(b.blocks), (*joinTask)(b))
	b.taker = nil
}

// takeTask takes the rows of the pieces, each into its own place.
type takeTask Bag

func (t *takeTask) Run(_, index int) {
	lo, hi := parallel.Block(index, t.rows, pieceRows)
	p := piece{index, lo, hi}
	block := t.blocks[lo/hist.BlockRows]
	t.taken[index] = t.taker.take(p, block[:cap(block)][p.inBlock(lo):p.inBlock(hi-1)+1])
}

// joinTask moves the rows of a block's pieces together.
type joinTask Bag

func (t *joinTask) Run(_, index int) {
	const pieces = hist.BlockRows / pieceRows
	block, n := t.blocks[index][:cap(t.blocks[index])], 0
	for i, taken := range t.taken[index*pieces : min((index+1)*pieces, len(t.taken))] {
		n += copy(block[n:], block[i*pieceRows:][:taken])
	}
	t.blocks[index] = block[:n]
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
