// Package mix scatters the cells of a table over 128 bits and adds them up, for a fingerprint that does not
// depend on how the table is cut (docs/architecture.md), and draws random numbers for many rows.
package mix

import (
	"encoding/binary"
	"math"
	"math/bits"

	"boost/internal/rng"
)

// Sum is a number modulo 2¹²⁸.
type Sum struct{ Hi, Lo uint64 }

// Add adds another sum.
func (s *Sum) Add(x Sum) {
	var carry uint64
	s.Lo, carry = bits.Add64(s.Lo, x.Lo, 0)
	s.Hi, _ = bits.Add64(s.Hi, x.Hi, carry)
}

// SumOf returns the sum of the bytes that Bytes returned. ok is false where they are not 16.
func SumOf(b []byte) (s Sum, ok bool) {
	if len(b) != 16 {
		return s, false
	}
	return Sum{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}, true
}

// Bytes returns the 16 bytes of the sum, the highest first.
func (s *Sum) Bytes() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, s.Hi), s.Lo)
}

// Key is what the cells of one column are mixed with.
type Key [2]uint64

// Cell is the value of a cell, mixed with its column's key.
type Cell struct{ lo, hi, more uint64 }

// Cell mixes a value of 128 bits.
func (k Key) Cell(a, b uint64) Cell {
	return Cell{lo: rng.Mix(a ^ k[0]), hi: rng.Mix(a + k[1]), more: b}
}

// Missing cells are mixed as a NaN that no column of numbers holds.
const missing = 0x7FF8_6D69_7373_696E

// Missing mixes a missing cell.
func (k Key) Missing() Cell { return k.Cell(missing, 0) }

const golden = 0x9E3779B97F4A7C15

// At scatters (row, column, cell) over 128 bits: each half takes in every input
// bit through two rounds of a bijective finalizer under a key of its own.
func (c Cell) At(row int) Sum {
	r := uint64(row) * golden
	lo := rng.Mix(c.lo + r ^ c.more)
	hi := rng.Mix(c.hi ^ bits.RotateLeft64(r, 32) + c.more)
	return Sum{Hi: rng.Mix(hi + bits.RotateLeft64(lo, 17)), Lo: lo}
}

// Number is the sum of one cell of a column of numbers: 0 where it is 0 or −0.
func Number(k Key, row int, v float64) Sum {
	switch {
	case v == 0:
		return Sum{}
	case v != v:
		return k.Missing().At(row)
	}
	return k.Cell(math.Float64bits(v), 0).At(row)
}

// Numbers returns the sum of the cells of a column of numbers from row first on.
func Numbers[F float32 | float64](k Key, first int, values []F) Sum {
	total, done := numbersAhead(k, first, values)
	for i, v := range values[done:] {
		total.Add(Number(k, first+done+i, float64(v)))
	}
	return total
}
