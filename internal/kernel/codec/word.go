package codec

import "encoding/binary"

// each repeats a byte in all bytes of a word.
const each = 0x0101010101010101

func load(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

func store(b []byte, w uint64) { binary.LittleEndian.PutUint64(b, w) }

// gather moves 8 codes, one in the low bits of each byte, next to each other: neighbours
// join to pairs, pairs to fours, fours to eight. Bits above a code must be 0.
func gather(w uint64, bits uint) uint64 {
	one := (uint64(1)<<bits - 1) * 0x0001000100010001
	w = w&one | w>>(8-bits)&(one<<bits)
	pair := (uint64(1)<<(2*bits) - 1) * 0x0000000100000001
	w = w&pair | w>>(16-2*bits)&(pair<<(2*bits))
	four := uint64(1)<<(4*bits) - 1
	return w&four | w>>(32-4*bits)&(four<<(4*bits))
}

// spread is the way back from gather. It ignores the bits above the eighth code.
func spread(w uint64, bits uint) uint64 {
	four := uint64(1)<<(4*bits) - 1
	w = w&four | w<<(32-4*bits)&(four<<32)
	pair := (uint64(1)<<(2*bits) - 1) * 0x0000000100000001
	w = w&pair | w<<(16-2*bits)&(pair<<16)
	one := (uint64(1)<<bits - 1) * 0x0001000100010001
	return w&one | w<<(8-bits)&(one<<8)
}

// full returns a word that is not 0 if any of the 8 codes of a stream's word has all its bits
// set. It ignores the bits above the eighth code.
func full(w uint64, bits uint) uint64 {
	firsts := uint64(1) // the lowest bit of each code
	firsts |= firsts << bits
	firsts |= firsts << (2 * bits)
	firsts |= firsts << (4 * bits)
	// After a line bit p says whether so many bits from p on are set: 1, 2, 4, all.
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
