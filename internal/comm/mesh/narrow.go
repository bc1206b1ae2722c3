package mesh

// form is how a frame keeps 64-bit values: sums of few rows take half of their bytes.
type form uint8

const (
	whole  form = iota // in 8 bytes, as they are
	halves             // in 4: the upper 32 bits as a signed number of 16 bits, the lower ones as an unsigned one, as of packed sums
	int32s             // in 4: as a signed number of 32 bits
)

// leastNarrow is the number of bytes from which values are looked at.
const leastNarrow = 4096

// bytes returns how many bytes values take that are so many as they are.
func (f form) bytes(values int) int {
	if f != whole {
		return values / 2
	}
	return values
}

// formOf returns the form that holds all values of a frame.
func formOf(k kind, data []byte) form {
	if k != sum64 && k != sumParts64 || len(data) < leastNarrow {
		return whole
	}
	var halfBits, intBits uint64
	values := valuesOf[uint64](data)
	for len(values) > 0 && (halfBits == 0 || intBits == 0) {
		block := values[:min(len(values), 512)]
		for _, v := range block {
			halfBits |= uint64((int64(v)>>32+1<<15)>>16) | v&(1<<32-1)>>16
			intBits |= uint64((int64(v) + 1<<31) >> 32)
		}
		values = values[len(block):]
	}
	switch {
	case halfBits == 0:
		return halves
	case intBits == 0:
		return int32s
	}
	return whole
}

// narrow writes values in a form of 4 bytes to the front of to, and returns that.
func (f form) narrow(to, data []byte) []byte {
	to = to[:len(data)/2]
	out := valuesOf[uint32](to)
	values := valuesOf[uint64](data)[:len(out)]
	if f == halves {
		for i, v := range values {
			out[i] = uint32(v>>32)<<16 | uint32(uint16(v))
		}
		return to
	}
	for i, v := range values {
		out[i] = uint32(v)
	}
	return to
}

// widen takes values in a form of 4 bytes apart into dst, or adds them to what is there.
func (f form) widen(dst, data []byte, add bool) {
	in := valuesOf[uint32](data)
	values := valuesOf[uint64](dst)[:len(in)]
	keep := uint64(0) // of what is there
	if add {
		keep = ^keep
	}
	if f == halves {
		for i, v := range in {
			values[i] = values[i]&keep + uint64(int64(int32(v)>>16))<<32 + uint64(uint16(v))
		}
		return
	}
	for i, v := range in {
		values[i] = values[i]&keep + uint64(int64(int32(v)))
	}
}
