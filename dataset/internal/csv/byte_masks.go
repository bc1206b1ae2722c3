package csv

import "encoding/binary"

// byteMasks say of 64 bytes, the first in the lowest bit, which are line feeds, separators
// and quotes.
type byteMasks struct{ lines, seps, quotes uint64 }

func maskBytes(b *[64]byte, sep byte) (m byteMasks) {
	others := ones * uint64(sep)
	for i := 0; i < 64; i += 8 {
		word := binary.LittleEndian.Uint64(b[i:])
		m.lines |= gathered(zeroBytes(word^feeds)) << i
		m.seps |= gathered(zeroBytes(word^others)) << i
		m.quotes |= gathered(zeroBytes(word^quoteMarks)) << i
	}
	return m
}

// parities returns in each bit whether an odd number of bits up to it are set in x.
func parities(x uint64) uint64 {
	for s := 1; s < 64; s *= 2 {
		x ^= x << s
	}
	return x
}

const (
	lows       = 0x7F * ones
	quoteMarks = '"' * ones
)

// zeroBytes sets the top bits of the bytes of x that are 0, and no other bits.
func zeroBytes(x uint64) uint64 { return ^(x&lows + lows | x) & highs }

// gathered moves the top bits of the eight bytes of x, whose other bits are 0, to the
// lowest eight bits: the product adds up each at its own place, and none carries.
func gathered(x uint64) uint64 { return x >> 7 * 0x0102040810204080 >> 56 }
