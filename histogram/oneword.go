package histogram

import (
	"boost/binning"
	"boost/gradients"
	"boost/internal/kernel/hist"
)

// intScratch is one worker's memory for packed sums of 16-bit codes.
type intScratch struct {
	packed []uint64 // column pass: up to 4 features; row pass: all of them
	rows   int      // rows in packed since the last flush
	grad   []int64  // row pass: sums flushed before packed could overflow
	hess   []uint64
	wide   bool // grad and hess are in use
	took   bool // the worker has taken part in this pass
}

func (s *intScratch) reserve(n int) []uint64 {
	if len(s.packed) < n {
		s.packed = make([]uint64, n)
	}
	return s.packed[:n]
}

// columnTask fills one group of columns over all rows of the node.
type columnTask Builder

func (t *columnTask) Run(worker, index int) {
	b := (*Builder)(t)
	if b.storage.Mode() == gradients.I32 {
		b.wideColumns(worker, &b.groups[index])
		return
	}
	b.packedColumns(worker, &b.groups[index])
}

func (b *Builder) packedColumns(worker int, g *columnGroup) {
	size := 0
	for _, f := range g.features[:g.n] {
		lo, hi := b.bins(f)
		size = max(size, hi-lo)
	}
	size = max(size, 16)
	scratch := b.ints[worker].reserve(4 * size)
	for _, p := range b.pieces {
		run := &b.runs[p.run]
		b.addColumns(scratch, size, g, run.Block, run.Entries[p.lo:p.hi])
		if !p.endsGroup {
			continue
		}
		for i, f := range g.features[:g.n] {
			lo, hi := b.bins(f)
			hist.Unpack(b.dst.Grad[lo:hi], b.dst.Hess[lo:hi], scratch[i*size:i*size+hi-lo])
		}
	}
}

// addColumns adds entries of one block to the packed sums of a group of columns,
// size slots apart.
func (b *Builder) addColumns(scratch []uint64, size int, g *columnGroup, block int, entries []uint64) {
	first := b.matrix.Column(g.features[0])
	switch {
	case first.Bits == binning.U4:
		hist.OneWordNibbles(scratch, nibblesOf(first.U4(), block), entries)
	case g.n == 4 && first.Bits == binning.U8:
		var sums [4][]uint64
		var codes [4][]uint8
		for i, f := range g.features {
			sums[i], codes[i] = scratch[i*size:(i+1)*size], rowsOf(b.matrix.Column(f).U8(), block)
		}
		hist.OneWordColumns4(&sums, &codes, entries)
	case g.n == 4 && first.Bits == binning.U16:
		var sums [4][]uint64
		var codes [4][]uint16
		for i, f := range g.features {
			sums[i], codes[i] = scratch[i*size:(i+1)*size], rowsOf(b.matrix.Column(f).U16(), block)
		}
		hist.OneWordColumns4(&sums, &codes, entries)
	default:
		for i, f := range g.features[:g.n] {
			oneWordColumn(scratch[i*size:(i+1)*size], b.matrix.Column(f), block, entries)
		}
	}
}

func oneWordColumn(sums []uint64, c binning.Column, block int, entries []uint64) {
	switch c.Bits {
	case binning.U4:
		hist.OneWordNibbles(sums, nibblesOf(c.U4(), block), entries)
	case binning.U8:
		hist.OneWordColumn(sums, rowsOf(c.U8(), block), entries)
	case binning.U16:
		hist.OneWordColumn(sums, rowsOf(c.U16(), block), entries)
	default:
		hist.OneWordColumn(sums, rowsOf(c.U32(), block), entries)
	}
}

// place is where a row-wise pass keeps the sums of one feature: at slot `at` of a
// worker's scratch, for the bins lo … hi-1 of a flat histogram.
type place struct {
	feature, at, lo, hi int
	mirrored            bool
}

