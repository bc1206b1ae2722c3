package format

import (
	"encoding/binary"
	"math"
)

var le = binary.LittleEndian

// reader takes numbers off the front of a section. Every read of more than is left
// fails and leaves short set; callers check lengths before they allocate.
type reader struct {
	b     []byte
	short bool
}

// take returns the next n bytes, nil if fewer are left.
func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.b, r.short = nil, true
		return nil
	}
	front := r.b[:n]
	r.b = r.b[n:]
	return front
}

// takeArray returns the bytes of count numbers of width bytes.
func (r *reader) takeArray(count, width uint64) []byte {
	if width != 0 && count > uint64(len(r.b))/width {
		r.b, r.short = nil, true
		return nil
	}
	return r.take(count * width)
}

func (r *reader) u32() uint32 {
	if b := r.take(4); b != nil {
		return le.Uint32(b)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if b := r.take(8); b != nil {
		return le.Uint64(b)
	}
	return 0
}

// done reports whether everything was read and nothing is left.
func (r *reader) done() bool { return !r.short && len(r.b) == 0 }

// widthOf returns the bytes per number (1, 2 or 4) that hold values up to v.
func widthOf(v uint32) uint8 {
	switch {
	case v < 1<<8:
		return 1
	case v < 1<<16:
		return 2
	default:
		return 4
	}
}

func appendWide(b []byte, v uint32, width uint8) []byte {
	switch width {
	case 1:
		return append(b, byte(v))
	case 2:
		return le.AppendUint16(b, uint16(v))
	default:
		return le.AppendUint32(b, v)
	}
}

// wideAt returns number i of an array of that width.
func wideAt(b []byte, i int, width uint8) uint32 {
	switch width {
	case 1:
		return uint32(b[i])
	case 2:
		return uint32(le.Uint16(b[2*i:]))
	default:
		return le.Uint32(b[4*i:])
	}
}

func appendFloats64(b []byte, values []float64) []byte {
	for _, v := range values {
		b = le.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

func appendFloats32(b []byte, values []float32) []byte {
	for _, v := range values {
		b = le.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func floats64(b []byte) []float64 {
	values := make([]float64, len(b)/8)
	setFloats64(values, b)
	return values
}

func setFloats64(values []float64, b []byte) {
	for i := range values {
		values[i] = math.Float64frombits(le.Uint64(b[8*i:]))
	}
}

func floats32(b []byte) []float32 {
	values := make([]float32, len(b)/4)
	setFloats32(values, b)
	return values
}

func setFloats32(values []float32, b []byte) {
	for i := range values {
		values[i] = math.Float32frombits(le.Uint32(b[4*i:]))
	}
}
