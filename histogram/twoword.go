package histogram

import (
	"boost/binning"
	"boost/gradients"
	"boost/internal/kernel/hist"
)

// values is a run's gradients in the form a two-word pass reads.
type values[VG hist.GradValue, VH hist.HessValue] struct {
	grad []VG
	hess []VH
}

func wideValues(st *gradients.Storage, first int) values[int32, uint32] {
	grad, hess := st.Codes32()
	return values[int32, uint32]{rowsOf(grad, first), rowsOf(hess, first)}
}

func shortValues(st *gradients.Storage, first int) values[int16, uint16] {
	grad, hess := st.Codes16()
	return values[int16, uint16]{rowsOf(grad, first), rowsOf(hess, first)}
}

// twoWordColumn adds entries of one run to the slots of one column.
func twoWordColumn[VG hist.GradValue, VH hist.HessValue, G int64 | float64, H uint64 | float64](
	s sums[hist.Slot[G, H]], c binning.Column, v values[VG, VH], entries []uint64,
) {
	switch c.Bits {
	case binning.U4:
		hist.TwoWordNibbles(s.slots, s.counts, c.U4(), v.grad, v.hess, entries)
	case binning.U8:
		hist.TwoWordColumn(s.slots, s.counts, c.U8(), v.grad, v.hess, entries)
	case binning.U16:
		hist.TwoWordColumn(s.slots, s.counts, c.U16(), v.grad, v.hess, entries)
	default:
		hist.TwoWordColumn(s.slots, s.counts, c.U32(), v.grad, v.hess, entries)
	}
}

// drain adds slots to flat arrays and clears them. count is nil where s has no counts.
func drain[G int64 | float64, H uint64 | float64](grad []G, hess []H, count []uint32, s sums[hist.Slot[G, H]]) {
	grad, hess = grad[:len(s.slots)], hess[:len(s.slots)]
	for i := range s.slots {
		slot := &s.slots[i]
		grad[i] += slot.Grad
		hess[i] += slot.Hess
		*slot = hist.Slot[G, H]{}
	}
	for i, n := range s.counts {
		count[i] += n
		s.counts[i] = 0
	}
}

// wideColumns fills one batch of columns from codes that need two words.
func (b *build) wideColumns(worker int, g *columnBatch) {
	for _, u := range g.groups[:g.n] {
		size := b.size(u)
		b.clearGroup(u)
		scratch := b.wide[worker].reserve(max(size, 16), b.storage.Counts())
		for _, p := range b.pieces {
			run := &b.runs[p.run]
			entries := run.Entries[p.lo:p.hi]
			column := b.columnOf(worker, u, run.First, entries)
			if b.storage.Mode() == gradients.I32 {
				twoWordColumn(scratch, column, wideValues(b.storage, run.First), entries)
			} else {
				twoWordColumn(scratch, column, shortValues(b.storage, run.First), entries)
			}
		}
		b.unpackSlots(u, scratch.part(0, size))
		b.fillDefaults(u)
	}
}

// wideRowTask adds one piece to its worker's 64-bit sums.
type wideRowTask build

func (t *wideRowTask) Run(worker, index int) {
	b := (*build)(t)
	p := b.pieces[index]
	s := &b.wide[worker]
	s.took = true
	switch run := &b.runs[p.run]; {
	case b.sparse != nil:
		b.sparse.addTwo(s.slots, b.offsets, run.First, wideValues(b.storage, run.First), run.Entries[p.lo:p.hi])
	case b.storage.Mode() == gradients.I32:
		addRows(b, worker, s.sums, wideValues(b.storage, run.First), p)
	default:
		addRows(b, worker, s.sums, shortValues(b.storage, run.First), p)
	}
}

// addRows adds one piece to the slots of all features of a row-wise pass.
func addRows[VG hist.GradValue, VH hist.HessValue, G int64 | float64, H uint64 | float64](
	b *build, worker int, s sums[hist.Slot[G, H]], v values[VG, VH], p piece,
) {
	run := &b.runs[p.run]
	entries := run.Entries[p.lo:p.hi]
	at := 0
	if b.wholeRow {
		m, row := b.rowMajor, run.First
		switch m.Bits {
		case binning.U8:
			hist.TwoWordRows(s.slots, s.counts, b.rowMajorFrom(run.First), m.Stride, len(m.Groups), b.rowMajorSlots, v.grad, v.hess, entries)
		case binning.U16:
			hist.TwoWordWideRows(s.slots, s.counts, b.wideAt, m.Codes16()[row*(m.Stride/2):], m.Stride/2, v.grad, v.hess, entries)
		default:
			hist.TwoWordWideRows(s.slots, s.counts, b.wideAt, m.Codes32()[row*(m.Stride/4):], m.Stride/4, v.grad, v.hess, entries)
		}
		at = len(m.Groups)
	}
	for _, p := range b.places[at:] {
		twoWordColumn(s.part(p.at, p.at+max(p.size, 16)), b.columnOf(worker, p.group, run.First, entries), v, entries)
	}
}

// wideReduceTask adds up one group of the workers' 64-bit sums.
type wideReduceTask build

func (t *wideReduceTask) Run(worker, index int) {
	b := (*build)(t)
	p := b.places[index]
	own := b.wide[worker].member
	if !b.storage.Counts() {
		own.counts = nil
	}
	for i := range p.nGroups() {
		b.clearGroup(p.groupAt(i))
	}
	for w := range b.wide {
		s := &b.wide[w]
		if !s.took {
			continue
		}
		others := s.part(p.at, p.at+p.size)
		for i := range p.nGroups() {
			var sums sums[hist.Slot[int64, uint64]]
			sums, others = b.nextMemberSlots(&p, i, others, own)
			b.unpackSlots(p.groupAt(i), sums)
		}
	}
	for i := range p.nGroups() {
		b.fillDefaults(p.groupAt(i))
	}
}
