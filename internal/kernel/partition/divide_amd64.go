//go:build amd64 && !purego

package partition

import (
	"boost/internal/cpu"
	"boost/internal/kernel/hist"
)

// vectors is the instruction set that entries are divided with.
var vectors = cpu.Used()

// step is a multiple of the entries that are divided at a time, perCall bounds those of one
// call: assembly cannot be interrupted.
const (
	step    = 16
	perCall = 1 << 16
)

// whole is how many of n entries vectors divide.
func whole(n int) int {
	if vectors == cpu.Generic || n > perCall {
		return 0
	}
	return n &^ (step - 1)
}

// sparse is how many rows of a block stand for one entry where the form of AVX2 is the faster one
// also beside AVX-512, by 17 % on Zen 5 with one in 32: vectors of codes then hold few that are asked for.
const sparse = 16

// divideBytes divides as many entries as it can and returns how many that are, and how
// many of them go left.
func divideBytes(entries []uint64, codes []uint8, left *[256]uint8, scratch []uint64) (done, nLeft int) {
	n := whole(len(entries))
	switch {
	case n == 0:
		return 0, 0
	case vectors == cpu.AVX2 || int(hist.Row(entries[n-1])-hist.Row(entries[0])) >= sparse*n:
		return n, int(divideBytesAVX2(&entries[0], uint64(n), &codes[0], &left[0], &scratch[0]))
	}
	var table [8]uint32
	for code, goes := range left {
		table[code/32] |= uint32(goes) << (code % 32)
	}
	return n, int(divideBytesAVX512(&entries[0], uint64(n), &codes[0], uint64(len(codes)), &table, &scratch[0]))
}

// divideNibbles is divideBytes for packed 4-bit codes.
func divideNibbles(entries []uint64, codes []byte, left *[16]uint8, scratch []uint64) (done, nLeft int) {
	n := whole(len(entries))
	if n == 0 {
		return 0, 0
	}
	bits := uint64(0)
	for code, goes := range left {
		bits |= uint64(goes) << code
	}
	bits *= 1<<48 | 1<<32 | 1<<16 | 1 // bits of an index beyond the code are of no matter
	if vectors == cpu.AVX2 {
		return n, int(divideNibblesAVX2(&entries[0], uint64(n), &codes[0], bits, &scratch[0]))
	}
	var table [8]uint32
	for i := range table {
		table[i] = uint32(bits)
	}
	return n, int(divideNibblesAVX512(&entries[0], uint64(n), &codes[0], uint64(len(codes)), &table, &scratch[0]))
}

// divideWords is divideBytes for two-byte codes, all of which are below len(left). Where there is
// AVX-512 it is AVX2's form too: their table is too large for registers, and with loads one by one for 16
// entries a form of AVX-512 took 1.1 to 1.2 times as long.
func divideWords(entries []uint64, codes []uint16, left []uint8, scratch []uint64) (done, nLeft int) {
	n := whole(len(entries))
	if n == 0 {
		return 0, 0
	}
	return n, int(divideWordsAVX2(&entries[0], uint64(n), &codes[0], &left[0], &scratch[0]))
}
