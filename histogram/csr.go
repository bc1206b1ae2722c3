package histogram

import (
	"boost/binning"
	"boost/internal/kernel/bin"
	"boost/internal/kernel/hist"
)

// csrRows adds up, or counts, entries of one run of a matrix in the layout "csr". The
// widths of the matrix's arrays are decided once, when it is made, so that each kind of
// pass is written once for all of them.
type csrRows interface {
	// addOne adds to packed sums, flat by global code.
	addOne(packed []uint64, offsets []uint32, first int, entries []uint64)
	// addTwo is addOne for 32-bit codes.
	addTwo(slots []hist.Slot[int64, uint64], offsets []uint32, first int, v values[int32, uint32], entries []uint64)
	// count counts the stored cells of each feature.
	count(counts []uint32, first int, entries []uint64)
	// sum adds to the slots that a SparseSums has for the features lo … hi-1; see hist.SumCSR.
	// v is empty where entries carry the codes.
	sum(slots []hist.CountedSlot, at []uint32, sign int64, lo, hi uint32, first int, v values[int32, uint32], entries []uint64)
	// divide takes from a node's slots what it adds to a child's; see hist.DivideCSR.
	divide(node, child []hist.CountedSlot, nodeAt, childAt []uint32, lo, hi uint32, first int, v values[int32, uint32], entries []uint64)
}

// newCSRRows returns the csrRows of a matrix's cells.
func newCSRRows(c *binning.CSR) csrRows {
	if c.RowPtr64 != nil {
		return csrOfPointers(c, c.RowPtr64)
	}
	return csrOfPointers(c, c.RowPtr)
}

func csrOfPointers[P hist.Pointer](c *binning.CSR, ptr []P) csrRows {
	switch c.ColIdx.Bits {
	case binning.U8:
		return csrOfColumns(c, ptr, c.ColIdx.U8())
	case binning.U16:
		return csrOfColumns(c, ptr, c.ColIdx.U16())
	}
	return csrOfColumns(c, ptr, c.ColIdx.U32())
}

func csrOfColumns[P hist.Pointer, I bin.Code](c *binning.CSR, ptr []P, columns []I) csrRows {
	switch c.Values.Bits {
	case binning.U8:
		return &csrOf[P, I, uint8]{ptr, columns, c.Values.U8()}
	case binning.U16:
		return &csrOf[P, I, uint16]{ptr, columns, c.Values.U16()}
	}
	return &csrOf[P, I, uint32]{ptr, columns, c.Values.U32()}
}

// csrOf is csrRows for arrays of given types.
type csrOf[P hist.Pointer, I, C bin.Code] struct {
	ptr     []P
	columns []I
	codes   []C
}

// from returns the pointers from a row on.
func (c *csrOf[P, I, C]) from(first int) []P { return c.ptr[first:] }

func (c *csrOf[P, I, C]) addOne(packed []uint64, offsets []uint32, first int, entries []uint64) {
	hist.OneWordCSR(packed, offsets, c.from(first), c.columns, c.codes, entries)
}

func (c *csrOf[P, I, C]) addTwo(slots []hist.Slot[int64, uint64], offsets []uint32, first int, v values[int32, uint32], entries []uint64) {
	hist.TwoWordCSR(slots, offsets, c.from(first), c.columns, c.codes, v.grad, v.hess, entries)
}

func (c *csrOf[P, I, C]) count(counts []uint32, first int, entries []uint64) {
	hist.CountCSR(counts, c.from(first), c.columns, entries)
}

func (c *csrOf[P, I, C]) sum(
	slots []hist.CountedSlot, at []uint32, sign int64, lo, hi uint32, first int, v values[int32, uint32], entries []uint64,
) {
	hist.SumCSR(slots, at, sign, lo, hi, c.from(first), c.columns, c.codes, v.grad, v.hess, entries)
}

func (c *csrOf[P, I, C]) divide(
	node, child []hist.CountedSlot, nodeAt, childAt []uint32, lo, hi uint32, first int, v values[int32, uint32], entries []uint64,
) {
	hist.DivideCSR(node, child, nodeAt, childAt, lo, hi, c.from(first), c.columns, c.codes, v.grad, v.hess, entries)
}
