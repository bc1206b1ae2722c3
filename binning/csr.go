package binning

import (
	"context"
	"math"
	"sort"

	"boost/internal/kernel/bin"
	"boost/parallel"
)

// CSR holds the codes row by row without the cells that have their feature's default
// bin: the stored cells of row r are
// ColIdx/Values[RowPtr[r]:RowPtr[r+1]], their features ascending.
type CSR struct {
	RowPtr   []uint32 // while there are fewer than 2³² cells; else nil
	RowPtr64 []uint64 // from 2³² cells on
	ColIdx   Column   // feature of each cell: U8, U16 or U32 by the number of features
	Values   Column   // code of each cell, as wide as the widest feature's
	Counts   []uint32 // per feature: its stored cells
	lists    []*list  // the same cells by feature, where they are kept
}

// ByFeature reports whether the cells are kept by feature too; see Codes.KeepLists.
func (c *CSR) ByFeature() bool { return c.lists != nil }

// Cells returns the stored cells of a feature, where they are kept: their rows, which
// ascend, and codes. They must not be changed.
func (c *CSR) Cells(f int) (rows []int32, codes Column) { return c.lists[f].rows, c.lists[f].codes }

// Entries returns the number of stored cells.
func (c *CSR) Entries() uint64 { return uint64(c.Values.N) }

// Bytes returns the memory of pointers, indices and codes.
func (c *CSR) Bytes() uint64 {
	return 4*uint64(len(c.RowPtr)) + 8*uint64(len(c.RowPtr64)) + c.ColIdx.Bits.bytes(c.ColIdx.N) + c.Values.Bits.bytes(c.Values.N)
}

// csrBytes returns what a CSR of so many cells takes.
func csrBytes(rows, features int, cells uint64, widest uint32) uint64 {
	pointer := uint64(4)
	if cells > maxRowPtr {
		pointer = 8
	}
	per := uint64(max(U8, WidthOf(uint32(features)))+max(U8, WidthOf(widest))) / 8
	return pointer*uint64(rows+1) + per*cells
}

// maxRowPtr is the largest cell that a 32-bit row pointer can name; tests lower it.
var maxRowPtr uint64 = math.MaxUint32

// row returns the range of a row's cells.
func (c *CSR) row(r int) (lo, hi uint64) {
	if c.RowPtr64 != nil {
		return c.RowPtr64[r], c.RowPtr64[r+1]
	}
	return uint64(c.RowPtr[r]), uint64(c.RowPtr[r+1])
}

// at returns a cell's code: a binary search in the row, the default bin where it is not stored.
func (c *CSR) at(r int, feature, defaultBin uint32) uint32 {
	lo, hi := c.row(r)
	at := lo
	switch c.ColIdx.Bits {
	case U8:
		at += searchRow(c.ColIdx.u8[lo:hi], feature)
	case U16:
		at += searchRow(c.ColIdx.u16[lo:hi], feature)
	default:
		at += searchRow(c.ColIdx.u32[lo:hi], feature)
	}
	if at == hi || c.ColIdx.At(int(at)) != feature {
		return defaultBin
	}
	return c.Values.At(int(at))
}

