package binning

import (
	"fmt"

	"boost/internal/kernel/bin"
	"boost/parallel"
)

// RowMajor is a copy of some features' codes, row by row, one byte each (SEEDS S1.3).
//
//	Data   [ row 0: code of Features[0], Features[1], …, zeros up to Stride | row 1 | … | 64 zero bytes ]
type RowMajor struct {
	Stride   int    // bytes from row to row, a multiple of 4
	Features []int  // feature in the matrix of the i-th byte of a row
	Data     []byte // 64-byte aligned; 64 zero bytes follow the last row, so that wide loads may run over
}

// mirrorBlock is the number of rows that a task copies. With a stride of up to 64
// bytes they and the columns' parts fit a second-level cache.
const mirrorBlock = 2048

// NewRowMajor copies the listed features of m by rows. A feature with more than 256
// codes is a programming error.
func NewRowMajor(m *Matrix, features []int, pool *parallel.Pool) *RowMajor {
	for _, f := range features {
		if n := m.infos[f].NBins; n > 256 {
			panic(fmt.Sprintf("binning: feature %d has %d codes, a row-major byte holds 256", f, n))
		}
	}
	stride := rowStride(len(features))
	r := &RowMajor{
		Stride:   stride,
		Features: features,
		Data:     alignedBytes(uint64(m.rows)*uint64(stride) + alignment),
	}
	columns := make([]Column, len(features))
	for i, f := range features {
		columns[i] = m.Column(f)
	}
	scratch := make([][8 * mirrorBlock]uint8, pool.Threads())
	pool.Do(parallel.Blocks(m.rows, mirrorBlock), parallel.Func(func(worker, block int) {
		lo, hi := parallel.Block(block, m.rows, mirrorBlock)
		for i := 0; i < len(columns); i += 8 {
			group := columns[i:min(i+8, len(columns))]
			transpose(r.Data[lo*stride+i:], stride, group, lo, hi, &scratch[worker])
		}
	}))
	return r
}

// rowStride returns the distance between rows of n bytes: of the multiples of 4 that
// waste at most a quarter, the one at which a row spans the fewest cache lines, since
// a pass over scattered rows pays by the line.
func rowStride(n int) int {
	shortest := (n + 3) &^ 3
	best, fewest := shortest, linesPerPeriod(shortest, n)
	for stride := shortest + 4; stride <= n+n/4; stride += 4 {
		if lines := linesPerPeriod(stride, n); lines < fewest {
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

// transpose writes rows lo … hi of up to eight columns side by side. Up to four fill
// four bytes of a row, more of them eight; columns that are not there give zeros.
func transpose(dst []byte, stride int, group []Column, lo, hi int, scratch *[8 * mirrorBlock]uint8) {
	n := hi - lo
	var parts [8][]uint8
	for i := range parts {
		part := scratch[i*mirrorBlock:][:n:n]
		switch {
		case i >= len(group):
			clear(part)
		case group[i].Bits == U8:
			part = group[i].u8[lo:hi]
		default:
			group[i].bytes(part, lo)
		}
		parts[i] = part
	}
	if len(group) <= 4 {
		bin.Transpose4(dst, stride, (*[4][]uint8)(parts[:4]))
	} else {
		bin.Transpose8(dst, stride, &parts)
	}
}
