package binning

import (
	"context"
	"math/bits"
	"slices"

	"boost/parallel"
)

// Ellpack holds the same cells as a CSR in rows of one length: every row
// has RowStride symbols, which are the global codes of its stored cells, ascending,
// and then null symbols. It is the layout that a graphics card wants; here it serves
// as the reference for one.
type Ellpack struct {
	RowStride  int    // the most stored cells of any row
	SymbolBits int    // bits of the null symbol
	Null       uint32 // the number of codes of all features
	rows       int
	data       []byte // the stream, and wideLoad zero bytes so that wide loads may run over
}

const wideLoad = 8

// Packed returns the symbols as one stream of unsigned numbers, row by row, lowest bit
// first: ⌈rows·RowStride·SymbolBits/8⌉ bytes. It must not be changed.
func (e *Ellpack) Packed() []byte { return e.data[:len(e.data)-wideLoad] }

// Bytes returns the memory of the stream.
func (e *Ellpack) Bytes() uint64 { return uint64(len(e.data)) }

// ellpackBytes returns what a stream of so many symbols takes.
func ellpackBytes(rows, stride int, null uint32) uint64 {
	return (uint64(rows)*uint64(stride)*uint64(bits.Len32(null))+7)/8 + wideLoad
}

// ellpackBlock is the number of rows that a task packs: a multiple of 8, so that it
// begins and ends with whole bytes of the stream.
const ellpackBlock = 1 << 12

// newEllpack makes the layout of a CSR's cells, whose longest row has stride of them.
func newEllpack(ctx context.Context, c *CSR, rows, stride int, offsets []uint32, pool *parallel.Pool) (*Ellpack, error) {
	e := &Ellpack{RowStride: stride, Null: offsets[len(offsets)-1], rows: rows}
	e.SymbolBits = bits.Len32(e.Null)
	e.data = make([]byte, ellpackBytes(rows, e.RowStride, e.Null))
	return e, pool.DoContext(ctx, parallel.Blocks(rows, ellpackBlock), parallel.Func(func(_, block int) {
		first, end := parallel.Block(block, rows, ellpackBlock)
		for r := first; r < end; r++ {
			lo, hi := c.row(r)
			for i := range e.RowStride {
				symbol := e.Null
				if at := lo + uint64(i); at < hi {
					symbol = offsets[c.ColIdx.At(int(at))] + c.Values.At(int(at))
				}
				e.put(uint64(r)*uint64(e.RowStride)+uint64(i), symbol)
			}
		}
	}))
}

func (e *Ellpack) put(index uint64, symbol uint32) {
	bit := index * uint64(e.SymbolBits)
	word := uint64(symbol) << (bit % 8)
	for at := bit / 8; word != 0; at++ {
		e.data[at] |= byte(word)
		word >>= 8
	}
}

// Symbol returns symbol i of row r.
func (e *Ellpack) Symbol(r, i int) uint32 {
	bit := (uint64(r)*uint64(e.RowStride) + uint64(i)) * uint64(e.SymbolBits)
	word := uint64(0)
	for k, b := range e.data[bit/8 : bit/8+5] {
		word |= uint64(b) << (8 * k)
	}
	return uint32(word >> (bit % 8) & (1<<e.SymbolBits - 1))
}

// at returns the code of a feature whose global codes are lo … hi-1.
func (e *Ellpack) at(row int, lo, hi, defaultBin uint32) uint32 {
	for i := range e.RowStride {
		if s := e.Symbol(row, i); s >= lo {
			if s < hi {
				return s - lo
			}
			break
		}
	}
	return defaultBin
}

// slotMajorRows is the number of rows whose symbols of one slot lie side by side.
const slotMajorRows = 32

// SlotMajor returns the same symbols unpacked, slot by slot: symbol i of row r is
// entry i·padded+r, where padded is the number of rows rounded up to a multiple of 32,
// and rows beyond the last hold null symbols. One of the slices is set,
// of the narrowest type that holds the null symbol.
func (e *Ellpack) SlotMajor() (u8 []uint8, u16 []uint16, u32 []uint32) {
	rows := (e.rows + slotMajorRows - 1) / slotMajorRows * slotMajorRows
	switch {
	case e.Null <= 0xff:
		u8 = slotMajor[uint8](e, rows)
	case e.Null <= 0xffff:
		u16 = slotMajor[uint16](e, rows)
	default:
		u32 = slotMajor[uint32](e, rows)
	}
	return u8, u16, u32
}

func slotMajor[S uint8 | uint16 | uint32](e *Ellpack, rows int) []S {
	symbols := slices.Repeat([]S{S(e.Null)}, rows*e.RowStride)
	for r := range e.rows {
		for i := range e.RowStride {
			symbols[i*rows+r] = S(e.Symbol(r, i))
		}
	}
	return symbols
}

// Stream returns the packed symbols with the 8 zero bytes behind them.
func (e *Ellpack) Stream() []byte { return e.data }