// searchRow returns the index of the first column not below the feature.
func searchRow[I bin.Code](columns []I, feature uint32) uint64 {
	lo, hi := 0, len(columns)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if uint32(columns[mid]) < feature {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return uint64(lo)
}

// newColumn makes a column of zeros, of whole bytes.
func newColumn(bits Width, n int) Column {
	c := Column{Bits: max(U8, bits), N: n}
	switch c.Bits {
	case U8:
		c.u8 = make([]uint8, n)
	case U16:
		c.u16 = make([]uint16, n)
	default:
		c.u32 = make([]uint32, n)
	}
	return c
}

func (c *Column) put(i int, code uint32) {
	switch c.Bits {
	case U8:
		c.u8[i] = uint8(code)
	case U16:
		c.u16[i] = uint16(code)
	default:
		c.u32[i] = code
	}
}

// newCSR gathers the features' stored cells by rows. The lists are in feature order.
func newCSR(ctx context.Context, rows int, lists []*list, widest uint32, pool *parallel.Pool) (*CSR, error) {
	c := &CSR{Counts: make([]uint32, len(lists))}
	cells := uint64(0)
	for f := range lists {
		c.Counts[f] = uint32(len(lists[f].rows))
		cells += uint64(len(lists[f].rows))
	}
	c.ColIdx = newColumn(WidthOf(uint32(len(lists))), int(cells))
	c.Values = newColumn(WidthOf(widest), int(cells))
	if cells > maxRowPtr {
		c.RowPtr64 = make([]uint64, rows+1)
		return c, fillCSR(ctx, c, c.RowPtr64, lists, pool)
	}
	c.RowPtr = make([]uint32, rows+1)
	return c, fillCSR(ctx, c, c.RowPtr, lists, pool)
}

// csrBlock is the number of rows that are gathered at a time: of all features the cells
// of these rows.
const csrBlock = 1 << 15

// fillCSR counts the cells of every row, sums the counts up, and then writes the cells.
// Tasks take as many stretches of rows as there are workers, and go through them block
// by block, so that a search finds where a feature's part of a stretch begins, and none
// where its part of a block does.
func fillCSR[P uint32 | uint64](ctx context.Context, c *CSR, ptr []P, lists []*list, pool *parallel.Pool) error {
	rows := len(ptr) - 1
	stretch := max(csrBlock, (rows+pool.Threads()-1)/pool.Threads())
	stretches := parallel.Blocks(rows, stretch)
	each := func(visit func(lo, hi int, f uint32, l *list, part []int32, first int)) error {
		return pool.DoContext(ctx, stretches, parallel.Func(func(_, index int) {
			lo, end := parallel.Block(index, rows, stretch)
			next := make([]int32, len(lists)) // per feature, its first cell not seen
			for f := range lists {
				next[f] = int32(lists[f].from(lo))
			}
			for ; lo < end && ctx.Err() == nil; lo += csrBlock {
				hi := min(lo+csrBlock, end)
				for f := range lists {
					l, first := lists[f], int(next[f])
					n := first
					for n < len(l.rows) && int(l.rows[n]) < hi {
						n++
					}
					next[f] = int32(n)
					visit(lo, hi, uint32(f), l, l.rows[first:n], first)
				}
			}
		}))
	}
	err := each(func(_, _ int, _ uint32, _ *list, part []int32, _ int) {
		for _, row := range part {
			ptr[row+1]++
		}
	})
	if err != nil {
		return err
	}
	for row := range rows {
		ptr[row+1] += ptr[row]
	}
	// The place of a row's next cell is kept in ptr itself: after the last, ptr[row] is
	// where row+1 begins.
	err = each(func(_, _ int, f uint32, l *list, part []int32, first int) {
		for i, row := range part {
			at := int(ptr[row])
			ptr[row]++
			c.ColIdx.put(at, f)
			c.Values.put(at, l.codes.At(first+i))
		}
	})
	copy(ptr[1:], ptr)
	ptr[0] = 0
	return err
}

// longestRow returns the most stored cells of any row.
func (c *CSR) longestRow(rows int) int {
	longest := uint64(0)
	for r := range rows {
		lo, hi := c.row(r)
		longest = max(longest, hi-lo)
	}
	return int(longest)
}

// list is a feature as the rows whose code is not its default bin.
type list struct {
	defaultBin uint32
	rows       []int32 // ascending
	codes      Column  // their codes: U8, U16 or U32
}

// between returns the listed rows in lo … hi-1 and the index of the first.
func (l *list) between(lo, hi int) (rows []int32, first int) {
	first = l.from(lo)
	n := sort.Search(len(l.rows)-first, func(i int) bool { return int(l.rows[first+i]) >= hi })
	return l.rows[first : first+n], first
}

// from returns the index of the first listed row that is not below lo.
func (l *list) from(lo int) int {
	return sort.Search(len(l.rows), func(i int) bool { return int(l.rows[i]) >= lo })
}
