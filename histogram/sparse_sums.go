package histogram

import (
	"slices"

	"boost/binning"
	"boost/gradients"
	"boost/internal/kernel/hist"
	"boost/parallel"
)

// PreferSparse reports whether a sparse matrix is better searched with a SparseSums than with
// flat histograms: by binning.PreferSparse, or where flat ones would take too much memory.
func PreferSparse(m *binning.Matrix, leaves int) bool {
	csr := m.CSR()
	if csr == nil {
		return false
	}
	slots := uint64(m.Offsets()[m.NFeatures()])
	const roomy = 1 << 30 // bytes of flat histograms that are no trouble
	return binning.PreferSparse(m.NFeatures(), slots, csr.Entries()) || 16*slots*uint64(leaves) > roomy
}

// SparseSums adds up the rows of a node for those features only that could be split there. It is
// for sparse tables with so many codes that one flat histogram per leaf is out of
// proportion to the rows. Sums are of integers and equal those of a Builder.
//
// It costs 4 bytes per feature and worker and 8 per row. The NodeSums of a node cost 24 per code of
// its features. A matrix that keeps its cells by feature makes large nodes cheaper.
type SparseSums struct {
	matrix  *binning.Matrix
	csr     *binning.CSR
	rows    csrRows
	pool    *parallel.Pool
	offsets []uint32
	limit   int // slots that may be kept at once
	kept    int
	free    []*NodeSums

	counts  [][]uint32 // per worker and feature: stored cells of the node's rows
	took    []bool     // per worker: it has counted
	at      []uint32   // per feature: its first slot in the sums of the pass, or hist.Nowhere
	childAt []uint32   // the same for the child's sums
	words   []uint64   // by row, in a pass by columns: its codes, 0 where it is not in the node
	current sparsePass
}

// sparsePass is one pass over the rows of a node. It adds them to sums or, with sign -1, takes them away.
type sparsePass struct {
	*SparseSums
	storage *gradients.Storage
	runs    []Run
	pieces  []piece
	sums    *NodeSums
	sign    int64
	child   *NodeSums // gets the rows that sums lose, or nil
	parts   []uint32  // features parts[i] … parts[i+1]-1 are added up by one task
	merged  []uint32  // counts of the worker that the others' are added to
}

// NodeSums are the sums of one node, by code, of the features that could be split there.
type NodeSums struct {
	Features []int32 // ascending
	firsts   []uint32
	slots    []hist.CountedSlot
	total    Total
	rows     int
}

// NewSparseSums returns a SparseSums over a matrix in the layout "csr".
func NewSparseSums(m *binning.Matrix, pool *parallel.Pool) *SparseSums {
	d := &SparseSums{
		matrix: m, csr: m.CSR(), rows: newCSRRows(m.CSR()), pool: pool, offsets: m.Offsets(), limit: keptSlots(m),
		counts: make([][]uint32, pool.Threads()), took: make([]bool, pool.Threads()),
		at: make([]uint32, m.NFeatures()), childAt: make([]uint32, m.NFeatures()),
	}
	d.current.SparseSums = d
	for f := range d.at {
		d.at[f], d.childAt[f] = hist.Nowhere, hist.Nowhere
	}
	return d
}

// keptSlots is the number of slots that may be kept at once: 16 million, which are
// 384 MiB, or those of two roots.
func keptSlots(m *binning.Matrix) int {
	return max(16<<20, 2*int(m.Offsets()[m.NFeatures()]))
}

// SparseSumsBytes returns the most memory that a SparseSums takes: the slots it keeps and those
// of two more nodes, 24 bytes each, of the features that have so many rows off their
// default bin; 28 more per feature for lists of them, 4 per feature and worker, and 8 per row.
func SparseSumsBytes(m *binning.Matrix, leaves, least, threads int) int64 {
	slots := int64(0)
	for f, n := range m.CSR().Counts {
		if n >= uint32(least) {
			slots += int64(m.Offsets()[f+1] - m.Offsets()[f])
		}
	}
	return 24*(min(int64(leaves)*slots, int64(keptSlots(m)))+2*slots) + int64(m.NFeatures())*int64(28+4*threads) + 8*int64(m.NRows())
}

