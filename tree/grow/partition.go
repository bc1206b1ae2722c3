package grow

import (
	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/kernel/hist"
	"boost/internal/kernel/partition"
	"boost/parallel"
)

// partitioner finds the rows of the root, and divides those of nodes, one at a time.
type partitioner struct {
	*rowSets

	// What the current task works on.
	storage     *gradients.Storage
	bag         *gradients.Bag
	at          int
	left, right int
	table       splitTable
	nLeft       []int // per run
	missing     []bool
	byGroup     [256]uint8 // stays, by code of the stored column
	adder       adder
	totals      []sums
}

// adder is told of rows as soon as it is known that they are in a leaf, while they are in the
// cache.
type adder struct {
	builder *histogram.Builder // nil: nothing adds them up
	right   bool               // of a split: the rows that go right
}

// splitTable says where each code of the split feature goes. The entries of one side stay in front, in the memory that
// all entries have had; those of the other are copied twice. So the side that seems to have more rows, by its part of the
// hessians, stays.
type splitTable struct {
	matrix     *binning.Matrix
	feature    int
	stays      []uint8 // 1 where the code's side stays; at least 16 or 256 entries for U4 and U8
	rightStays bool
	missing    uint32 // the missing code
	missingState
	inEntries bool // entries carry the codes of gradients and hessians
	group     int  // stored column that the rows are divided by, or -1: by the feature's codes
}

// missingState is what is known of rows with the missing code in a node.
type missingState uint8

const (
	noMissing        missingState = iota // there are none
	someMissing                          // there are some
	missingSumIsZero                     // their codes add up to nothing: the rows must be looked at
)

func (p *partitioner) init(rows *rowSets) {
	p.rowSets = rows
	p.nLeft, p.missing = make([]int, rows.nRuns), make([]bool, rows.nRuns)
	p.totals = make([]sums, rows.nRuns)
}

// start begins to put all rows of the bag into the root, and to have them added up: by a pass of n
// indices.
func (p *partitioner) start(st *gradients.Storage, to adder) (n int, task parallel.Task) {
	p.storage, p.adder = st, to
	if p.reach = p.stretch; p.bag != nil {
		p.reach = hist.BlockRows
	}
	return p.indices(), (*startTask)(p)
}

// indices returns those of a pass over the runs: behind them is one for each worker that
// may have to wait for the others, where rows are added up.
func (p *partitioner) indices() int {
	if p.adder.builder == nil {
		return p.nRuns
	}
	return p.nRuns + len(p.scratch) - 1
}

// startTask fills one run of the root, or helps others to add theirs up.
type startTask partitioner

func (t *startTask) Run(worker, index int) {
	p := (*partitioner)(t)
	if index >= p.nRuns {
		p.adder.builder.Help(worker)
		return
	}
	run := &p.byNode[0][index]
	lo := min(index*p.reach, p.rows)
	run.First, run.Entries = lo, p.entries[lo:p.end(lo)]
	var rows []uint16
	if p.bag != nil && lo < p.rows {
		rows = p.bag.Block(index)
		run.Entries = run.Entries[:len(rows)]
	}
	p.totals[index] = sums{}
	if len(run.Entries) == 0 {
		return
	}
	p.storage.Entries(run.Entries, run.First, rows)
	if p.storage.Mode() != gradients.F32 { // while they are in the cache
		grad, hess := p.storage.Total(run.First, run.Entries)
		p.totals[index] = sums{grad: grad, hess: hess}
	}
	if p.adder.builder != nil {
		p.adder.builder.Add(worker, run.First, run.Entries)
	}
}

// total returns the sums of all rows of the root, where the pass that start began has put them.
// Sums of floats are taken per 4,096 consecutive entries and added in order of rows.
func (p *partitioner) total(st *gradients.Storage) sums {
	p.storage = st
	if st.Mode() == gradients.F32 {
		return p.floatTotal(st)
	}
	var all sums
	for _, t := range p.totals {
		all.grad += t.grad
		all.hess += t.hess
	}
	if st.Counts() {
		all.rows = int64(p.count(0))
	}
	return all
}

func (p *partitioner) floatTotal(st *gradients.Storage) sums {
	const group = 4096
	grad, hess := st.Floats()
	var total, part sums
	n := 0
	for _, run := range p.byNode[0] {
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
func (p *partitioner) split(at, left, right int, table splitTable, to adder) (n int, task parallel.Task, alone bool) {
	p.at, p.left, p.right, p.table, p.adder = at, left, right, table, to
	p.table.group = -1
	if table.missingState != missingSumIsZero {
		if p.table.group = table.matrix.Shared(table.feature, table.stays, &p.byGroup); p.table.group >= 0 {
			p.table.stays = p.byGroup[:]
		}
	}
	return p.indices(), (*splitTask)(p), to.builder == nil && p.count(at) < smallSplit
}

// endSplit returns the number of rows that have gone left, and whether the node had rows with
// the missing code.
func (p *partitioner) endSplit() (leftRows int, missingRows bool) {
	missingRows = p.table.missingState == someMissing
	for r := range p.nRuns {
		leftRows += p.nLeft[r]
		missingRows = missingRows || p.missing[r]
	}
	return leftRows, missingRows
}

// splitTask splits one run, or helps others to add theirs up.
type splitTask partitioner

func (t *splitTask) Run(worker, index int) {
	p := (*partitioner)(t)
	if index >= p.nRuns {
		p.adder.builder.Help(worker)
		return
	}
	run := &p.byNode[p.at][index]
	entries, first := run.Entries, run.First
	lo, hi := first, p.end(first)
	n := 0
	p.missing[index] = false
	switch {
	case len(entries) == 0:
	case p.table.group >= 0:
		n = p.divide(entries, p.table.matrix.GroupColumn(p.table.group).Part(lo, hi), p.scratch[worker])
	default:
		c := p.table.matrix.Block(p.table.feature, lo, hi, entries, &p.codes[worker])
		p.missing[index] = p.table.missingState == missingSumIsZero && !p.table.allHaveHess(entries) && holds(c, entries, p.table.missing)
		n = p.divide(entries, c, p.scratch[worker])
	}
	left, right := entries[:n:n], entries[n:]
	if p.table.rightStays {
		left, right = right, left
	}
	p.byNode[p.left][index] = histogram.Run{First: first, Entries: left}
	p.byNode[p.right][index] = histogram.Run{First: first, Entries: right}
	p.nLeft[index] = len(left)
	switch {
	case p.adder.builder == nil:
	case p.adder.right:
		p.adder.builder.Add(worker, first, right)
	default:
		p.adder.builder.Add(worker, first, left)
	}
}

// divide moves the entries that stay to the front; c holds the codes of the run's rows.
func (p *partitioner) divide(entries []uint64, c binning.Column, scratch []uint64) int {
	stays := p.table.stays
	switch c.Bits {
	case binning.U4:
		return partition.Nibbles(entries, c.U4(), (*[16]uint8)(stays), scratch)
	case binning.U8:
		return partition.Bytes(entries, c.U8(), (*[256]uint8)(stays), scratch)
	case binning.U16:
		return partition.Words(entries, c.U16(), stays, scratch)
	}
	return partition.Column(entries, c.U32(), stays, scratch)
}

// allHaveHess reports whether all entries have a hessian code above 0, so that no row's codes are 0.
func (t *splitTable) allHaveHess(entries []uint64) bool {
	return t.inEntries && hist.LeastHess(entries) > 0
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
