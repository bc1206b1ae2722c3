package histogram

import (
	"boost/binning"
	"boost/internal/kernel/hist"
)

// slotScratch is one worker's memory for sums that need two words and a count.
type slotScratch[G int64 | float64, H uint64 | float64] struct {
	slots []hist.Slot[G, H]
	took  bool
}

func (s *slotScratch[G, H]) reserve(n int) []hist.Slot[G, H] {
	if len(s.slots) < n {
		s.slots = make([]hist.Slot[G, H], n)
	}
	return s.slots[:n]
}

// values is one block's gradients in the form a two-word pass reads.
type values[VG int32 | float32, VH uint32 | float32] struct {
	grad []VG
	hess []VH
}

func (b *Builder) wideValues(block int) values[int32, uint32] {
	grad, hess := b.storage.Codes32()
	return values[int32, uint32]{rowsOf(grad, block), rowsOf(hess, block)}
}

func (b *Builder) floatValues(block int) values[float32, float32] {
	grad, hess := b.storage.Floats()
	return values[float32, float32]{rowsOf(grad, block), rowsOf(hess, block)}
}

// twoWordColumn adds entries of one block to the slots of one column.
func twoWordColumn[VG int32 | float32, VH uint32 | float32, G int64 | float64, H uint64 | float64](
	sums []hist.Slot[G, H], c binning.Column, block int, v values[VG, VH], entries []uint64,
) {
	switch c.Bits {
	case binning.U4:
		hist.TwoWordNibbles(sums, nibblesOf(c.U4(), block), v.grad, v.hess, entries)
	case binning.U8:
		hist.TwoWordColumn(sums, rowsOf(c.U8(), block), v.grad, v.hess, entries)
	case binning.U16:
		hist.TwoWordColumn(sums, rowsOf(c.U16(), block), v.grad, v.hess, entries)
	default:
		hist.TwoWordColumn(sums, rowsOf(c.U32(), block), v.grad, v.hess, entries)
	}
}

// drain adds slots to flat arrays and clears them.
func drain[G int64 | float64, H uint64 | float64](grad []G, hess []H, count []uint32, slots []hist.Slot[G, H]) {
	grad, hess, count = grad[:len(slots)], hess[:len(slots)], count[:len(slots)]
	for i := range slots {
		s := &slots[i]
		grad[i] += s.Grad
		hess[i] += s.Hess
		count[i] += uint32(s.Rows)
		*s = hist.Slot[G, H]{}
	}
}

// wideColumns fills one group of columns from 32-bit codes.
func (b *Builder) wideColumns(worker int, g *columnGroup) {
	for _, f := range g.features[:g.n] {
		lo, hi := b.bins(f)
		slots := b.wide[worker].reserve(max(hi-lo, 16))
		column := b.matrix.Column(f)
		for _, p := range b.pieces {
			run := &b.runs[p.run]
			twoWordColumn(slots, column, run.Block, b.wideValues(run.Block), run.Entries[p.lo:p.hi])
		}
		drain(b.dst.Grad[lo:hi], b.dst.Hess[lo:hi], b.dst.Count[lo:hi], slots[:hi-lo])
	}
}

// wideRowTask adds one piece to its worker's 64-bit sums.
type wideRowTask Builder

func (t *wideRowTask) Run(worker, index int) {
	b := (*Builder)(t)
	p := b.pieces[index]
	s := &b.wide[worker]
	s.took = true
	addRows(b, s.slots, b.wideValues(b.runs[p.run].Block), p)
}

// addRows adds one piece to the slots of all features of a row-wise pass.
func addRows[VG int32 | float32, VH uint32 | float32, G int64 | float64, H uint64 | float64](
	b *Builder, slots []hist.Slot[G, H], v values[VG, VH], p piece,
) {
	run := &b.runs[p.run]
	entries := run.Entries[p.lo:p.hi]
	at := 0
	if b.wholeRow {
		hist.TwoWordRows(slots, b.mirrorBlock(run.Block), b.mirror.Stride, len(b.mirror.Features), v.grad, v.hess, entries)
		at = len(b.mirror.Features)
	}
	for _, p := range b.places[at:] {
		twoWordColumn(slots[p.at:p.at+max(p.hi-p.lo, 16)], b.matrix.Column(p.feature), run.Block, v, entries)
	}
}

