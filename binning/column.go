package binning

import "boost/internal/kernel/bin"

// Column is a view of one feature's codes that knows its width.
type Column struct {
	Bits Width
	N    int // rows
	u4   []byte
	u8   []uint8
	u16  []uint16
	u32  []uint32
}

// U4 returns the packed nibbles of a U4 column: row r in byte r/2, low nibble first.
func (c Column) U4() []byte { return c.u4 }

// U8 returns the codes of a U8 column.
func (c Column) U8() []uint8 { return c.u8 }

// U16 returns the codes of a U16 column.
func (c Column) U16() []uint16 { return c.u16 }

// U32 returns the codes of a U32 column.
func (c Column) U32() []uint32 { return c.u32 }

// At returns the code of a row. Out of range it panics like a slice.
func (c Column) At(row int) uint32 {
	switch c.Bits {
	case U4:
		if uint(row) >= uint(c.N) { // the spare nibble of an odd column is no row
			_ = c.u4[:c.N][row]
		}
		return uint32(c.u4[row/2]>>(4*(row&1))) & 15
	case U8:
		return uint32(c.u8[row])
	case U16:
		return uint32(c.u16[row])
	}
	return c.u32[row]
}

// bytes writes the codes of rows lo … lo+len(dst) of a feature with at most 256 codes.
func (c Column) bytes(dst []uint8, lo int) {
	switch c.Bits {
	case U4:
		if lo&1 == 1 && len(dst) > 0 {
			dst[0] = uint8(c.At(lo))
			dst, lo = dst[1:], lo+1
		}
		bin.UnpackNibbles(dst, c.u4[lo/2:])
	case U8:
		copy(dst, c.u8[lo:])
	case U16:
		convert(dst, c.u16[lo:])
	default:
		convert(dst, c.u32[lo:])
	}
}

// set writes all codes; the column must be able to hold them.
func (c Column) set(codes []uint32) {
	switch c.Bits {
	case U4:
		nibbles := make([]uint8, len(codes))
		convert(nibbles, codes)
		bin.PackNibbles(c.u4, nibbles)
	case U8:
		convert(c.u8, codes)
	case U16:
		convert(c.u16, codes)
	default:
		copy(c.u32, codes)
	}
}

// copy takes over the codes of a column of the same width.
func (c Column) copy(from Column) {
	copy(c.u4, from.u4)
	copy(c.u8, from.u8)
	copy(c.u16, from.u16)
	copy(c.u32, from.u32)
}

func convert[To, From bin.Code](dst []To, src []From) {
	src = src[:len(dst)]
	for i, code := range src {
		dst[i] = To(code)
	}
}
