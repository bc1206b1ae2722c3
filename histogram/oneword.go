package histogram

import (
	"boost/binning"
	"boost/internal/kernel/hist"
)

// reserveColumns makes every worker's slots for a group of any four columns.
func (b *build) reserveColumns() {
	if b.storage.OneWord() {
		for w := range b.packed {
			b.packed[w].reserve(4*max(b.widest, hist.Slots), false)
		}
		return
	}
	for w := range b.wide {
		b.wide[w].reserve(max(b.widest, nibbleCodes), b.storage.Counts())
	}
}

// columnTask fills one batch of columns over all rows of the node.
type columnTask build

func (t *columnTask) Run(worker, index int) {
	b := (*build)(t)
	if !b.storage.OneWord() {
		b.wideColumns(worker, &b.batches[index])
		return
	}
	b.packedColumns(worker, &b.batches[index])
}

// nibbleCodes is the number of codes that half a byte can hold.
const nibbleCodes = 16

func (b *build) packedColumns(worker int, g *columnBatch) {
	size := nibbleCodes
	for _, u := range g.groups[:g.n] {
		size = max(size, b.size(u))
	}
	if b.featureGroups[g.groups[0]].Bits == binning.U8 {
		size = max(size, hist.Slots)
	}
	scratch := b.packed[worker].reserve(4*size, false).slots
	fresh := true
	for _, p := range b.pieces {
		run := &b.runs[p.run]
		b.addColumns(worker, scratch, size, g, run.First, run.Entries[p.lo:p.hi])
		if !p.endsGroup {
			continue
		}
		for i, u := range g.groups[:g.n] {
			b.unpackSums(u, scratch[i*size:i*size+b.size(u)], fresh)
		}
		fresh = false
	}
	for _, u := range g.groups[:g.n] {
		b.fillDefaults(u)
	}
}

// addColumns adds entries of one run to the packed sums of a batch of columns,
// size slots apart.
func (b *Builder) addColumns(worker int, scratch []uint64, size int, g *columnBatch, first int, entries []uint64) {
	if b.isLowCardinality(g.groups[0]) {
		var sums [4][]uint64
		for i, u := range g.groups[:g.n] {
			sums[i] = scratch[i*size : i*size+b.size(u)]
		}
		if entries = b.addLowCardinality(worker, g.groups[:g.n], sums[:g.n], first, entries); len(entries) == 0 {
			return
		}
	}
	switch bits := b.featureGroups[g.groups[0]].Bits; {
	case g.n == 4 && bits == binning.U4:
		var codes [4][]byte
		for i, u := range g.groups {
			codes[i] = b.columnOf(worker, u, first, entries).U4()
		}
		hist.OneWordNibbles4((*[4 * nibbleCodes]uint64)(scratch), &codes, entries)
	case g.n == 4 && bits == binning.U8:
		var codes [4][]uint8
		for i, u := range g.groups {
			codes[i] = b.columnOf(worker, u, first, entries).U8()
		}
		hist.OneWordBytes4((*[4 * hist.Slots]uint64)(scratch), &codes, entries)
	case g.n == 4 && bits == binning.U16:
		var sums [4][]uint64
		var codes [4][]uint16
		for i, u := range g.groups {
			sums[i], codes[i] = scratch[i*size:(i+1)*size], b.columnOf(worker, u, first, entries).U16()
		}
		hist.OneWordColumns4(&sums, &codes, entries)
	default:
		for i, u := range g.groups[:g.n] {
			oneWordColumn(scratch[i*size:(i+1)*size], b.columnOf(worker, u, first, entries), entries)
		}
	}
}

// oneWordColumn adds entries of one run to the packed sums of its column.
func oneWordColumn(sums []uint64, c binning.Column, entries []uint64) {
	switch c.Bits {
	case binning.U4:
		hist.OneWordNibbles(sums, c.U4(), entries)
	case binning.U8:
		hist.OneWordColumn(sums, c.U8(), entries)
	case binning.U16:
		hist.OneWordWords(sums, c.U16(), entries)
	default:
		hist.OneWordColumn(sums, c.U32(), entries)
	}
}

// addRowPieces gives pieces of the rows to the workers, each with a histogram of its own.
func (b *build) addRowPieces(rows int, alone bool) {
	workers := b.pool.Threads()
	if alone {
		workers = 1
	}
	if !b.storage.OneWord() {
		for w := range b.wide {
			if b.wide[w].took = false; w < workers {
				b.wide[w].reserve(b.rowSlots, b.storage.Counts())
				b.wide[w].reserveMember(b.hasPacked)
			}
		}
		b.do(alone, len(b.pieces), (*wideRowTask)(b))
		return
	}
	b.reservePacked(workers, rows > hist.WordRows)
	b.do(alone, len(b.pieces), (*rowTask)(b))
}