// Build adds up the rows of a node for those of the features, ascending, that have at
// least `least` stored cells among them: a split of any other feature has fewer rows
// on one side. total are the sums of all the rows' codes.
func (d *SparseSums) Build(st *gradients.Storage, runs []Run, total Total, features []int, least uint64) *NodeSums {
	p := d.begin(st, runs)
	rows := rowsIn(runs)
	counts := d.csr.Counts
	if rows < d.matrix.NRows() {
		counts = p.count(rows)
	}
	s := d.choose(counts, features, max(least, 1))
	s.rows, s.total = rows, total
	p.run(s, 1)
	return s
}

// Subtract takes the rows of a child away from its parent's sums, which become those of
// the other child. gone are the sums of all the rows' codes.
func (d *SparseSums) Subtract(s *NodeSums, st *gradients.Storage, runs []Run, gone Total) {
	s.lose(rowsIn(runs), gone)
	d.begin(st, runs).run(s, -1)
}

// Divide is Build for a child and Subtract of it from its parent's sums. A small child takes
// one pass over its rows.
func (d *SparseSums) Divide(parent *NodeSums, st *gradients.Storage, runs []Run, total Total, features []int, least uint64) *NodeSums {
	rows := rowsIn(runs)
	if d.byColumns(st, rows) {
		child := d.Build(st, runs, total, features, least)
		d.Subtract(parent, st, runs, total)
		return child
	}
	p := d.begin(st, runs)
	child := d.choose(p.count(rows), features, max(least, 1))
	child.rows, child.total = rows, total
	for i, f := range child.Features {
		d.childAt[f] = child.firsts[i]
	}
	parent.lose(rows, total)
	p.child = child
	p.run(parent, -1)
	p.child = nil
	for _, f := range child.Features {
		d.childAt[f] = hist.Nowhere
	}
	return child
}

// begin makes the memory of the last pass that of a new one.
func (d *SparseSums) begin(st *gradients.Storage, runs []Run) *sparsePass {
	p := &d.current
	p.storage, p.runs, p.child = st, runs, nil
	return p
}

// byColumns reports whether so many rows are added up feature by feature.
func (d *SparseSums) byColumns(st *gradients.Storage, rows int) bool {
	return st.OneWord() && d.csr.ByFeature() && rows*columnShare >= d.matrix.NRows()
}

// run adds up the rows, or takes them away, by parts of the features.
func (d *sparsePass) run(s *NodeSums, sign int64) {
	if len(s.Features) == 0 {
		return
	}
	d.sums, d.sign = s, sign
	rows := rowsIn(d.runs)
	if d.byColumns(d.storage, rows) {
		d.runColumns()
		return
	}
	for i, f := range s.Features {
		d.at[f] = s.firsts[i]
	}
	parts := d.pool.Threads()
	if cells := uint64(rows) * d.csr.Entries() / uint64(max(d.matrix.NRows(), 1)); int(cells) < smallNode {
		parts = 1
	}
	d.parts = append(d.parts[:0], 0)
	cells, sum := uint64(0), uint64(0)
	for _, f := range s.Features {
		cells += uint64(d.csr.Counts[f])
	}
	for _, f := range s.Features { // parts of about the same number of cells in the whole table
		if len(d.parts) < parts && sum >= cells*uint64(len(d.parts))/uint64(parts) {
			d.parts = append(d.parts, uint32(f))
		}
		sum += uint64(d.csr.Counts[f])
	}
	d.parts = append(d.parts, uint32(d.matrix.NFeatures()))
	if len(d.parts) == 2 {
		(*sparseSumsTask)(d).Run(0, 0)
	} else {
		d.pool.Do(len(d.parts)-1, (*sparseSumsTask)(d))
	}
	for _, f := range s.Features {
		d.at[f] = hist.Nowhere
	}
	d.sums = nil
}

