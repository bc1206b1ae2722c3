package text

import "math/bits"

// Cells is the number of cells that a window holds at most.
const Cells = 64

// Window holds the cells that follow each other from one place of a text on: those that
// were read ahead, and how many of them are still to come. The zero value is empty.
type Window struct {
	ends   [1 + Cells + 63]int32 // ends[i] is the index before cell i's first byte, ends[i+1] the one behind its last
	values [Cells]float64
	ok     uint64 // bit i: cell i is a number
	n      int
	next   int
}

// powers are those of ten that a number is divided by, by digits behind the point.
var powers = [16]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// Reset empties the window, which must happen before it is used for another text.
func (w *Window) Reset() { w.n, w.next = 0, 0 }

// Seek makes the cell that begins at text[at] the next one and reports whether it is there.
// Places are sought in ascending order.
func (w *Window) Seek(at int) bool {
	for w.next < w.n && int(w.ends[w.next]) < at-1 {
		w.next++
	}
	return w.next < w.n && int(w.ends[w.next]) == at-1
}

// Numbers returns the cells from the next one on as far as they are numbers of the usual
// kind: their values, and the index of the separator or line feed behind each.
//
// A number of the usual kind has up to 16 characters: a minus or none, digits, at most
// one decimal sign, and fewer than 2⁵³ as an integer without it. Its value is exact,
// or correctly rounded.
func (w *Window) Numbers() (values []float64, ends []int32) {
	last := min(w.next+bits.TrailingZeros64(^(w.ok>>w.next)), w.n)
	return w.values[w.next:last], w.ends[1+w.next : 1+last]
}

// Skip goes n cells on. It reports whether there are more.
func (w *Window) Skip(n int) bool {
	w.next += n
	return w.next < w.n
}

// Read fills the window with up to Cells of the cells from text[at] on, where a cell
// begins, and returns how many of them there are and are numbers. It finds none in the
// last 64 bytes of the text, nor in the first 16, nor without vector instructions.
// The decimal sign is neither the separator nor a digit.
func (w *Window) Read(text []byte, at int, sep, decimal byte) (cells, numbers int) {
	return w.read(text, at, sep, decimal)
}
