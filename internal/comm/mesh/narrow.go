package mesh

import (
	"encoding/binary"
	"math/bits"
)

// form is how a frame keeps 64-bit values: sums of few rows take fewer bytes.
type form uint8

// Words are packed sums: a signed number in the upper 32 bits, plus one without a sign. The numbers say how many bits each of both keeps.
const (
	whole   form = iota // in 8 bytes, as they are
	words16             // in 4
	words24             // in 6
	ints32              // in 4, signed numbers
	ints48              // in 6
	forms
)

// leastNarrow is the number of bytes from which values are looked at, and spareBytes what is read and written behind the last value.
const (
	leastNarrow = 4096
	spareBytes  = 2
)

// bytes returns how many bytes values take that are so many as they are.
func (f form) bytes(values int) int {
	switch f {
	case words16, ints32:
		return values / 2
	case words24, ints48:
		return values / 4 * 3
	}
	return values
}

// formOf returns the shortest form that holds all values of a frame.
func formOf(k kind, data []byte) form {
	if k != sum64 && k != sumParts64 || len(data) < leastNarrow {
		return whole
	}
	var upper, lower, all uint64 // bits that any value has, without those that a sign repeats
	for _, v := range valuesOf[uint64](data) {
		sign := uint64(int64(v) >> 63)
		upper |= v>>32 ^ sign>>32
		lower |= v
		all |= v ^ sign
	}
	u, l, a := bits.Len64(upper), bits.Len32(uint32(lower)), bits.Len64(all)
	switch {
	case u < 16 && l <= 16:
		return words16
	case a < 32:
		return ints32
	case u < 24 && l <= 24:
		return words24
	case a < 48:
		return ints48
	}
	return whole
}

// narrow writes values in a form to the front of to, which has room for spareBytes more, and returns that.
func (f form) narrow(to, data []byte) []byte {
	values := valuesOf[uint64](data)
	n := f.bytes(len(data))
	switch f {
	case words16:
		out := valuesOf[uint32](to[:n])[:len(values)]
		for i, v := range values {
			out[i] = uint32(v>>32)<<16 | uint32(uint16(v))
		}
	case ints32:
		out := valuesOf[uint32](to[:n])[:len(values)]
		for i, v := range values {
			out[i] = uint32(v)
		}
	case words24:
		for i, v := range values {
			binary.LittleEndian.PutUint64(to[6*i:], v>>32<<24|v&(1<<24-1))
		}
	case ints48:
		for i, v := range values {
			binary.LittleEndian.PutUint64(to[6*i:], v)
		}
	}
	return to[:n]
}

// widen takes values in a form apart into dst, or adds them to what is there. spareBytes follow data in its memory.
func (f form) widen(dst, data []byte, add bool) {
	values := valuesOf[uint64](dst)
	keep := uint64(0) // of what is there
	if add {
		keep = ^keep
	}
	from := data[:len(data)+spareBytes]
	switch f {
	case words16:
		for i, v := range valuesOf[uint32](data)[:len(values)] {
			values[i] = values[i]&keep + uint64(int64(int32(v)>>16))<<32 + uint64(uint16(v))
		}
	case ints32:
		for i, v := range valuesOf[uint32](data)[:len(values)] {
			values[i] = values[i]&keep + uint64(int64(int32(v)))
		}
	case words24:
		for i := range values {
			v := binary.LittleEndian.Uint64(from[6*i:])
			values[i] = values[i]&keep + uint64(int64(v<<16)>>40)<<32 + v&(1<<24-1)
		}
	case ints48:
		for i := range values {
			values[i] = values[i]&keep + uint64(int64(binary.LittleEndian.Uint64(from[6*i:])<<16)>>16)
		}
	}
}
