package histogram

import (
	"boost/binning"
	"boost/internal/kernel/hist"
)

// sparseRows adds rows of a layout that stores no default bins.
type sparseRows struct {
	csr     csrRows      // nil for ELLPACK
	symbols hist.Symbols // of ELLPACK
}

// newSparseRows returns nil for layouts with columns.
func newSparseRows(m *binning.Matrix) *sparseRows {
	switch e := m.Ellpack(); {
	case m.CSR() != nil:
		return &sparseRows{csr: newCSRRows(m.CSR())}
	case e != nil:
		return &sparseRows{symbols: hist.Symbols{
			PerRow: e.RowStride, Null: e.Null, Packed: e.Stream(), Bits: e.SymbolBits,
		}}
	}
	return nil
}

// from returns the symbols from a row on.
func (s *sparseRows) from(first int) *hist.Symbols {
	symbols := s.symbols
	symbols.First = uint64(first)
	return &symbols
}

// addOne adds entries of one run to packed sums, flat by global code.
func (s *sparseRows) addOne(packed []uint64, offsets []uint32, first int, entries []uint64) {
	if s.csr == nil {
		hist.OneWordSymbols(packed, s.from(first), entries)
		return
	}
	s.csr.addOne(packed, offsets, first, entries)
}

// addTwo is addOne for 32-bit codes.
func (s *sparseRows) addTwo(slots []hist.Slot[int64, uint64], offsets []uint32, first int, v values[int32, uint32], entries []uint64) {
	if s.csr == nil {
		hist.TwoWordSymbols(slots, s.from(first), v.grad, v.hess, entries)
		return
	}
	s.csr.addTwo(slots, offsets, first, v, entries)
}
