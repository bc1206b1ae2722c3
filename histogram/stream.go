package histogram

import (
	"sync"

	"boost/gradients"
	"boost/internal/kernel/hist"
	"boost/parallel"
)

// Streams reports whether a node of about so many rows is best added up while its rows are found, when their entries are
// still in a cache. The caller then runs Stream, Add for all rows, Help on each worker that has no rows
// left, and EndStream. No run should have many more rows than the others: a worker that runs out of rows cannot help
// before an Add of another worker has begun.
func (b *Builder) Streams(st *gradients.Storage, rows int) bool {
	threads := b.pool.Threads()
	return b.strategy == RowParallel && threads > 1 && parallel.Blocks(b.matrix.NRows(), hist.BlockRows) >= threads &&
		st.OneWord() && rows*len(b.features) >= smallNode && !b.IsSparseNode(rows) && len(b.tilesFor(st, rows, false)) == 0
}

// Stream begins a histogram of rows that are still to come.
func (b *Builder) Stream(dst *Histogram, st *gradients.Storage) {
	for w := range b.offers {
		b.offers[w].entries = nil // a panic may have left some
	}
	b.begin(dst, st).reserveLowCardinality()
	b.reservePacked(b.pool.Threads(), b.matrix.NRows() > hist.WordRows)
}

// Add adds rows of one run, ascending. Workers may call it at the same time, each for
// other rows.
func (b *Builder) Add(worker, first int, entries []uint64) {
	n := len(entries)
	if n == 0 {
		return
	}
	o := &b.offers[worker]
	o.put(first, entries, b.isDense(n, spanOf(entries)))
	b.current.takeUp(worker, o)
}

// Help adds rows of other workers' Adds that have begun. A worker calls it when it has no more rows of its own,
// instead of waiting until the others end a whole run.
func (b *Builder) Help(worker int) {
	for i := range b.offers[1:] {
		b.current.takeUp(worker, &b.offers[(worker+1+i)%len(b.offers)])
	}
}

// takeUp adds the rows of an offer until there are none left.
func (b *build) takeUp(worker int, o *offer) {
	for {
		first, entries, dense := o.take(rowChunk)
		if len(entries) == 0 {
			return
		}
		b.addPiece(worker, first, entries, dense)
	}
}

// leastPiece is the fewest rows that are taken of an offer at a time, unless it has fewer. The first rows of a
// piece are not fetched ahead, so small pieces are slow.
const leastPiece = 1024

// offer is what is left of the rows of an Add. Any worker may take some: integer sums do not depend on who adds
// them.
type offer struct {
	mu      sync.Mutex
	first   int
	entries []uint64
	dense   bool
	_       [64]byte // the next one is on another cache line
}

func (o *offer) put(first int, entries []uint64, dense bool) {
	o.mu.Lock()
	o.first, o.entries, o.dense = first, entries, dense
	o.mu.Unlock()
}

// take removes half of the rows, at most `most`, so that all workers that take some end at about the same
// time.
func (o *offer) take(most int) (first int, entries []uint64, dense bool) {
	o.mu.Lock()
	n := min(most, max(leastPiece, len(o.entries)/2), len(o.entries))
	entries, o.entries = o.entries[:n], o.entries[n:]
	first, dense = o.first, o.dense
	o.mu.Unlock()
	return first, entries, dense
}

// EndStream ends what Stream has begun, given the number of all rows and the sum of their codes. It returns how many
// parts are left for Tile, as Tiles does. With 0 parts the histogram is complete.
func (b *Builder) EndStream(rows int, total Total) int {
	d := &b.current
	d.dst.reserve(d.storage, b.Slots(), b.kind(d.storage, rows))
	d.total = total
	parts := d.reduceParts(false)
	if parts == 0 {
		d.end()
	}
	return parts
}