// columnShare: a node with at least one row in this many of the table's is added up by columns. That reads all cells of
// a column, but its few slots stay in a cache. By rows each cell falls anywhere into all slots, and misses all caches.
const columnShare = 6

// columnChunk is the number of features of one task of a pass by columns.
const columnChunk = 32

// runColumns adds up the rows, or takes them away, feature by feature.
func (d *sparsePass) runColumns() {
	if d.words == nil {
		d.words = make([]uint64, d.matrix.NRows())
	}
	d.pool.Do(len(d.runs), (*spreadTask)(d))
	d.pool.Do((len(d.sums.Features)+columnChunk-1)/columnChunk, (*columnSumTask)(d))
	d.sums = nil
}

// spreadTask writes the words of one run, and clears those of other rows up to the next run.
type spreadTask sparsePass

func (t *spreadTask) Run(_, index int) {
	d := (*sparsePass)(t)
	run := &d.runs[index]
	lo, hi := run.First, len(d.words)
	if index == 0 {
		lo = 0
	}
	if index+1 < len(d.runs) {
		hi = d.runs[index+1].First
	}
	if len(run.Entries) < hi-lo {
		clear(d.words[lo:hi])
	}
	hist.Spread(d.words[run.First:], run.Entries)
}

// columnSumTask adds up a chunk of the features.
type columnSumTask sparsePass

func (t *columnSumTask) Run(_, chunk int) {
	d := (*sparsePass)(t)
	s := d.sums
	lo := chunk * columnChunk
	for i := lo; i < min(lo+columnChunk, len(s.Features)); i++ {
		f := int(s.Features[i])
		rows, codes := d.csr.Cells(f)
		slots := s.slots[s.firsts[i]:][:d.offsets[f+1]-d.offsets[f]]
		switch codes.Bits {
		case binning.U8:
			hist.SumColumn(slots, rows, codes.U8(), d.words, d.sign)
		case binning.U16:
			hist.SumColumn(slots, rows, codes.U16(), d.words, d.sign)
		default:
			hist.SumColumn(slots, rows, codes.U32(), d.words, d.sign)
		}
	}
}

// Keep reports whether a node's sums may be kept until it is split; there is room for so
// many only, so that deep trees do not take more memory than the table.
func (d *SparseSums) Keep(s *NodeSums) bool {
	if d.kept+cap(s.slots) > d.limit {
		return false
	}
	d.kept += cap(s.slots)
	return true
}

// Release gives sums back. kept is what Keep returned for them.
func (d *SparseSums) Release(s *NodeSums, kept bool) {
	if kept {
		d.kept -= cap(s.slots)
	}
	d.free = append(d.free, s)
}

// get returns sums with room for so many slots: the smallest free ones that have it.
func (d *SparseSums) get(slots int) *NodeSums {
	best := -1
	for i, s := range d.free {
		if cap(s.slots) >= slots && (best < 0 || cap(s.slots) < cap(d.free[best].slots)) {
			best = i
		}
	}
	s := &NodeSums{}
	if best >= 0 {
		s = d.free[best]
		d.free = slices.Delete(d.free, best, best+1)
	} else {
		if n := len(d.free); n > 0 { // what is too small would only pile up
			d.free = d.free[:n-1]
		}
		s.slots = make([]hist.CountedSlot, slots)
	}
	s.slots = s.slots[:slots]
	clear(s.slots)
	return s
}

// count counts the stored cells of the node's rows.
func (d *sparsePass) count(rows int) []uint32 {
	clear(d.took)
	d.pieces = cut(d.pieces[:0], d.runs, intGroup, rowChunk)
	if rows < rowChunk {
		for i := range d.pieces {
			(*countTask)(d).Run(0, i)
		}
	} else {
		d.pool.Do(len(d.pieces), (*countTask)(d))
	}
	d.merged = nil
	workers := 0
	for w := len(d.took) - 1; w >= 0; w-- {
		if d.took[w] {
			d.merged = d.counts[w]
			workers++
		}
	}
	if workers > 1 {
		d.pool.Do(parallel.Blocks(d.matrix.NFeatures(), mergeChunk), (*mergeTask)(d))
	}
	return d.merged
}

