package tensorq

import (
	"encoding/binary"
	"fmt"
	"math"

	"boost/internal/kernel/codec"
)

// Q4_0 is a tensor in blocks of 32 values, each with a scale of its own (S4.22), with
// numbers little-endian:
//
//	offset size
//	0      4    scale, float32
//	4      16   codes: byte j has code 2·j in its low, code 2·j+1 in its high four bits
//
// A code is a whole number from −8 to 7 in two's complement, a value code·scale. In the last
// block codes beyond the last value are 0. Blocks follow each other without gaps.
//
// Files of GGUF have another form under the same name, GGUFQ4_0Block.

// Q4_0Values is how many values a block of Q4_0 has, Q4_0Bytes how many bytes.
const (
	Q4_0Values = codec.Q4Values
	Q4_0Bytes  = codec.Q4Bytes
)

// q4Bits is the width of a code.
const q4Bits = 4

// Q4_0Size is how many bytes n values take in Q4_0: 20·⌈n/32⌉ (S4.24).
func Q4_0Size(n int) int { return blockCount(n, Q4_0Values) * Q4_0Bytes }

// QuantizeQ4_0 writes the blocks of w to dst and returns the number of bytes written,
// Q4_0Size(len(w)). What dst holds behind them stays (S4.22, S4.23).
//
// The scale of a block is max|w|/7, a code w/scale, both divided in float64, the scale rounded
// to float32, the code to the nearest whole number, halves away from zero, and kept within
// −8 … 7. A value so errs by at most half a scale, and by roundings to float32 as
// QuantizedBlock.ErrorBound says. A last block that is not full is filled up with zeros. The bytes
// are the same on every platform.
//
// Errors: ErrOutputTooSmall in bytes, with nothing written; ErrNotFinite, after which dst is of
// no use.
func QuantizeQ4_0(dst []byte, w []float32) (int, error) {
	size := Q4_0Size(len(w))
	if len(dst) < size {
		return 0, ErrOutputTooSmall{Required: size}
	}
	full := len(w) &^ (Q4_0Values - 1)
	peak := codec.QuantizeQ4(dst[:Q4_0Size(full)], w[:full])
	if full < len(w) {
		var last [Q4_0Values]float32
		copy(last[:], w[full:])
		peak = max(peak, codec.QuantizeQ4(dst[size-Q4_0Bytes:size], last[:]))
	}
	if peak > math.Float32bits(math.MaxFloat32) {
		_, err := peakOf(w)
		return 0, err
	}
	return size, nil
}

// DequantizeQ4_0 writes the values of blocks into out, of which there are len(out): code·scale,
// rounded once to float32.
//
// Errors, all of which leave out as it was: ErrBlockBytes if blocks has not exactly
// Q4_0Size(len(out)) bytes; ErrFormat for a scale that is NaN, infinite, negative or −0, for a value
// that would be infinite, and for codes beyond the last value that are not 0.
func DequantizeQ4_0(blocks []byte, out []float32) error {
	if size := Q4_0Size(len(out)); len(blocks) != size {
		return ErrBlockBytes{Values: len(out), Bytes: len(blocks), Required: size}
	}
	for at := 0; at < len(blocks); at += Q4_0Bytes {
		// 8 times a scale is finite up to these bits, and only the scales that follow, the
		// negative ones and what is no number have larger ones.
		const surelyFinite = 0x7dffffff
		if binary.LittleEndian.Uint32(blocks[at:]) > surelyFinite {
			if err := checkQ4(blocks[at:at+Q4_0Bytes], int64(at)); err != nil {
				return err
			}
		}
	}
	full := len(out) &^ (Q4_0Values - 1)
	if full == len(out) {
		codec.DequantizeQ4(out, blocks)
		return nil
	}
	end := len(blocks) - Q4_0Bytes
	if at := spareQ4(blocks[end+4:], len(out)-full); at >= 0 {
		return ErrFormat{Offset: int64(end + 4 + at), Text: "codes beyond the last value: expected 0"}
	}
	var last [Q4_0Values]float32
	codec.DequantizeQ4(out[:full], blocks[:end])
	codec.DequantizeQ4(last[:], blocks[end:])
	copy(out[full:], last[:])
	return nil
}

// checkQ4 refuses a block with a scale that no tensor has or a value that would be infinite.
// The largest scales make code −8 infinite, and no other: no tensor has both.
func checkQ4(block []byte, offset int64) error {
	scale := math.Float32frombits(binary.LittleEndian.Uint32(block))
	if err := checkScale(scale, q4Bits); err != nil {
		return ErrFormat{Offset: offset, Text: err.Error()}
	}
	const least = 8 // the bits of code −8
	if !math.IsInf(float64(8*scale), 0) {
		return nil
	}
	for j, b := range block[4:] {
		if b&15 == least || b>>4 == least {
			return ErrFormat{Offset: offset + 4 + int64(j), Text: fmt.Sprintf("code -8 of scale %v: expected finite values", scale)}
		}
	}
	return nil
}

// spareQ4 returns the index of the first byte with a code from the n-th on that is not 0, −1 if
// there is none.
func spareQ4(codes []byte, n int) int {
	if n&1 == 1 && codes[n/2]>>4 != 0 {
		return n / 2
	}
	for j := (n + 1) / 2; j < len(codes); j++ {
		if codes[j] != 0 {
			return j
		}
	}
	return -1
}
