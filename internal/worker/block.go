package worker

import (
	"math"
	"unsafe"

	"golang.org/x/sync/errgroup"

	"boost/internal/cpu"
)

// block is a matrix of numbers in the body of a request or in the memory of the parent. The element of
// row i and column j stands at the byte At + i·Strides[0] + j·Strides[1] of the body, or, where Address is
// not 0, at Address + i·Strides[0] + j·Strides[1].
type block struct {
	DType   string `json:"dtype"` // numpy's kind and size in bytes: f4, i8, b1
	Shape   [2]int `json:"shape"` // rows, columns
	Strides [2]int `json:"strides"`
	At      int    `json:"at"`
	Address uint64 `json:"address"`
}

// elementSizes are the types of elements and their bytes.
var elementSizes = map[string]int{"f2": 2, "f4": 4, "f8": 8, "i1": 1, "i2": 2, "i4": 4, "i8": 8, "u1": 1, "u2": 2, "u4": 4, "u8": 8, "b1": 1}

// extent returns the first byte and the one behind the last of rows lo … hi-1, counted from element (0, 0).
func (b *block) extent(lo, hi, column, columns int) (from, to int) {
	size := elementSizes[b.DType]
	for _, span := range [2][3]int{{lo, hi - 1, b.Strides[0]}, {column, column + columns - 1, b.Strides[1]}} {
		x, y := span[0]*span[2], span[1]*span[2]
		from, to = from+min(x, y), to+max(x, y)
	}
	return from, to + size
}

// check refuses what is not a matrix within the body.
func (b *block) check(body []byte, memory *parentMemory) error {
	size := elementSizes[b.DType]
	rows, columns := b.Shape[0], b.Shape[1]
	const most = math.MaxInt32
	small := func(n int) bool { return n >= -1<<40 && n <= 1<<40 }
	switch {
	case size == 0:
		return protocolf("unknown type of elements %q", b.DType)
	case rows < 0 || columns < 0 || rows > most || columns > most || !small(b.Strides[0]) || !small(b.Strides[1]):
		return protocolf("a block of %d × %d", rows, columns)
	case rows == 0 || columns == 0:
		return nil
	case b.Address != 0 && memory == nil:
		return protocolf("the memory of the library cannot be read")
	case b.Address != 0:
		return nil // the system refuses what is not mapped
	}
	if from, to := b.extent(0, rows, 0, columns); b.At < 0 || b.At > len(body) || b.At+from < 0 || b.At+to > len(body) {
		return protocolf("a block reaches out of the body of %d bytes", len(body))
	}
	return nil
}

// bytes returns what stands from one byte to another, counted from element (0, 0). buffer is used where the memory
// of the parent is read.
func (b *block) bytes(r *request, from, to int, buffer *[]byte) ([]byte, error) {
	if b.Address == 0 {
		return r.body[b.At+from : b.At+to], nil
	}
	if cap(*buffer) < to-from {
		*buffer = alignedBytes(to - from)
	}
	data := (*buffer)[:to-from]
	return data, r.server.memory.read(data, b.Address+uint64(from))
}

// columnsOf returns the columns as slices of unsigned integers of the size of an element.
func columnsOf[T uint8 | uint16 | uint32 | uint64](r *request, b *block) ([][]T, error) {
	rows, width := b.Shape[0], b.Shape[1]
	columns := make([][]T, width)
	for j := range columns {
		columns[j] = make([]T, rows)
	}
	if rows == 0 || width == 0 {
		return columns, nil
	}
	size := elementSizes[b.DType]
	abs := func(n int) int { return max(n, -n) }
	// What is read at once: some rows of all columns, or of one where a column stands together.
	const tileBytes = 1 << 20
	together := width
	if width > 1 && abs(b.Strides[1]) > abs(b.Strides[0]) {
		together = 1
	}
	tileRows := rows
	if row := max(abs(b.Strides[0]), size); together > 1 || b.Strides[0] != size {
		tileRows = min(rows, max(1, tileBytes/row))
	}
	tiles := (rows + tileRows - 1) / tileRows
	var group errgroup.Group
	group.SetLimit(cpu.Threads())
	work := func(lo, hi, first int) error {
		if b.Strides[0] == size && together == 1 && b.Address != 0 { // one run of memory, read in place
			return r.server.memory.read(bytesOf(columns[first][lo:hi]), b.Address+uint64(lo*size+first*b.Strides[1]))
		}
		var buffer []byte
		from, to := b.extent(lo, hi, first, together)
		data, err := b.bytes(r, from, to, &buffer)
		if err != nil {
			return err
		}
		scatter(columns[first:first+together], data, first*b.Strides[1]-from, b.Strides, lo, hi, size)
		return nil
	}
	if rows*width < 1<<14 {
		for first := 0; first < width; first += together {
			for lo := 0; lo < rows; lo += tileRows {
				if err := work(lo, min(rows, lo+tileRows), first); err != nil {
					return nil, err
				}
			}
		}
		return columns, nil
	}
	for first := 0; first < width; first += together {
		for tile := range tiles {
			lo := tile * tileRows
			group.Go(func() error { return work(lo, min(rows, lo+tileRows), first) })
		}
	}
	return columns, group.Wait()
}

// scatter copies rows lo … hi-1 from data to columns. Row 0 of the first column stands, or would stand, at the byte zero.
func scatter[T uint8 | uint16 | uint32 | uint64](columns [][]T, data []byte, zero int, strides [2]int, lo, hi, size int) {
	const rowsAtOnce = 256 // so that the lines of a row that are read stay in the cache
	aligned := (int(uintptr(unsafe.Pointer(&data[0])))|zero|strides[0]|strides[1])%size == 0
	for from := lo; from < hi; from += rowsAtOnce {
		to := min(hi, from+rowsAtOnce)
		for j, column := range columns {
			at := zero + from*strides[0] + j*strides[1]
			if aligned {
				words, step, k := valuesOf[T](data), strides[0]/size, at/size
				for i := from; i < to; i++ {
					column[i] = words[k]
					k += step
				}
				continue
			}
			for i := from; i < to; i++ {
				copy(bytesOf(column[i:i+1]), data[at:at+size])
				at += strides[0]
			}
		}
	}
}
