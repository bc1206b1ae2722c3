package codec

import "encoding/binary"

// each repeats a byte in all bytes of a word.
const each = 0x0101010101010101

func load(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

func store(b []byte, w uint64) { binary.LittleEndian.PutUint64(b, w) }

// 8 codes, one in the low bits of each byte, move next to each other in three steps, each a
// function of its own so that the compiler puts them into the loops: neighbours join to pairs,
// pairs to fours, fours to the word of the stream. Bits above a code must be 0.

func pairs(w uint64, bits uint) uint64 {
	upper := w & ((uint64(1)<<bits - 1) * 0x0100010001000100)
	return w ^ upper | upper>>(8-bits)
}

func fours(w uint64, bits uint) uint64 {
	upper := w & ((uint64(1)<<(2*bits) - 1) * 0x0001000000010000)
	return w ^ upper | upper>>(16-2*bits)
}

// eight takes the upper four codes away where they are and adds them where they belong, in
// one multiplication. (Masks would tell the compiler which bytes are 0, and it would store the
// word in four pieces.)
func eight(w uint64, bits uint) uint64 {
	return w - w>>32*(1<<32-uint64(1)<<(4*bits))
}

// The way back. halves ignores the bits above the eighth code.

func halves(w uint64, bits uint) uint64 {
	four := uint64(1)<<(4*bits) - 1
	return w&four | w>>(4*bits)&four<<32
}

func quarters(w uint64, bits uint) uint64 {
	upper := w & ((uint64(1)<<(2*bits) - 1) << (2 * bits) * 0x0000000100000001)
	return w ^ upper | upper<<(16-2*bits)
}

func single(w uint64, bits uint) uint64 {
	upper := w & ((uint64(1)<<bits - 1) << bits * 0x0001000100010001)
	return w ^ upper | upper<<(8-bits)
}

// full returns a word that is not 0 if any of the 8 codes of a stream's word has all its bits
// set. It ignores the bits above the eighth code.
func full(w uint64, bits uint) uint64 {
	firsts := uint64(1) // the lowest bit of each code
	firsts |= firsts << bits
	firsts |= firsts << (2 * bits)
	firsts |= firsts << (4 * bits)
	// After a line bit p reports whether so many bits from p on are set: 1, 2, 4, all.
	if bits >= 2 {
		w &= w >> 1
	}
	if bits >= 4 {
		w &= w >> 2
	}
	switch bits {
	case 3:
		w &= w >> 1
	case 5, 6, 7, 8:
		w &= w >> (bits - 4)
	}
	return w & firsts
}
