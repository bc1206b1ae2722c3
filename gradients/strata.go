package gradients

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"boost/internal/comm"
	"boost/internal/kernel/hist"
	"boost/internal/rng"
	"boost/parallel"
)

// Strata samples the same share of the rows of every class, to a row: those with the smallest draws, ties by row.
type Strata struct {
	class  []float64 // by row
	wanted []int     // by class: rows of the sample
	from   []uint64  // by class: draws below are in the sample for certain …
	to     []uint64  // … and draws from here on are not
	last   []drawnRow
	blocks []strataBlock
	first  int // number of the first row among those of all ranks
	key    uint64
}

type drawnRow struct {
	draw uint64
	row  int
}

func (a drawnRow) compare(b drawnRow) int {
	return cmp.Or(cmp.Compare(a.draw, b.draw), cmp.Compare(a.row, b.row))
}

// strataBlock is what one block of rows has of each class.
type strataBlock struct {
	below []int // draws below from
	near  [][]drawnRow
}

// NewStrata returns a Strata of rows with so many classes, which it keeps, and the share of them that is drawn.
func NewStrata(class []float64, classes int, share float64) *Strata {
	s := &Strata{
		class: class, wanted: make([]int, classes), from: make([]uint64, classes), to: make([]uint64, classes),
		last: make([]drawnRow, classes), blocks: make([]strataBlock, parallel.Blocks(len(class), hist.BlockRows)),
	}
	for i := range s.blocks {
		s.blocks[i] = strataBlock{make([]int, classes), make([][]drawnRow, classes)}
	}
	for _, c := range class {
		s.wanted[int(c)]++
	}
	for c, n := range s.wanted {
		s.wanted[c] = min(n, max(1, int(math.Round(share*float64(n))))) // a rare class has a row in each round
		// The last draw of the sample is within 8 standard errors of the share but for one class in 10¹⁵; there
		// the sample ends at the edge.
		margin := float64(8*math.Sqrt(share*(1-share)/max(float64(n), 1))) + 20/max(float64(n), 1)
		s.from[c], s.to[c] = limit(max(share-margin, 0)), limit(min(share+margin, 1))
	}
	return s
}

// Keep makes the Strata one of the rows lo … hi-1 only, of samples of all.
func (s *Strata) Keep(lo, hi int) {
	s.class = s.class[lo:hi]
	s.blocks = s.blocks[:parallel.Blocks(len(s.class), hist.BlockRows)]
}

// ofAllRanks returns the rows that ranks have drawn.
func ofAllRanks(ranks *comm.Ranks, own []drawnRow) (all []drawnRow) {
	if !ranks.Shared() {
		return own
	}
	var mine []byte
	for _, r := range own {
		mine = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(mine, r.draw), uint64(r.row))
	}
	for _, theirs := range ranks.Gather(mine) {
		for ; len(theirs) >= 16; theirs = theirs[16:] {
			all = append(all, drawnRow{binary.LittleEndian.Uint64(theirs), int(binary.LittleEndian.Uint64(theirs[8:]))})
		}
	}
	return all
}

// Sample refills the bag.
func (s *Strata) Sample(pool *parallel.Pool, bag *Bag, seed uint64, iteration int) {
	s.key, s.first = bag.keyOf(seed, rng.RowSample, iteration), bag.Ranks.First()
	pool.Do(len(s.blocks), s)
	for c := range s.wanted {
		below := 0
		var near []drawnRow
		for i := range s.blocks {
			below += s.blocks[i].below[c]
			near = append(near, s.blocks[i].near[c]...)
		}
		comm.Add(bag.Ranks, &below)
		near = ofAllRanks(bag.Ranks, near)
		left := s.wanted[c] - below
		slices.SortFunc(near, drawnRow.compare)
		s.last[c] = drawnRow{s.from[c], -1} // above all draws that are in for certain, and below the others
		if left = min(left, len(near)); left > 0 {
			s.last[c] = near[left-1]
		}
	}
	bag.fill(pool, s)
}

// take takes the rows of a piece that are drawn.
func (s *Strata) take(p piece, in []uint16) (n int) {
	for row := p.lo; row < p.hi; row++ {
		if (drawnRow{rng.Draw(s.key, uint64(row)) >> 11, s.first + row}).compare(s.last[int(s.class[row])]) <= 0 {
			in[n] = uint16(p.inBlock(row))
			n++
		}
	}
	return n
}

// Run looks at one block's draws; it makes the Strata a parallel.Task.
func (s *Strata) Run(_, block int) {
	lo, hi := parallel.Block(block, len(s.class), hist.BlockRows)
	b := &s.blocks[block]
	for c := range b.below {
		b.below[c], b.near[c] = 0, b.near[c][:0]
	}
	for row := lo; row < hi; row++ {
		c, draw := int(s.class[row]), rng.Draw(s.key, uint64(row))>>11
		switch {
		case draw < s.from[c]:
			b.below[c]++
		case draw < s.to[c]:
			b.near[c] = append(b.near[c], drawnRow{draw, s.first + row})
		}
	}
}