// mergeChunk is the number of features of which one task adds up the workers' counts.
const mergeChunk = 16_384

type mergeTask sparsePass

func (t *mergeTask) Run(_, chunk int) {
	d := (*sparsePass)(t)
	lo, hi := parallel.Block(chunk, d.matrix.NFeatures(), mergeChunk)
	first := true
	for w, took := range d.took {
		if took && !first {
			add(d.merged[lo:hi], d.counts[w][lo:hi])
		}
		first = first && !took
	}
}

// countTask counts the cells of one piece of the rows.
type countTask sparsePass

func (t *countTask) Run(worker, index int) {
	d := (*sparsePass)(t)
	if d.counts[worker] == nil {
		d.counts[worker] = make([]uint32, d.matrix.NFeatures())
	}
	if !d.took[worker] {
		clear(d.counts[worker])
		d.took[worker] = true
	}
	p := d.pieces[index]
	run := &d.runs[p.run]
	d.rows.count(d.counts[worker], run.First, run.Entries[p.lo:p.hi])
}

// choose lists the features that are worth adding up and gives them slots.
func (d *SparseSums) choose(counts []uint32, features []int, least uint64) *NodeSums {
	slots := 0
	for _, f := range features {
		if counts != nil && uint64(counts[f]) >= least {
			slots += int(d.offsets[f+1] - d.offsets[f])
		}
	}
	s := d.get(slots)
	s.Features, s.firsts = s.Features[:0], s.firsts[:0]
	slots = 0
	for _, f := range features {
		if counts == nil || uint64(counts[f]) < least {
			continue
		}
		s.Features, s.firsts = append(s.Features, int32(f)), append(s.firsts, uint32(slots))
		slots += int(d.offsets[f+1] - d.offsets[f])
	}
	return s
}

// sparseSumsTask adds up one part of the features over all rows.
type sparseSumsTask sparsePass

func (t *sparseSumsTask) Run(_, index int) {
	d := (*sparsePass)(t)
	for i := range d.runs {
		run := &d.runs[i]
		if len(run.Entries) == 0 {
			continue
		}
		var v values[int32, uint32]
		if d.storage.Mode() == gradients.I32 {
			v = wideValues(d.storage, run.First)
		}
		lo, hi := d.parts[index], d.parts[index+1]
		if d.child != nil {
			d.rows.divide(d.sums.slots, d.child.slots, d.at, d.childAt, lo, hi, run.First, v, run.Entries)
		} else {
			d.rows.sum(d.sums.slots, d.at, d.sign, lo, hi, run.First, v, run.Entries)
		}
	}
}

// Feature writes the sums of the i-th feature to grad and hess and its numbers of rows
// to count, one entry per code; defaultBin is the code that the matrix does not store. It
// returns how many rows have another one.
func (s *NodeSums) Feature(i int, defaultBin uint32, grad []int64, hess []uint64, count []uint32) (stored uint64) {
	left := s.total
	for code, slot := range s.slots[s.firsts[i]:][:len(grad)] {
		grad[code], hess[code], count[code] = slot.Grad, slot.Hess, uint32(slot.Rows)
		left.Grad -= slot.Grad
		left.Hess -= slot.Hess
		stored += slot.Rows
	}
	grad[defaultBin], hess[defaultBin], count[defaultBin] = left.Grad, left.Hess, uint32(uint64(s.rows)-stored)
	return stored
}

// lose takes rows of the given sums away from the node's own; run takes them from the features'.
func (s *NodeSums) lose(rows int, gone Total) {
	s.total.Grad -= gone.Grad
	s.total.Hess -= gone.Hess
	s.rows -= rows
}

// Drop takes the marked features off the list: they cannot be split any more.
func (s *NodeSums) Drop(dead []bool) {
	n := 0
	for i, f := range s.Features {
		if !dead[i] {
			s.Features[n], s.firsts[n] = f, s.firsts[i]
			n++
		}
	}
	s.Features, s.firsts = s.Features[:n], s.firsts[:n]
}
