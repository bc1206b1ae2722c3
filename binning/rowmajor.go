package binning

import (
	"fmt"
	"unsafe"

	"boost/internal/cpu"
	"boost/internal/kernel/bin"
	"boost/parallel"
)

// RowMajor is a copy of some columns' codes, row by row.
//
//	Data   [ row 0: code of Groups[0], Groups[1], …, zeros up to Stride | row 1 | … | 64 zero bytes ]
type RowMajor struct {
	Bits   Width         // of every code: U8, U16 or U32
	Stride int           // bytes from row to row, a multiple of 4
	Groups []PackedGroup // stored columns of the matrix that the i-th code of a row belongs to
	Data   []byte        // 64-byte aligned; 64 zero bytes follow the last row, so that wide loads may run over
}

// rowMajorBlock is the number of rows that a task copies. With a stride of up to 64
// bytes they and the columns' parts fit a second-level cache.
const rowMajorBlock = 2048

// NewRowMajor copies the listed columns of m by rows, one byte a code. A column with
// more than 256 codes is a programming error.
func NewRowMajor(m *Matrix, groups []int, pool *parallel.Pool) *RowMajor {
	return NewPackedRowMajor(m, SingleGroups(m, groups), pool)
}

// NewPackedRowMajor copies columns of m by rows, one byte a packed group's code. A packed group with more than
// 256 codes is a programming error.
func NewPackedRowMajor(m *Matrix, packed []PackedGroup, pool *parallel.Pool) *RowMajor {
	for i := range packed {
		if n := packed[i].NBins; n > 256 {
			panic(fmt.Sprintf("binning: columns %d have %d codes, a row-major byte holds 256", packed[i].Members, n))
		}
	}
	stride := rowStride(len(packed))
	r := &RowMajor{
		Bits:   U8,
		Stride: stride,
		Groups: packed,
		Data:   alignedBytes(rowMajorBytes(m.rows, len(packed), U8)),
	}
	cpu.LargePages(r.Data) // rows of deep nodes lie far from each other
	scratch := make([]transposeScratch, pool.Threads())
	pool.Do(parallel.Blocks(m.rows, rowMajorBlock), parallel.Func(func(worker, block int) {
		lo, hi := parallel.Block(block, m.rows, rowMajorBlock)
		for i := 0; i < len(packed); i += 8 {
			m.transpose(r.Data[lo*stride+i:], stride, packed[i:min(i+8, len(packed))], lo, hi, &scratch[worker])
		}
	}))
	return r
}

// newRowMajor copies all columns by rows, each code as wide as the widest column's.
func newRowMajor(m *Matrix, pool *parallel.Pool) *RowMajor {
	groups, bits := make([]int, len(m.groups)), U8
	for u := range m.groups {
		groups[u] = u
		bits = max(bits, m.groups[u].Bits)
	}
	if bits == U8 {
		return NewRowMajor(m, groups, pool)
	}
	r := &RowMajor{
		Bits:   bits,
		Stride: wideStride(len(groups), bits),
		Groups: SingleGroups(m, groups),
		Data:   alignedBytes(rowMajorBytes(m.rows, len(groups), bits)),
	}
	cpu.LargePages(r.Data)
	columns := make([]Column, len(groups))
	for u := range groups {
		columns[u] = m.GroupColumn(u)
	}
	pool.Do(parallel.Blocks(m.rows, rowMajorBlock), parallel.Func(func(_, block int) {
		lo, hi := parallel.Block(block, m.rows, rowMajorBlock)
		for u, c := range columns {
			for row := lo; row < hi; row++ {
				r.put(row, u, c.At(row))
			}
		}
	}))
	return r
}

// wideStride returns the bytes from row to row of n codes of more than a byte.
func wideStride(n int, bits Width) int { return (n*int(bits)/8 + 3) &^ 3 }

// RowMajorCopyBytes returns the memory of a copy by rows of n packed groups, a byte a code.
func RowMajorCopyBytes(rows, n int) uint64 { return rowMajorBytes(rows, n, U8) }

// rowMajorBytes returns the memory of n columns' codes by rows.
func rowMajorBytes(rows, n int, bits Width) uint64 {
	stride := rowStride(n)
	if bits != U8 {
		stride = wideStride(n, bits)
	}
	return uint64(rows)*uint64(stride) + alignment
}

// Codes16 returns the codes of a U16 copy, Stride/2 entries to a row.
func (r *RowMajor) Codes16() []uint16 {
	return unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(r.Data))), len(r.Data)/2)
}

// Codes32 returns the codes of a U32 copy, Stride/4 entries to a row.
func (r *RowMajor) Codes32() []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(r.Data))), len(r.Data)/4)
}

func (r *RowMajor) put(row, i int, code uint32) {
	if r.Bits == U16 {
		r.Codes16()[row*(r.Stride/2)+i] = uint16(code)
	} else {
		r.Codes32()[row*(r.Stride/4)+i] = code
	}
}

// at returns the i-th code of a row.
func (r *RowMajor) at(row, i int) uint32 {
	switch r.Bits {
	case U8:
		return uint32(r.Data[row*r.Stride+i])
	case U16:
		return uint32(r.Codes16()[row*(r.Stride/2)+i])
	}
	return r.Codes32()[row*(r.Stride/4)+i]
}

// rowStride returns the distance between rows of n bytes: of the multiples of 4 that
// waste at most a third, the one at which a row spans the fewest cache lines, since
// a pass over scattered rows pays by the line: 64 bytes instead of 52 take 0.88 of the time of
// training, 96 instead of 92 take 0.97. No multiple of two lines: a tile's codes are then in every other line
// of all rows, which takes half of a cache's sets, and 128 bytes instead of 100 take 1.14.
func rowStride(n int) int {
	shortest := (n + 3) &^ 3
	best, fewest := shortest, linesPerPeriod(shortest, n)
	for stride := shortest + 4; stride <= n+n/3; stride += 4 {
		if lines := linesPerPeriod(stride, n); lines < fewest && stride%(2*alignment) != 0 {
			best, fewest = stride, lines
		}
	}
	return best
}

// linesPerPeriod counts the cache lines that rows of n bytes touch over the 16 rows
// after which every stride that is a multiple of 4 repeats its alignment.
func linesPerPeriod(stride, n int) int {
	lines := 0
	for row := range 16 {
		lines += (row*stride+n-1)/alignment - row*stride/alignment + 1
	}
	return lines
}

// transposeScratch holds the codes of a block of rows where a column does not have them
// byte by byte, and one column of a packed group.
type transposeScratch struct {
	parts [8][rowMajorBlock]uint8
	other [rowMajorBlock]uint8
}

// transpose writes rows lo … hi of up to eight packed groups side by side. Up to four fill
// four bytes of a row, more of them eight; packed groups that are not there give zeros.
func (m *Matrix) transpose(dst []byte, stride int, group []PackedGroup, lo, hi int, scratch *transposeScratch) {
	n := hi - lo
	var parts [8][]uint8
	for i := range parts {
		part := scratch.parts[i][:n:n]
		switch {
		case i >= len(group):
			clear(part)
		case len(group[i].Members) > 1:
			m.packedBytes(&group[i], part, scratch.other[:n], lo)
		default:
			if c := m.GroupColumn(group[i].Members[0]); c.Bits == U8 {
				part = c.u8[lo:hi]
			} else {
				c.bytes(part, lo)
			}
		}
		parts[i] = part
	}
	if len(group) <= 4 {
		bin.Transpose4(dst, stride, (*[4][]uint8)(parts[:4]))
	} else {
		bin.Transpose8(dst, stride, &parts)
	}
}
