package histogram

import (
	"boost/binning"
	"boost/gradients"
	"boost/internal/kernel/bin"
	"boost/internal/kernel/hist"
	"boost/parallel"
)

// DirectPays says whether a sparse matrix is better searched with a Direct than with
// flat histograms: where clearing, subtracting and searching the slots of every node
// would cost more than adding up the rows of both its children.
//
// The figures are rough costs: 4 ns per slot and 100 ns per feature of a flat
// histogram, and 6 ns per stored cell of an eighth of the rows, a usual node.
func DirectPays(m *binning.Matrix, leaves int) bool {
	csr := m.CSR()
	if csr == nil {
		return false
	}
	slots, cells := uint64(m.Offsets()[m.NFeatures()]), csr.Entries()
	const roomy = 1 << 30 // bytes of flat histograms that are no trouble
	return 4*slots+100*uint64(m.NFeatures()) > 3*cells/4 || 16*slots*uint64(leaves) > roomy
}

// Direct adds up the rows of one node at a time, for those features only that could be
// split there, and keeps no histogram: for sparse tables with so many codes that one
// flat histogram per leaf is out of proportion to the rows. It costs 4 bytes per
// feature and worker, 4 per feature, and 16 per code of the features that can be split.
//
// Sums are of integers and equal those of a Builder.
type Direct struct {
	matrix  *binning.Matrix
	csr     *binning.CSR
	pool    *parallel.Pool
	offsets []uint32

	storage *gradients.Storage
	runs    []Run
	pieces  []piece
	counts  [][]uint32 // per worker and feature: stored cells of the node's rows
	took    []bool     // per worker
	live    []int32
	at      []uint32 // per feature: its first slot, or hist.Nowhere
	slots   []hist.Slot[int64, uint64]
	parts   []uint32 // features parts[i] … parts[i+1]-1 are added up by one task
	total   total
}

// NewDirect returns a Direct over a matrix in the layout "csr".
func NewDirect(m *binning.Matrix, pool *parallel.Pool) *Direct {
	d := &Direct{
		matrix: m, csr: m.CSR(), pool: pool, offsets: m.Offsets(),
		counts: make([][]uint32, pool.Threads()), took: make([]bool, pool.Threads()),
		at: make([]uint32, m.NFeatures()),
	}
	for f := range d.at {
		d.at[f] = hist.Nowhere
	}
	return d
}

// Build adds up the rows of a node for those of the features, ascending, that have at
// least `least` stored cells among them: a split of any other feature has fewer rows
// on one side. It returns these features, ascending, until the next call.
func (d *Direct) Build(st *gradients.Storage, runs []Run, features []int, least uint64) []int32 {
	d.storage, d.runs = st, runs
	rows := 0
	for i := range runs {
		rows += len(runs[i].Entries)
	}
	counts := d.csr.Counts
	if rows < d.matrix.NRows() {
		counts = d.count(rows)
	}
	d.choose(counts, features, max(least, 1))
	if len(d.live) > 0 {
		d.total = sumRows(st, runs)
		d.pool.Do(len(d.parts)-1, (*directTask)(d))
	}
	return d.live
}

// count counts the stored cells of the node's rows.
func (d *Direct) count(rows int) []uint32 {
	clear(d.took)
	d.pieces = cut(d.pieces[:0], d.runs, intGroup, rowChunk)
	if rows < rowChunk {
		for i := range d.pieces {
			(*countTask)(d).Run(0, i)
		}
	} else {
		d.pool.Do(len(d.pieces), (*countTask)(d))
	}
	var all []uint32
	for w, took := range d.took {
		switch {
		case !took:
		case all == nil:
			all = d.counts[w]
		default:
			for f, n := range d.counts[w] {
				all[f] += n
			}
		}
	}
	return all
}

// countTask counts the cells of one piece of the rows.
type countTask Direct

func (t *countTask) Run(worker, index int) {
	d := (*Direct)(t)
	if d.counts[worker] == nil {
		d.counts[worker] = make([]uint32, d.matrix.NFeatures())
	}
	if !d.took[worker] {
		clear(d.counts[worker])
		d.took[worker] = true
	}
	p := d.pieces[index]
	run := &d.runs[p.run]
	entries, row := run.Entries[p.lo:p.hi], run.Block*hist.BlockRows
	if d.csr.RowPtr64 != nil {
		countCSR(d.counts[worker], d.csr, d.csr.RowPtr64[row:], entries)
	} else {
		countCSR(d.counts[worker], d.csr, d.csr.RowPtr[row:], entries)
	}
}

