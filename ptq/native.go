package ptq

import (
	"encoding/binary"
	"math"
	"slices"
)

// AppendNative appends the codes as a file holds them (S4.21), NativeBytes of them:
// types of 8 bits and more as little-endian words, narrower ones with the first value in
// the high bits of a byte and spare bits 0, signed ones in two's complement, of Binary's a
// set bit for +1.
//
//	I4, U4, FP4      aaaabbbb        I2, U2, Ternary  aabbccdd        Binary  abcdefgh
func (v *Version) AppendNative(dst []byte) []byte {
	start := len(dst)
	dst = slices.Grow(dst, int(v.NativeBytes()))[:start+int(v.NativeBytes())]
	out := dst[start:]
	clear(out)
	switch codes := v.codes.(type) {
	case []float64:
		for i, x := range codes {
			binary.LittleEndian.PutUint64(out[8*i:], math.Float64bits(x))
		}
	case []float32:
		for i, x := range codes {
			binary.LittleEndian.PutUint32(out[4*i:], math.Float32bits(x))
		}
	case []uint64:
		put(out, codes)
	case []int64:
		put(out, codes)
	case []uint32:
		put(out, codes)
	case []int32:
		put(out, codes)
	case []uint16:
		put(out, codes)
	case []int16:
		put(out, codes)
	case []uint8:
		putBits(out, codes, v.dtype.Bits())
	case []int8:
		if v.dtype == Binary {
			for i, c := range codes {
				out[i/8] |= uint8(c+1) >> 1 << (7 - i%8)
			}
			break
		}
		putBits(out, codes, v.dtype.Bits())
	}
	return dst
}

// put writes words of 2, 4 or 8 bytes.
func put[T int16 | uint16 | int32 | uint32 | int64 | uint64](out []byte, codes []T) {
	if len(codes) == 0 {
		return
	}
	size := len(out) / len(codes)
	for i, c := range codes {
		word := uint64(c)
		for b := range size {
			out[size*i+b] = byte(word >> (8 * b))
		}
	}
}

// putBits writes codes of 2, 4 or 8 bits into zeroed bytes.
func putBits[T int8 | uint8](out []byte, codes []T, bits int) {
	each := 8 / bits
	for i, c := range codes {
		out[i/each] |= uint8(c) << (8 - bits) >> (i % each * bits)
	}
}