// reservePacked prepares the packed sums of so many workers for a pass over rows. With wide, there may be more rows than
// packed sums can hold, and it prepares the sums that they are flushed to.
func (b *Builder) reservePacked(workers int, wide bool) {
	for w := range b.packed {
		s := &b.packed[w]
		if s.took, s.wide, s.rows, s.total = false, false, 0, 0; w < workers {
			s.reserve(b.rowSlots, false)
			if wide && s.grad == nil {
				s.grad, s.hess = make([]int64, b.firstSlots[len(b.featureGroups)]), make([]uint64, b.firstSlots[len(b.featureGroups)])
			}
		}
	}
}

// reduce adds the workers' histograms up, place by place.
func (b *build) reduce(alone bool) {
	if b.storage.OneWord() {
		b.do(alone, len(b.places), (*reduceTask)(b))
		return
	}
	b.do(alone, len(b.places), (*wideReduceTask)(b))
}

// rowTask adds one piece to its worker's packed sums.
type rowTask build

func (t *rowTask) Run(worker, index int) {
	b := (*build)(t)
	p := b.pieces[index]
	run := &b.runs[p.run]
	b.addPiece(worker, run.First, run.Entries[p.lo:p.hi], b.dense)
}

// addPiece adds entries of one run to a worker's packed sums. If they are dense, their rows are not fetched ahead one
// by one.
func (b *build) addPiece(worker, first int, entries []uint64, dense bool) {
	s := &b.packed[worker]
	s.took = true
	if s.rows+len(entries) > hist.WordRows {
		b.flush(s)
	}
	s.rows += len(entries)
	if b.sparse != nil {
		b.sparse.addOne(s.slots, b.offsets, first, entries)
		return
	}
	at := 0
	if b.wholeRow {
		if at = len(b.rowMajor.Groups); b.byLists {
			b.addListed(s, first, entries)
		} else {
			b.addRowMajor(s.slots, first, entries, dense)
		}
	}
	b.addPlaces(worker, s.slots, 0, b.places[at:], first, entries)
}

// addPlaces adds entries of one run to the packed sums of places that are read by column.
// slots begin at the slot base of a whole pass.
func (b *Builder) addPlaces(worker int, slots []uint64, base int, places []place, first int, entries []uint64) {
	for unread := places; len(unread) > 0; {
		n, left := 1, entries
		if b.isLowCardinality(unread[0].group) {
			n, left = b.addLowCardinalityPlaces(worker, slots, base, unread, first, entries)
		}
		for _, p := range unread[:n] {
			if len(left) > 0 {
				at := p.at - base
				oneWordColumn(slots[at:at+max(p.size, 16)], b.columnOf(worker, p.group, first, left), left)
			}
		}
		unread = unread[n:]
	}
}

// addRowMajor adds entries of one run to the packed sums of all groups of the row-major copy.
func (b *Builder) addRowMajor(packed []uint64, first int, entries []uint64, dense bool) {
	m := b.rowMajor
	switch m.Bits {
	case binning.U8:
		hist.OneWordRows(packed, b.rowMajorFrom(first), m.Stride, len(m.Groups), entries, !dense)
	case binning.U16:
		hist.OneWordWideRows(packed, b.wideAt, m.Codes16()[first*(m.Stride/2):], m.Stride/2, entries)
	default:
		hist.OneWordWideRows(packed, b.wideAt, m.Codes32()[first*(m.Stride/4):], m.Stride/4, entries)
	}
}

// flush moves a worker's packed sums to wide ones.
func (b *build) flush(s *packedScratch) {
	if !s.wide {
		clear(s.grad)
		clear(s.hess)
	}
	for j, p := range b.places {
		others := s.slots[p.at : p.at+p.size]
		b.fillListed(j, others, s.total)
		for i := range p.nGroups() {
			var sums []uint64
			u := p.groupAt(i)
			sums, others = b.nextMember(&p, i, others, s.member[:])
			lo := b.firstSlots[u]
			hist.Unpack(s.grad[lo:lo+len(sums)], s.hess[lo:lo+len(sums)], sums)
		}
	}
	s.wide, s.rows, s.total = true, 0, 0
}

// reduceTask adds up one group or packed group of the workers' sums, in worker order; integer
// sums do not depend on it.
type reduceTask build

func (t *reduceTask) Run(worker, index int) {
	b := (*build)(t)
	p, part := b.places[index], b.packed[worker].member[:]
	fresh := true
	for w := range b.packed {
		s := &b.packed[w]
		if !s.took {
			continue
		}
		others := s.slots[p.at : p.at+p.size]
		b.fillListed(index, others, s.total)
		for i := range p.nGroups() {
			var sums []uint64
			u := p.groupAt(i)
			sums, others = b.nextMember(&p, i, others, part)
			b.unpackSums(u, sums, fresh)
			if lo := b.firstSlots[u]; s.wide {
				b.addWide(u, s.grad[lo:lo+len(sums)], s.hess[lo:lo+len(sums)])
			}
		}
		fresh = false
	}
	for i := range p.nGroups() {
		b.fillDefaults(p.groupAt(i))
	}
}

func add[T int64 | uint64 | float64 | uint32](to, what []T) {
	what = what[:len(to)]
	for i, w := range what {
		to[i] += w
	}
}
