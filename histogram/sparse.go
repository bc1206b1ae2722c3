package histogram

import (
	"boost/binning"
	"boost/internal/kernel/bin"
	"boost/internal/kernel/hist"
)

// sparseRows adds rows of a layout that stores no rest codes.
type sparseRows struct {
	csr     *binning.CSR
	ellpack *binning.Ellpack
	symbols hist.Symbols
}

// newSparseRows returns nil for layouts with columns.
func newSparseRows(m *binning.Matrix) *sparseRows {
	switch e := m.Ellpack(); {
	case m.CSR() != nil:
		return &sparseRows{csr: m.CSR()}
	case e != nil:
		return &sparseRows{ellpack: e, symbols: hist.Symbols{
			PerRow: e.RowStride, Null: e.Null, Packed: e.Stream(), Bits: e.SymbolBits,
		}}
	}
	return nil
}

// units returns every feature as a unit of its own.
func (s *sparseRows) units(m *binning.Matrix) []binning.Unit {
	units, features := make([]binning.Unit, m.NFeatures()), make([]int, m.NFeatures())
	for f := range units {
		features[f] = f
		info := m.FeatureInfo(f)
		units[f] = binning.Unit{Features: features[f : f+1 : f+1], NBins: info.NBins, Bits: info.Bits}
	}
	return units
}

// addOne adds entries of one block to packed sums, flat by global code.
func (s *sparseRows) addOne(packed []uint64, offsets []uint32, block int, entries []uint64) {
	if s.csr == nil {
		symbols := s.symbols
		symbols.First = uint64(block) * hist.BlockRows
		hist.OneWordSymbols(packed, &symbols, entries)
		return
	}
	row := block * hist.BlockRows
	if s.csr.RowPtr64 != nil {
		oneWordCSR(s.csr, packed, offsets, s.csr.RowPtr64[row:], entries)
	} else {
		oneWordCSR(s.csr, packed, offsets, s.csr.RowPtr[row:], entries)
	}
}

func oneWordCSR[P hist.Pointer](c *binning.CSR, packed []uint64, offsets []uint32, ptr []P, entries []uint64) {
	switch c.ColIdx.Bits {
	case binning.U8:
		oneWordValues(c, packed, offsets, ptr, c.ColIdx.U8(), entries)
	case binning.U16:
		oneWordValues(c, packed, offsets, ptr, c.ColIdx.U16(), entries)
	default:
		oneWordValues(c, packed, offsets, ptr, c.ColIdx.U32(), entries)
	}
}

func oneWordValues[P hist.Pointer, I bin.Code](c *binning.CSR, packed []uint64, offsets []uint32, ptr []P, columns []I, entries []uint64) {
	switch c.Values.Bits {
	case binning.U8:
		hist.OneWordCSR(packed, offsets, ptr, columns, c.Values.U8(), entries)
	case binning.U16:
		hist.OneWordCSR(packed, offsets, ptr, columns, c.Values.U16(), entries)
	default:
		hist.OneWordCSR(packed, offsets, ptr, columns, c.Values.U32(), entries)
	}
}

// addTwo is addOne for 32-bit codes.
func (s *sparseRows) addTwo(slots []hist.Slot[int64, uint64], offsets []uint32, block int, v values[int32, uint32], entries []uint64) {
	if s.csr == nil {
		symbols := s.symbols
		symbols.First = uint64(block) * hist.BlockRows
		hist.TwoWordSymbols(slots, &symbols, v.grad, v.hess, entries)
		return
	}
	row := block * hist.BlockRows
	if s.csr.RowPtr64 != nil {
		twoWordCSR(s.csr, slots, offsets, s.csr.RowPtr64[row:], v, entries)
	} else {
		twoWordCSR(s.csr, slots, offsets, s.csr.RowPtr[row:], v, entries)
	}
}

func twoWordCSR[P hist.Pointer](c *binning.CSR, slots []hist.Slot[int64, uint64], offsets []uint32, ptr []P, v values[int32, uint32], entries []uint64) {
	switch c.ColIdx.Bits {
	case binning.U8:
		twoWordValues(c, slots, offsets, ptr, c.ColIdx.U8(), v, entries)
	case binning.U16:
		twoWordValues(c, slots, offsets, ptr, c.ColIdx.U16(), v, entries)
	default:
		twoWordValues(c, slots, offsets, ptr, c.ColIdx.U32(), v, entries)
	}
}

func twoWordValues[P hist.Pointer, I bin.Code](c *binning.CSR, slots []hist.Slot[int64, uint64], offsets []uint32, ptr []P, columns []I, v values[int32, uint32], entries []uint64) {
	switch c.Values.Bits {
	case binning.U8:
		hist.TwoWordCSR(slots, offsets, ptr, columns, c.Values.U8(), v.grad, v.hess, entries)
	case binning.U16:
		hist.TwoWordCSR(slots, offsets, ptr, columns, c.Values.U16(), v.grad, v.hess, entries)
	default:
		hist.TwoWordCSR(slots, offsets, ptr, columns, c.Values.U32(), v.grad, v.hess, entries)
	}
}
