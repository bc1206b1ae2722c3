package predict

import "boost/internal/kernel/hist"

// Column is a view of one column of codes; Bits says which slice holds them. Row r of
// U4 lies in byte r/2, low nibble first.
type Column struct {
	Bits uint8 // 4, 8, 16 or 32
	U4   []byte
	U8   []uint8
	U16  []uint16
	U32  []uint32
}

// At returns the code of a row.
func (c *Column) At(row uint32) uint32 {
	switch c.Bits {
	case 4:
		return nibble(c.U4, row)
	case 8:
		return uint32(c.U8[row])
	case 16:
		return uint32(c.U16[row])
	default:
		return c.U32[row]
	}
}

// Bytes writes the codes of the rows from lo on, which is even, a byte each, of a column of 4 or 8 bits.
func (c *Column) Bytes(lo int, to []uint8) {
	if c.Bits == 8 {
		copy(to, c.U8[lo:][:len(to)])
		return
	}
	hist.SpreadNibbles(to, c.U4[lo/2:])
}

// gather writes the codes of rows to dst, which is as long.
func (c *Column) gather(rows, dst []uint32) {
	switch c.Bits {
	case 4:
		for i, r := range rows {
			dst[i] = nibble(c.U4, r)
		}
	case 8:
		gather(c.U8, rows, dst)
	case 16:
		gather(c.U16, rows, dst)
	default:
		gather(c.U32, rows, dst)
	}
}

func gather[C uint8 | uint16 | uint32](col []C, rows, dst []uint32) {
	dst = dst[:len(rows)]
	for i, r := range rows {
		dst[i] = uint32(col[r])
	}
}

func nibble(col []byte, row uint32) uint32 {
	return uint32(col[row/2]>>(row&1*4)) & 0x0F
}