func countCSR[P hist.Pointer](counts []uint32, c *binning.CSR, ptr []P, entries []uint64) {
	switch c.ColIdx.Bits {
	case binning.U8:
		hist.CountCSR(counts, ptr, c.ColIdx.U8(), entries)
	case binning.U16:
		hist.CountCSR(counts, ptr, c.ColIdx.U16(), entries)
	default:
		hist.CountCSR(counts, ptr, c.ColIdx.U32(), entries)
	}
}

// choose lists the features that are worth adding up, gives them slots and cuts them
// into parts of about the same number of cells.
func (d *Direct) choose(counts []uint32, features []int, least uint64) {
	for _, f := range d.live {
		d.at[f] = hist.Nowhere
	}
	d.live = d.live[:0]
	slots, cells := 0, uint64(0)
	for _, f := range features {
		if counts == nil || uint64(counts[f]) < least {
			continue
		}
		d.live = append(d.live, int32(f))
		d.at[f] = uint32(slots)
		slots += int(d.offsets[f+1] - d.offsets[f])
		cells += uint64(counts[f])
	}
	if cap(d.slots) < slots {
		d.slots = make([]hist.Slot[int64, uint64], slots)
	}
	d.slots = d.slots[:slots]
	clear(d.slots)

	parts := uint64(d.pool.Threads())
	if cells < smallNode {
		parts = 1
	}
	d.parts = append(d.parts[:0], 0)
	sum := uint64(0)
	for _, f := range d.live {
		if sum >= cells*uint64(len(d.parts))/parts && uint64(len(d.parts)) < parts {
			d.parts = append(d.parts, uint32(f))
		}
		sum += uint64(counts[f])
	}
	d.parts = append(d.parts, uint32(d.matrix.NFeatures()))
}

// directTask adds up one part of the features over all rows.
type directTask Direct

func (t *directTask) Run(_, index int) {
	d := (*Direct)(t)
	for i := range d.runs {
		run := &d.runs[i]
		if len(run.Entries) == 0 {
			continue
		}
		row := run.Block * hist.BlockRows
		if d.csr.RowPtr64 != nil {
			sumCSR(d, index, d.csr.RowPtr64[row:], run)
		} else {
			sumCSR(d, index, d.csr.RowPtr[row:], run)
		}
	}
}

func sumCSR[P hist.Pointer](d *Direct, part int, ptr []P, run *Run) {
	switch d.csr.ColIdx.Bits {
	case binning.U8:
		sumValues(d, part, ptr, d.csr.ColIdx.U8(), run)
	case binning.U16:
		sumValues(d, part, ptr, d.csr.ColIdx.U16(), run)
	default:
		sumValues(d, part, ptr, d.csr.ColIdx.U32(), run)
	}
}

func sumValues[P hist.Pointer, I bin.Code](d *Direct, part int, ptr []P, columns []I, run *Run) {
	lo, hi := d.parts[part], d.parts[part+1]
	var v values[int32, uint32]
	if d.storage.Mode() == gradients.I32 {
		grad, hess := d.storage.Codes32()
		v = values[int32, uint32]{rowsOf(grad, run.Block), rowsOf(hess, run.Block)}
	}
	switch c := &d.csr.Values; c.Bits {
	case binning.U8:
		hist.SumCSR(d.slots, d.at, lo, hi, ptr, columns, c.U8(), v.grad, v.hess, run.Entries)
	case binning.U16:
		hist.SumCSR(d.slots, d.at, lo, hi, ptr, columns, c.U16(), v.grad, v.hess, run.Entries)
	default:
		hist.SumCSR(d.slots, d.at, lo, hi, ptr, columns, c.U32(), v.grad, v.hess, run.Entries)
	}
}

// Feature writes the sums of a feature that the last Build returned to grad and hess,
// one entry per code.
func (d *Direct) Feature(f int, grad []int64, hess []uint64) {
	rest := d.total
	for i, s := range d.slots[d.at[f]:][:len(grad)] {
		grad[i], hess[i] = s.Grad, s.Hess
		rest.grad -= s.Grad
		rest.hess -= s.Hess
	}
	code, _ := d.matrix.Rest(f)
	grad[code], hess[code] = rest.grad, rest.hess
}
