package histogram

import "boost/internal/kernel/hist"

// Run is some of a node's rows, ascending. All are less than hist.BlockRows rows behind the first.
type Run struct {
	First   int      // row of the table that entries count theirs from; a multiple of 64
	Entries []uint64 // package hist draws the layout
}

// rowsIn returns the number of rows of a node.
func rowsIn(runs []Run) int {
	n := 0
	for i := range runs {
		n += len(runs[i].Entries)
	}
	return n
}

// spanOf returns the number of rows from the first of some entries to the last.
func spanOf(entries []uint64) int {
	if len(entries) == 0 {
		return 0
	}
	return int(hist.Row(entries[len(entries)-1])) - int(hist.Row(entries[0])) + 1
}

// piece is a stretch of a run that a kernel takes in one call. Pieces are cut so
// that groups of consecutive pieces hold a fixed number of rows.
type piece struct {
	run, lo, hi int
	endsGroup   bool
}

// Rows per group. With integers a group is what packed sums can take before they
// are flushed; with floats it is the block of rows that docs/architecture.md, Numerics 1 sums on its own.
const (
	intGroup   = hist.WordRows
	floatGroup = 4096
)

// cut appends the pieces of the runs to dst, in groups of the given number of rows
// and in pieces of at most limit rows.
func cut(dst []piece, runs []Run, group, limit int) []piece {
	room := group
	for r := range runs {
		n := len(runs[r].Entries)
		for lo := 0; lo < n; {
			hi := min(lo+min(room, limit), n)
			room -= hi - lo
			dst = append(dst, piece{r, lo, hi, room == 0})
			if room == 0 {
				room = group
			}
			lo = hi
		}
	}
	if len(dst) > 0 {
		dst[len(dst)-1].endsGroup = true
	}
	return dst
}

// rowsOf returns the per-row values that a run's entries can have. The first is that of row `first`.
func rowsOf[T any](values []T, first int) []T {
	return values[first:min(first+hist.BlockRows, len(values))]
}
