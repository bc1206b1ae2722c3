package histogram

import (
	"boost/gradients"
	"boost/internal/kernel/hist"
)

// build is one histogram while it is made. Passes carry it.
type build struct {
	*Builder
	storage *gradients.Storage
	runs    []Run
	total   Total // of the codes of all rows
	dst     *Histogram
	pieces  []piece // of the runs

	dense    bool                  // rows are read in sequence, not fetched ahead
	byLists  bool                  // the row-major copy is added up by lists
	tiles    []tile                // that are made of all rows; none where workers add up rows first
	reducing bool                  // workers have added up rows: a part is a place
	wave     wave                  // of floats
	codes32  values[int32, uint32] // of the rows of a sparse node, empty where entries carry them
}

// begin makes the builder's memory that of a new histogram.
func (b *Builder) begin(dst *Histogram, st *gradients.Storage) *build {
	if b.hasDefaults && st.Counts() {
		panic("histogram: bundles and sparse layouts need integer gradients without an offset")
	}
	d := &b.current
	d.storage, d.dst, d.reducing, d.byLists = st, dst, false, b.addsLists(st)
	return d
}

// end forgets the rows and the histogram.
func (b *build) end() { b.storage, b.runs, b.dst = nil, nil, nil }

// tilesOf chooses the way that the rows are added up, and goes it up to the parts that are left to the caller, whose
// number it returns.
func (b *build) tilesOf(runs []Run, total Total, alone bool) int {
	b.runs, b.total = runs, total
	rows, span := rowsIn(runs), 0
	for i := range runs {
		span += spanOf(runs[i].Entries)
	}
	parts := 0
	switch {
	case !b.storage.Counts() && b.IsSparseNode(rows):
		b.buildSparseNode(rows)
	case rows == 0:
		b.dst.reserve(b.storage, b.Slots(), b.kind(b.storage, 0))
		b.dst.clear(b.storage, 0, b.Slots())
	default:
		b.dst.reserve(b.storage, b.Slots(), b.kind(b.storage, rows))
		b.dense = b.isDense(rows, span)
		parts = b.addUp(rows, alone)
	}
	if parts == 0 {
		b.end()
	}
	return parts
}

// addUp is tilesOf for a flat histogram.
func (b *build) addUp(rows int, alone bool) int {
	// What workers need is made here and not by each when it first takes part, which on a
	// busy machine may be late.
	b.reserveLowCardinality()
	b.tiles = b.tilesFor(b.storage, rows, alone)
	switch {
	case b.storage.Mode() == gradients.F32:
		b.buildFloats(alone)
		return 0
	case len(b.tiles) > 0:
		b.pieces = cut(b.pieces[:0], b.runs, intGroup, intGroup)
		b.reserveTiles()
		return len(b.tiles)
	}
	b.pieces = cut(b.pieces[:0], b.runs, intGroup, max(leastPiece, min(rowChunk, rows/(4*b.pool.Threads()))))
	b.addRowPieces(rows, alone)
	return b.reduceParts(alone)
}

// reduceParts adds up what the workers have: in parts, whose number it returns, or at once.
func (b *build) reduceParts(alone bool) int {
	if b.reducing = len(b.reduced) > 0; !b.reducing {
		b.reduce(alone)
	}
	return len(b.reduced)
}

// rowChunk is the most rows that a worker takes at a time.
const rowChunk = 8192

const (
	// denseShare: a node with at least one row in this many of those that its runs span is
	// read in sequence, others with their rows touched ahead; denseBytes: so is one with a
	// row in that many bytes of codes, since the processor guesses whole lines.
	denseShare = 2
	denseBytes = 32
)

// isDense reports whether so many rows are read as if all rows that they lie among were.
func (b *Builder) isDense(rows, span int) bool {
	return rows*denseShare >= span || b.rowMajor != nil && rows*denseBytes >= span*b.rowMajor.Stride
}

// kind returns how the sums of a node of so many rows are kept.
func (b *Builder) kind(st *gradients.Storage, rows int) kind {
	packs := st.OneWord() && !st.Counts()
	return kind{inWords: packs && rows+b.beside <= wordRows, wide: !packs || b.matrix.NRows()+b.others > wordRows}
}

// wordRows is hist.WordRows, a variable for tests.
var wordRows = hist.WordRows

// addsLists reports whether rows are added up by lists.
func (b *Builder) addsLists(st *gradients.Storage) bool {
	return b.lists != nil && b.wholeRow && st.OneWord() && !st.Counts()
}

// tileTask makes the parts of a histogram.
type tileTask build

func (t *tileTask) Run(worker, index int) { (*build)(t).tile(worker, index) }

// clearGroup clears the slots of a group, right before its sums are added to them.
func (b *build) clearGroup(u int) {
	for _, f := range b.featureGroups[u].Features {
		lo, hi := b.bins(f)
		b.dst.clear(b.storage, lo, hi)
	}
}