// wideReduceTask adds up one feature of the workers' 64-bit sums.
type wideReduceTask Builder

func (t *wideReduceTask) Run(_, index int) {
	b := (*Builder)(t)
	p := b.places[index]
	for w := range b.wide {
		if s := &b.wide[w]; s.took {
			drain(b.dst.Grad[p.lo:p.hi], b.dst.Hess[p.lo:p.hi], b.dst.Count[p.lo:p.hi], s.slots[p.at:p.at+p.hi-p.lo])
		}
	}
}

// buildFloats sums float32 gradients. The result is defined without reference to
// workers (DESIGN §4.1): every group of 4,096 consecutive rows is summed on its
// own, one accumulator per slot in row order, and groups are added in order.
func (b *Builder) buildFloats(alone bool) {
	b.pieces = cut(b.pieces[:0], b.runs, floatGroup, floatGroup)
	if b.strategy == FeatureParallel {
		b.reserveFloats(b.pool.Threads(), 0)
		b.do(alone, len(b.groups), (*floatColumnTask)(b))
		return
	}
	b.starts = b.starts[:0]
	for i := range b.pieces {
		if i == 0 || b.pieces[i-1].endsGroup {
			b.starts = append(b.starts, i)
		}
	}
	groups := len(b.starts)
	b.starts = append(b.starts, len(b.pieces))
	b.inFlight = 1
	if !alone && b.strategy == RowParallel {
		b.inFlight = min(groups, floatWave*b.pool.Threads())
	}
	b.reserveFloats(b.inFlight, b.rowSlots)
	for b.wave = 0; b.wave < groups; b.wave += b.inFlight {
		b.do(alone, min(b.inFlight, groups-b.wave), (*floatRowTask)(b))
		b.do(alone, len(b.places), (*floatReduceTask)(b))
	}
}

// floatWave is the number of groups in flight per worker of a row-wise pass.
const floatWave = 2

func (b *Builder) reserveFloats(n, slots int) {
	for len(b.floats) < n {
		b.floats = append(b.floats, slotScratch[float64, float64]{})
	}
	for i := range b.floats[:n] {
		b.floats[i].reserve(slots)
	}
}

// floatColumnTask fills one group of columns from float32 gradients.
type floatColumnTask Builder

func (t *floatColumnTask) Run(worker, index int) {
	b := (*Builder)(t)
	g := &b.groups[index]
	for _, f := range g.features[:g.n] {
		lo, hi := b.bins(f)
		slots := b.floats[worker].reserve(max(hi-lo, 16))
		column := b.matrix.Column(f)
		for _, p := range b.pieces {
			run := &b.runs[p.run]
			twoWordColumn(slots, column, run.Block, b.floatValues(run.Block), run.Entries[p.lo:p.hi])
			if p.endsGroup {
				drain(b.dst.GradF[lo:hi], b.dst.HessF[lo:hi], b.dst.Count[lo:hi], slots[:hi-lo])
			}
		}
	}
}

// floatRowTask sums one group of rows into a scratch of its own.
type floatRowTask Builder

func (t *floatRowTask) Run(_, index int) {
	b := (*Builder)(t)
	slots := b.floats[index].slots
	for _, p := range b.pieces[b.starts[b.wave+index]:b.starts[b.wave+index+1]] {
		addRows(b, slots, b.floatValues(b.runs[p.run].Block), p)
	}
}

// floatReduceTask adds the groups of a wave for one feature, in order of rows.
type floatReduceTask Builder

func (t *floatReduceTask) Run(_, index int) {
	b := (*Builder)(t)
	p := b.places[index]
	groups := min(len(b.starts)-1-b.wave, b.inFlight) // b.floats may be longer: earlier nodes had more
	for g := range groups {
		drain(b.dst.GradF[p.lo:p.hi], b.dst.HessF[p.lo:p.hi], b.dst.Count[p.lo:p.hi], b.floats[g].slots[p.at:p.at+p.hi-p.lo])
	}
}