// plan lays out a worker's scratch for row-wise passes: the mirrored features
// first, inactive ones too, then the bins of active features read by column.
func (b *Builder) plan() {
	b.places, b.rowSlots = b.places[:0], 0
	if b.wholeRow {
		for _, f := range b.mirror.Features {
			lo, hi := b.bins(f)
			b.places = append(b.places, place{f, b.rowSlots, lo, hi, true})
			b.rowSlots += hist.Slots
		}
	}
	for _, f := range b.columns {
		lo, hi := b.bins(f)
		b.places = append(b.places, place{f, b.rowSlots, lo, hi, false})
		b.rowSlots += max(hi-lo, 16)
	}
}

// buildRows gives pieces of the rows to the workers, each with a histogram of its
// own, and adds those up.
func (b *Builder) buildRows(alone bool) {
	if b.storage.Mode() == gradients.I32 {
		for w := range b.wide {
			b.wide[w].reserve(b.rowSlots, false)
			b.wide[w].took = false
		}
		b.do(alone, len(b.pieces), (*wideRowTask)(b))
		b.do(alone, len(b.places), (*wideReduceTask)(b))
		return
	}
	for w := range b.ints {
		b.ints[w].reserve(b.rowSlots)
		b.ints[w].took, b.ints[w].wide, b.ints[w].rows = false, false, 0
	}
	b.do(alone, len(b.pieces), (*rowTask)(b))
	b.do(alone, len(b.places), (*reduceTask)(b))
}

// rowTask adds one piece to its worker's packed sums.
type rowTask Builder

func (t *rowTask) Run(worker, index int) {
	b := (*Builder)(t)
	p := b.pieces[index]
	run := &b.runs[p.run]
	entries := run.Entries[p.lo:p.hi]
	s := &b.ints[worker]
	s.took = true
	if s.rows+len(entries) > hist.BlockRows {
		b.flush(s)
	}
	s.rows += len(entries)
	at := 0
	if b.wholeRow {
		hist.OneWordRows(s.packed, b.mirrorBlock(run.Block), b.mirror.Stride, len(b.mirror.Features), entries, !b.dense)
		at = len(b.mirror.Features)
	}
	for _, p := range b.places[at:] {
		oneWordColumn(s.packed[p.at:p.at+max(p.hi-p.lo, 16)], b.matrix.Column(p.feature), run.Block, entries)
	}
}

// mirrorBlock returns the row-major codes from a block's first row on.
func (b *Builder) mirrorBlock(block int) []uint8 {
	return b.mirror.Data[block*hist.BlockRows*b.mirror.Stride:]
}

// flush moves a worker's packed sums to wide ones.
func (b *Builder) flush(s *intScratch) {
	if s.grad == nil {
		s.grad, s.hess = make([]int64, b.Slots()), make([]uint64, b.Slots())
	}
	if !s.wide {
		clear(s.grad)
		clear(s.hess)
	}
	s.wide, s.rows = true, 0
	for _, p := range b.places {
		hist.Unpack(s.grad[p.lo:p.hi], s.hess[p.lo:p.hi], s.packed[p.at:p.at+p.hi-p.lo])
	}
}

// reduceTask adds up one feature of the workers' sums, in worker order; integer
// sums do not depend on it.
type reduceTask Builder

func (t *reduceTask) Run(_, index int) {
	b := (*Builder)(t)
	p := b.places[index]
	grad, hess := b.dst.Grad[p.lo:p.hi], b.dst.Hess[p.lo:p.hi]
	for w := range b.ints {
		s := &b.ints[w]
		if !s.took {
			continue
		}
		hist.Unpack(grad, hess, s.packed[p.at:p.at+p.hi-p.lo])
		if s.wide {
			add(grad, s.grad[p.lo:p.hi])
			add(hess, s.hess[p.lo:p.hi])
		}
	}
}

func add[T int64 | uint64 | float64](to, what []T) {
	what = what[:len(to)]
	for i, w := range what {
		to[i] += w
	}
}
