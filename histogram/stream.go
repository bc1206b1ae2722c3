package histogram

import (
	"boost/gradients"
	"boost/internal/kernel/hist"
	"boost/parallel"
)

// blocksPerWorker is how many blocks of rows a table has at least for each worker where they
// are added up block by block, so that workers end at about the same time.
const blocksPerWorker = 6

// Streams says that a node of about so many rows is best added up while its rows are found:
// in a pass over them, each for all features. Then Stream, Add for all of its rows and
// EndStream do what Tiles does of rows that are at hand, and their entries are read while
// they are in a cache.
func (b *Builder) Streams(st *gradients.Storage, rows int) bool {
	return b.strategy == RowParallel && parallel.Blocks(b.matrix.NRows(), hist.BlockRows) >= blocksPerWorker*b.pool.Threads() &&
		st.OneWord() && rows*len(b.features) >= smallNode && !b.Few(rows) && len(b.tilesFor(st, rows, false)) == 0
}

// Stream begins a histogram of rows that are still to come.
func (b *Builder) Stream(dst *Histogram, st *gradients.Storage) {
	b.open(dst, st)
	dst.reserve(st, b.Slots())
	b.reserveFew()
	b.reservePacked(b.pool.Threads(), b.matrix.NRows() > hist.WordRows)
}

// Add adds rows of one block, ascending. Workers may call it at the same time, each for
// other rows.
func (b *Builder) Add(worker, block int, entries []uint64) {
	n := len(entries)
	if n == 0 {
		return
	}
	dense := b.isDense(n, int(hist.Row(entries[n-1]))-int(hist.Row(entries[0]))+1)
	for len(entries) > 0 {
		n := min(len(entries), b.chunk)
		b.addPiece(worker, block, entries[:n], dense)
		entries = entries[n:]
	}
}

// EndStream ends what Stream has begun: total is the sum of all the rows' codes. It returns in
// how many parts the histogram is completed, as Tiles does; 0: it is complete.
func (b *Builder) EndStream(total Total) int {
	b.total = total
	return b.endRows(false)
}
