package grow

import (
	"boost/binning"
	"boost/histogram"
	"boost/internal/kernel/hist"
	"boost/parallel"
)

// rowSets keeps which rows are in which leaf. The table is cut into stretches of at most hist.BlockRows
// rows, as many for each worker; inside a stretch every leaf owns one run of entries, and a
// split reorders just the runs of its leaf, in place:
//
//	stretch 0: | leaf 0 | leaf 3 | leaf 1 | leaf 2 |   entries ascend by row in a run
//	stretch 1: | leaf 0 | leaf 3 | leaf 1 | leaf 2 |
//
// Stretches never wait for each other, a run's codes stay inside 64 Ki rows, and a
// leaf's rows in the order of stretches ascend over the whole table. With a bag, whose rows are listed by
// block, stretches are blocks.
type rowSets struct {
	rows    int
	nRuns   int
	stretch int               // rows of one
	reach   int               // rows of the table in one, of which a bag may have some
	entries []uint64          // one per row; a stretch's start at its first row
	byNode  [][]histogram.Run // node → one run per stretch; a split one's cover its children's
	scratch [][]uint64        // per worker, for one run
	codes   []binning.Scratch // per worker: codes of a run that are not stored as a column
}

// leastStretch is the fewest rows of a stretch, unless there are less: more of them cost small nodes more than
// they save. It is a variable for tests.
var leastStretch = 4096

// stretches returns how many stretches a table has for so many workers, and how many rows a stretch.
func stretches(rows, threads int) (n, size int) {
	n = parallel.Blocks(rows, hist.BlockRows)
	if rows >= leastStretch*threads {
		n = parallel.Blocks(n, threads) * threads
	}
	size = hist.BlockRows
	if n > 0 {
		size = (parallel.Blocks(rows, n) + 63) &^ 63
	}
	return parallel.Blocks(rows, size), size
}

func (s *rowSets) init(rows, nodes, threads int) {
	s.rows = rows
	s.nRuns, s.stretch = stretches(rows, threads)
	s.entries = make([]uint64, rows)
	s.byNode = make([][]histogram.Run, nodes)
	runs := make([]histogram.Run, nodes*s.nRuns)
	for n := range s.byNode {
		s.byNode[n] = runs[n*s.nRuns : (n+1)*s.nRuns : (n+1)*s.nRuns]
	}
	s.scratch, s.codes = make([][]uint64, threads), make([]binning.Scratch, threads)
	for w := range s.scratch {
		s.scratch[w] = make([]uint64, min(rows, hist.BlockRows))
	}
}

// end returns the row that follows those which a run can have whose first row is given.
func (s *rowSets) end(first int) int { return min(first+s.reach, s.rows) }

// runs returns a node's rows.
func (s *rowSets) runs(node int) []histogram.Run { return s.byNode[node] }

// count returns a node's number of rows.
func (s *rowSets) count(node int) int {
	n := 0
	for _, r := range s.byNode[node] {
		n += len(r.Entries)
	}
	return n
}

// most returns the largest number of rows that a node has in one stretch.
func (s *rowSets) most(node int) int {
	n := 0
	for _, r := range s.byNode[node] {
		n = max(n, len(r.Entries))
	}
	return n
}
