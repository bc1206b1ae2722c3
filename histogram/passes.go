package histogram

import (
	"slices"

	"boost/binning"
	"boost/internal/kernel/hist"
)

// passes is how the active features are read. SetFeatures decides it.
type passes struct {
	features     []int  // active ones, ascending
	activeSlots  int    // theirs
	spread       bool   // over ranks
	keepsTouched bool   // histograms of sparse nodes keep to the slots that their rows touch
	active       []bool // groups with active features

	// by columns
	columns []int         // active groups that a pass over rows reads by column
	batches []columnBatch // all active groups

	// over rows
	wholeRow      bool    // the row-major copy is read
	places        []place // one for each of its codes, then one for each of the columns
	hasPacked     bool    // some place is that of a packed group
	rowSlots      int     // of a worker, with gaps
	rowMajorSlots int     // of the row-major copy, without gaps
	wideAt        []int   // first slots of the codes of a row-major copy of more than a byte a code

	// by tiles
	alone        []tile // for one worker
	shared       []tile // for all
	lines        []tile // for nodes of more rows: whole cache lines
	reduced      []tile // one for each place, where workers have added up rows
	tileFeatures []int  // of all tiles, one after the other
}

// columnBatch is up to four groups of one width that share a pass over the entries.
type columnBatch struct {
	groups [4]int
	n      int
}

// place is where a pass over rows keeps the sums of one group, or of a packed group of several: in size slots
// of a worker's scratch from slot `at` on.
type place struct {
	group    int
	at, size int
	members  []int // of a packed group, the first of which is group; nil for one group
}

// layOut decides how passes over the active features go.
func (b *Builder) layOut() {
	clear(b.active)
	b.activeSlots = 0
	for _, f := range b.features {
		b.active[b.groupOf(f)] = true
		b.activeSlots += int(b.offsets[f+1] - b.offsets[f])
	}
	b.keepsTouched = !b.spread && b.activeSlots >= manySlots && b.matrix.OwnColumns()
	b.batchColumns()
	inRowMajor := 0
	for u, active := range b.active {
		if active && b.inRowMajor[u] {
			inRowMajor++
		}
	}
	// A pass over rows reads whole rows of the copy. Where less than half of its groups are active,
	// columns are cheaper, if there are some.
	b.wholeRow = inRowMajor > 0 && (2*inRowMajor > len(b.rowMajor.Groups) || b.matrix.ByRow() != nil)
	b.columns = b.columns[:0]
	for u, active := range b.active {
		if active && (!b.wholeRow || !b.inRowMajor[u]) {
			b.columns = append(b.columns, u)
		}
	}
	b.placeGroups()
	b.makeTiles()
}

// batchColumns puts the active groups into batches of four of one width, those of low cardinality apart.
func (b *Builder) batchColumns() {
	b.batches = b.batches[:0]
	if b.sparse != nil {
		return
	}
	type alike struct {
		bits           binning.Width
		lowCardinality bool
	}
	open := map[alike]int{}
	for u, active := range b.active {
		if !active {
			continue
		}
		k := alike{b.featureGroups[u].Bits, b.isLowCardinality(u)}
		if i, ok := open[k]; ok && !b.matrix.Masked() {
			batch := &b.batches[i]
			batch.groups[batch.n] = u
			if batch.n++; batch.n == len(batch.groups) {
				delete(open, k)
			}
			continue
		}
		b.batches = append(b.batches, columnBatch{groups: [4]int{u}, n: 1})
		open[k] = len(b.batches) - 1
	}
}

// placeGroups lays out a worker's slots in passes over rows: first those of the row-major copy, of inactive
// features too, then those of active groups that are read by column. In sparse layouts they are those of a
// flat histogram.
func (b *Builder) placeGroups() {
	b.places, b.rowSlots, b.rowMajorSlots, b.wideAt, b.hasPacked = b.places[:0], 0, 0, b.wideAt[:0], false
	if b.sparse != nil {
		b.rowSlots = b.Slots()
		b.places = slices.Grow(b.places, len(b.featureGroups))
		for f := range b.featureGroups { // a pass adds up inactive features too, whose slots have to be cleared
			b.places = append(b.places, place{group: f, at: int(b.offsets[f]), size: int(b.featureGroups[f].NBins)})
		}
		return
	}
	if b.wholeRow {
		b.places = slices.Grow(b.places, len(b.rowMajor.Groups)+len(b.columns))
		for i := range b.rowMajor.Groups {
			packed := &b.rowMajor.Groups[i]
			p := place{group: packed.Members[0], at: b.rowSlots, size: int(packed.NBins)}
			if len(packed.Members) > 1 {
				p.members, b.hasPacked = packed.Members, true
			}
			b.places = append(b.places, p)
			b.rowMajorSlots += p.size
			if b.rowMajor.Bits == binning.U8 {
				b.rowSlots += hist.Slots
				continue
			}
			b.wideAt = append(b.wideAt, b.rowSlots)
			b.rowSlots += p.size
		}
	}
	for _, u := range b.columns {
		b.places = append(b.places, place{group: u, at: b.rowSlots, size: b.size(u)})
		b.rowSlots += max(b.size(u), nibbleCodes)
	}
}
