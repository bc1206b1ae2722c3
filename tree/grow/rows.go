package grow

import (
	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/kernel/hist"
	"boost/internal/kernel/partition"
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

// division finds the rows of the root, and divides those of nodes, one at a time.
type division struct {
	*rowSets

	// What the current task works on.
	storage     *gradients.Storage
	bag         *gradients.Bag
	at          int
	left, right int
	table       splitTable
	nLeft       []int // per run
	missing     []bool
	byUnit      [256]uint8 // left, by code of the stored column
	adder       adder
	totals      []sums
}

// adder is told of rows as soon as it is known that they are in a leaf, while they are in the
// cache.
type adder struct {
	builder *histogram.Builder // nil: nothing adds them up
	right   bool               // of a split: the rows that go right
}

// splitTable says where each code of the split feature goes.
type splitTable struct {
	matrix  *binning.Matrix
	feature int
	left    []uint8 // 1 where the code goes left; at least 16 or 256 entries for U4 and U8
	missing uint32  // the missing code
	gap     gap
	unit    int // stored column that the rows are divided by, or -1: by the feature's codes
}

// gap says what is known of rows with the missing code in a node.
type gap uint8

const (
	noGap   gap = iota // there are none
	hasGap             // there are some
	lookGap            // their codes add up to nothing: the rows must be looked at
)

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

func (s *division) init(rows *rowSets) {
	s.rowSets = rows
	s.nLeft, s.missing = make([]int, rows.nRuns), make([]bool, rows.nRuns)
	s.totals = make([]sums, rows.nRuns)
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

// start begins to put all rows of the bag into the root, and to have them added up: by a pass of n
// indices.
func (s *division) start(st *gradients.Storage, to adder) (n int, task parallel.Task) {
	s.storage, s.adder = st, to
	if s.reach = s.stretch; s.bag != nil {
		s.reach = hist.BlockRows
	}
	return s.indices(), (*startTask)(s)
}

// indices returns those of a pass over the runs: behind them is one for each worker that
// may have to wait for the others, where rows are added up.
func (s *division) indices() int {
	if s.adder.builder == nil {
		return s.nRuns
	}
	return s.nRuns + len(s.scratch) - 1
}

// startTask fills one run of the root, or helps others to add theirs up.
type startTask division

func (t *startTask) Run(worker, index int) {
	s := (*division)(t)
	if index >= s.nRuns {
		s.adder.builder.Help(worker)
		return
	}
	run := &s.byNode[0][index]
	lo := min(index*s.reach, s.rows)
	run.First, run.Entries = lo, s.entries[lo:s.end(lo)]
	var rows []uint16
	if s.bag != nil && lo < s.rows {
		rows = s.bag.Block(index)
		run.Entries = run.Entries[:len(rows)]
	}
	s.totals[index] = sums{}
	if len(run.Entries) == 0 {
		return
	}
	s.storage.Entries(run.Entries, run.First, rows)
	if s.storage.Mode() != gradients.F32 { // while they are in the cache
		grad, hess := s.storage.Total(run.First, run.Entries)
		s.totals[index] = sums{grad: grad, hess: hess}
	}
	if s.adder.builder != nil {
		s.adder.builder.Add(worker, run.First, run.Entries)
	}
}

// total returns the sums of all rows of the root, where the pass that start began has put them.
// Sums of floats are taken per 4,096 consecutive entries and added in order of rows.
func (s *division) total(st *gradients.Storage) sums {
	s.storage = st
	if st.Mode() == gradients.F32 {
		return s.floatTotal(st)
	}
	var all sums
	for _, t := range s.totals {
		all.grad += t.grad
		all.hess += t.hess
	}
	if st.Counts() {
		all.rows = int64(s.count(0))
	}
	return all
}

func (s *division) floatTotal(st *gradients.Storage) sums {
	const group = 4096
	grad, hess := st.Floats()
	var total, part sums
	n := 0
	for _, run := range s.byNode[0] {
		g, h := grad[run.First:], hess[run.First:]
		for _, e := range run.Entries {
			part.gradF += float64(g[hist.Row(e)])
			part.hessF += float64(h[hist.Row(e)])
			if n++; n%group == 0 {
				total.gradF += part.gradF
				total.hessF += part.hessF
				part = sums{}
			}
		}
	}
	total.gradF += part.gradF
	total.hessF += part.hessF
	return total
}

// smallSplit is the number of rows below which a split is not worth waking workers.
const smallSplit = 16_384

// split begins to divide the rows of a node between its children, and to have those of one
// side added up: by a pass of n indices, which may not be worth waking workers.
func (s *division) split(at, left, right int, table splitTable, to adder) (n int, task parallel.Task, alone bool) {
	s.at, s.left, s.right, s.table, s.adder = at, left, right, table, to
	s.table.unit = -1
	if table.gap != lookGap {
		if s.table.unit = table.matrix.Shared(table.feature, table.left, &s.byUnit); s.table.unit >= 0 {
			s.table.left = s.byUnit[:]
		}
	}
	return s.indices(), (*splitTask)(s), to.builder == nil && s.count(at) < smallSplit
}

// endSplit returns the number of rows that have gone left, and whether the node had rows with
// the missing code.
func (s *division) endSplit() (leftRows int, missingRows bool) {
	missingRows = s.table.gap == hasGap
	for r := range s.nRuns {
		leftRows += s.nLeft[r]
		missingRows = missingRows || s.missing[r]
	}
	return leftRows, missingRows
}

// splitTask splits one run, or helps others to add theirs up.
type splitTask division

func (t *splitTask) Run(worker, index int) {
	s := (*division)(t)
	if index >= s.nRuns {
		s.adder.builder.Help(worker)
		return
	}
	run := &s.byNode[s.at][index]
	entries, first := run.Entries, run.First
	lo, hi := first, s.end(first)
	n := 0
	s.missing[index] = false
	switch {
	case len(entries) == 0:
	case s.table.unit >= 0:
		n = s.divide(entries, s.table.matrix.GroupColumn(s.table.unit).Part(lo, hi), s.scratch[worker])
	default:
		c := s.table.matrix.Block(s.table.feature, lo, hi, entries, &s.codes[worker])
		s.missing[index] = s.table.gap == lookGap && holds(c, entries, s.table.missing)
		n = s.divide(entries, c, s.scratch[worker])
	}
	s.byNode[s.left][index] = histogram.Run{First: first, Entries: entries[:n:n]}
	s.byNode[s.right][index] = histogram.Run{First: first, Entries: entries[n:]}
	s.nLeft[index] = n
	switch {
	case s.adder.builder == nil:
	case s.adder.right:
		s.adder.builder.Add(worker, first, entries[n:])
	default:
		s.adder.builder.Add(worker, first, entries[:n])
	}
}

// divide moves the entries that go left to the front; c holds the codes of the run's rows.
func (s *division) divide(entries []uint64, c binning.Column, scratch []uint64) int {
	left := s.table.left
	switch c.Bits {
	case binning.U4:
		return partition.Nibbles(entries, c.U4(), (*[16]uint8)(left), scratch)
	case binning.U8:
		return partition.Bytes(entries, c.U8(), (*[256]uint8)(left), scratch)
	case binning.U16:
		return partition.Words(entries, c.U16(), left, scratch)
	}
	return partition.Column(entries, c.U32(), left, scratch)
}

// holds reports whether any of the entries' rows has the given code.
func holds(c binning.Column, entries []uint64, code uint32) bool {
	for _, e := range entries {
		if c.At(int(hist.Row(e))) == code {
			return true
		}
	}
	return false
}

// scoreTask adds the leaf values to the scores of the rows of one run.
//
// Bound: 24 bytes a row, an entry and a score each way, which take 0.5 to 0.7 ns in the order of
// memory; five instructions a row, 0.5 ns in the cache. The scores, half a megabyte, are first read in
// that order: the first leaves otherwise wait for a line for each of their rows, which costs training 2 to 3 %.
// Four rows at a time, leaves in turn over parts of a run that stay in the first cache, and numbers of
// leaves by row first, with the scores in order after them, take as long as without, within a fifth.
type scoreTask struct {
	g      *Grower
	values []float64 // by leaf
	scores []float64
}

func (t *scoreTask) Run(_, index int) {
	s := &t.g.rows
	root := &s.byNode[0][index]
	if len(root.Entries) == 0 {
		return
	}
	scores := t.scores[root.First:s.end(root.First)]
	keep(touch(scores, 8))
	for l, value := range t.values {
		for _, e := range s.byNode[t.g.leaves[l]][index].Entries {
			scores[hist.Row(e)] += value
		}
	}
}

// touch reads one of so many values, which are a cache line, so that all of them come into the
// second cache in the order of memory.
func touch[T float32 | float64](values []T, line int) (sum T) {
	for i := 0; i < len(values); i += line {
		sum += values[i]
	}
	return sum
}

// keep takes a value that is of no use but for having been read.
//
//go:noinline
func keep[T float32 | float64](T) {}
