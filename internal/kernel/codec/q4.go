package codec

import (
	"encoding/binary"
	"math"
)

// A block of Q4_0 has 32 values in 20 bytes, with numbers little-endian:
//
//	offset size
//	0      4    scale, float32
//	4      16   codes in two's complement: byte j has code 2·j in its low, 2·j+1 in its high half
const (
	Q4Values = 32
	Q4Bytes  = 20
)

// q4Raised is 1 with what makes halves more than halves, see QuantizeQ4.
const q4Raised = 1 + 0x1p-32

// QuantizeQ4 writes the block of every 32 values. There are whole blocks, as many as values
// for them. It returns the bits of the largest magnitude of all: where that is not finite,
// some blocks mean nothing.
//
// The scale is a block's largest magnitude by 7, divided in float64 and rounded to float32.
// 7 times that is finite, as the largest float32 is 7·2396745·2¹⁰⁴. A code is value/scale in
// float64, rounded to the nearest whole number, halves away from zero, kept within −8 … 7,
// and 0 where the scale is 0. With normal scales no quotient rounds to more than 7 in
// magnitude; with subnormal ones it is at most 10.5.
//
// No value is divided: it is multiplied by 1/scale, raised by 2⁻³², and rounded to the
// nearest, halves to even. That gives the same number, as only a quotient that is a half
// crosses one. Take |value|/scale below 8, near k/2 with k odd but not equal to it. Twice the
// value and k times the scale are multiples of half the scale's last place, which is above 2⁻²⁵
// of the scale; so the quotient is more than 2⁻²⁶ away from k/2, and moves by less than 2⁻²⁸.
// An exact k/2 becomes larger by 2⁻³³ or more, of which roundings take away less than 2⁻⁴⁸.
func QuantizeQ4(blocks []byte, values []float32) (peak uint32) {
	for done := 1; done > 0; {
		var bits uint32
		bits, done = quantizeQ4Ahead(blocks, values)
		peak = max(peak, bits)
		values, blocks = values[done:], blocks[done/Q4Values*Q4Bytes:]
	}
	for len(values) > 0 {
		peak = max(peak, quantizeQ4Block((*[Q4Bytes]byte)(blocks), (*[Q4Values]float32)(values)))
		values, blocks = values[Q4Values:], blocks[Q4Bytes:]
	}
	return peak
}

func quantizeQ4Block(block *[Q4Bytes]byte, values *[Q4Values]float32) (peak uint32) {
	var a, b, c, d uint32 // four maxima, for one would wait for itself
	for i := 0; i < Q4Values; i += 4 {
		a = max(a, math.Float32bits(values[i])&magnitude)
		b = max(b, math.Float32bits(values[i+1])&magnitude)
		c = max(c, math.Float32bits(values[i+2])&magnitude)
		d = max(d, math.Float32bits(values[i+3])&magnitude)
	}
	peak = max(a, b, c, d)
	scale := float32(float64(math.Float32frombits(peak)) / 7)
	binary.LittleEndian.PutUint32(block[:], math.Float32bits(scale))
	codes := (*[Q4Values / 2]byte)(block[4:])
	if scale < 0x1p-126 {
		q4Subnormal(codes, values, scale)
		return peak
	}
	times := q4Raised / float64(scale)
	for j := 0; j < len(codes); j += 2 { // two at a time are 3 % faster
		codes[j] = byte(q4Whole(values[2*j], times)&15 | q4Whole(values[2*j+1], times)<<4)
		codes[j+1] = byte(q4Whole(values[2*j+2], times)&15 | q4Whole(values[2*j+3], times)<<4)
	}
	return peak
}

// q4Subnormal writes the codes of a block whose scale is subnormal or 0, which may go beyond −8 … 7.
func q4Subnormal(codes *[Q4Values / 2]byte, values *[Q4Values]float32, scale float32) {
	if scale == 0 {
		clear(codes[:])
		return
	}
	times := q4Raised / float64(scale)
	for j := range codes {
		low, high := q4Whole(values[2*j], times), q4Whole(values[2*j+1], times)
		codes[j] = byte(max(-8, min(7, low))&15 | max(-8, min(7, high))<<4)
	}
}

// q4Whole rounds the product to a whole number, halves to even. After 1.5·2⁵² is added there is no
// place for a fraction, and the number stands in the lowest bits.
func q4Whole(value float32, times float64) int32 {
	return int32(math.Float64bits(float64(float64(value)*times) + 0x1.8p52))
}

// q4Numbers are what the four bits of a code stand for.
var q4Numbers = [16]float32{0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1}

// DequantizeQ4 writes code·scale, rounded once to float32, for the codes of every block. There
// are whole blocks, and as many values as they have.
func DequantizeQ4(values []float32, blocks []byte) {
	for done := 1; done > 0; {
		done = dequantizeQ4Ahead(values, blocks)
		values, blocks = values[done:], blocks[done/Q4Values*Q4Bytes:]
	}
	for len(values) > 0 {
		block, to := (*[Q4Bytes]byte)(blocks), (*[Q4Values]float32)(values)
		scale := math.Float32frombits(binary.LittleEndian.Uint32(block[:]))
		for j, b := range (*[Q4Values / 2]byte)(block[4:]) {
			to[2*j] = q4Numbers[b&15] * scale
			to[2*j+1] = q4Numbers[b>>4] * scale
		}
		values, blocks = values[Q4Values:], blocks[Q4Bytes:]
	}
}
