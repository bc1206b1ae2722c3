package bin

import (
	"encoding/binary"

	"boost/internal/cpu"
)

// Transpose8 writes the codes of eight columns side by side into rows: row r takes
// dst[r*stride : r*stride+8]. All columns have the same length, the number of rows.
func Transpose8(dst []byte, stride int, columns *[8][]uint8) {
	transpose8(dst, stride, columns, vectorRows8(dst, stride, columns, cpu.Used()))
}

// transpose8 begins with row r.
func transpose8(dst []byte, stride int, columns *[8][]uint8, r int) {
	rows := len(columns[0])
	for ; r+8 <= rows; r += 8 {
		a0 := binary.LittleEndian.Uint64(columns[0][r:])
		a1 := binary.LittleEndian.Uint64(columns[1][r:])
		a2 := binary.LittleEndian.Uint64(columns[2][r:])
		a3 := binary.LittleEndian.Uint64(columns[3][r:])
		a4 := binary.LittleEndian.Uint64(columns[4][r:])
		a5 := binary.LittleEndian.Uint64(columns[5][r:])
		a6 := binary.LittleEndian.Uint64(columns[6][r:])
		a7 := binary.LittleEndian.Uint64(columns[7][r:])

		a0, a4 = exchange(a0, a4, 32, 0x00000000FFFFFFFF)
		a1, a5 = exchange(a1, a5, 32, 0x00000000FFFFFFFF)
		a2, a6 = exchange(a2, a6, 32, 0x00000000FFFFFFFF)
		a3, a7 = exchange(a3, a7, 32, 0x00000000FFFFFFFF)
		a0, a2 = exchange(a0, a2, 16, 0x0000FFFF0000FFFF)
		a1, a3 = exchange(a1, a3, 16, 0x0000FFFF0000FFFF)
		a4, a6 = exchange(a4, a6, 16, 0x0000FFFF0000FFFF)
		a5, a7 = exchange(a5, a7, 16, 0x0000FFFF0000FFFF)
		a0, a1 = exchange(a0, a1, 8, 0x00FF00FF00FF00FF)
		a2, a3 = exchange(a2, a3, 8, 0x00FF00FF00FF00FF)
		a4, a5 = exchange(a4, a5, 8, 0x00FF00FF00FF00FF)
		a6, a7 = exchange(a6, a7, 8, 0x00FF00FF00FF00FF)

		binary.LittleEndian.PutUint64(dst[(r+0)*stride:], a0)
		binary.LittleEndian.PutUint64(dst[(r+1)*stride:], a1)
		binary.LittleEndian.PutUint64(dst[(r+2)*stride:], a2)
		binary.LittleEndian.PutUint64(dst[(r+3)*stride:], a3)
		binary.LittleEndian.PutUint64(dst[(r+4)*stride:], a4)
		binary.LittleEndian.PutUint64(dst[(r+5)*stride:], a5)
		binary.LittleEndian.PutUint64(dst[(r+6)*stride:], a6)
		binary.LittleEndian.PutUint64(dst[(r+7)*stride:], a7)
	}
	for ; r < rows; r++ {
		row := dst[r*stride : r*stride+8]
		for i := range row {
			row[i] = columns[i][r]
		}
	}
}

// exchange swaps the high half of each pair of lanes in low with the low half of
// the same pair in high; mask keeps the low halves, which are shift bits wide.
func exchange(low, high uint64, shift uint, mask uint64) (uint64, uint64) {
	moved := (low>>shift ^ high) & mask
	return low ^ moved<<shift, high ^ moved
}

// Transpose4 is Transpose8 for four columns.
func Transpose4(dst []byte, stride int, columns *[4][]uint8) {
	transpose4(dst, stride, columns, vectorRows4(dst, stride, columns, cpu.Used()))
}

// transpose4 begins with row r.
func transpose4(dst []byte, stride int, columns *[4][]uint8, r int) {
	c0 := columns[0]
	c1, c2, c3 := columns[1][:len(c0)], columns[2][:len(c0)], columns[3][:len(c0)]
	for ; r < len(c0); r++ {
		word := uint32(c0[r]) | uint32(c1[r])<<8 | uint32(c2[r])<<16 | uint32(c3[r])<<24
		binary.LittleEndian.PutUint32(dst[r*stride:], word)
	}
}
