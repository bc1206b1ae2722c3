//go:build amd64 && !purego

package partition

import "boost/internal/cpu"

// vectors says that entries are divided 16 at a time. AVX2 has no compression: a form with
// tables of orders in its place, eight entries at a time, was no faster than the Go loop.
var vectors = cpu.Used() == cpu.AVX512

// step is the number of entries that are divided at a time, perCall bounds those of one
// call: assembly cannot be interrupted.
const (
	step    = 16
	perCall = 1 << 16
)

// divideBytes divides as many entries as it can and returns how many that are, and how
// many of them go left.
func divideBytes(entries []uint64, codes []uint8, left *[256]uint8, scratch []uint64) (done, nLeft int) {
	n := len(entries) &^ (step - 1)
	if !vectors || n == 0 || n > perCall {
		return 0, 0
	}
	var table [8]uint32
	for code, goes := range left {
		table[code/32] |= uint32(goes) << (code % 32)
	}
	return n, int(divideBytesAVX512(&entries[0], uint64(n), &codes[0], uint64(len(codes)), &table, &scratch[0]))
}

// divideNibbles is divideBytes for packed 4-bit codes.
func divideNibbles(entries []uint64, codes []byte, left *[16]uint8, scratch []uint64) (done, nLeft int) {
	n := len(entries) &^ (step - 1)
	if !vectors || n == 0 || n > perCall {
		return 0, 0
	}
	var table [8]uint32
	for code, goes := range left {
		table[0] |= uint32(goes) << code
	}
	for i := range table {
		table[i] = table[0]
	}
	return n, int(divideNibblesAVX512(&entries[0], uint64(n), &codes[0], uint64(len(codes)), &table, &scratch[0]))
}

// divideWords is divideBytes for two-byte codes, all of which are below len(left).
func divideWords(entries []uint64, codes []uint16, left []uint8, scratch []uint64) (done, nLeft int) {
	n := len(entries) &^ (step - 1)
	if !vectors || n == 0 || n > perCall {
		return 0, 0
	}
	return n, int(divideWordsAVX512(&entries[0], uint64(n), &codes[0], &left[0], &scratch[0]))
}
