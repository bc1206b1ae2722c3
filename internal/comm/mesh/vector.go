package mesh

import (
	"encoding/binary"
	"math"
)

// kind is what a call does.
type kind uint8

const (
	barrier kind = iota + 1
	sum64
	sum32
	sumParts64
	maxFloat
	gatherBytes
	broadcastBytes
)

func (k kind) String() string {
	if names := []string{"no call", "Barrier", "Sum64", "Sum32", "SumParts64", "Max", "Gather", "Broadcast"}; int(k) < len(names) {
		return names[k]
	}
	return "an unknown call"
}

// givesBytes reports whether the ranks may give data of different lengths.
func (k kind) givesBytes() bool { return k == gatherBytes || k == broadcastBytes }

// vector is the values of a call, in one of the slices.
type vector struct {
	kind kind
	u64  []uint64
	u32  []uint32
	f64  []float64
	data []byte
}

func (v vector) length() int { return len(v.u64) + len(v.u32) + len(v.f64) + len(v.data) }

// width returns the bytes of a value.
func (v vector) width() int {
	switch v.kind {
	case sum32:
		return 4
	case gatherBytes, broadcastBytes:
		return 1
	}
	return 8
}

// encode writes values lo to hi, little-endian.
func (v vector) encode(dst []byte, lo, hi int) {
	switch v.kind {
	case barrier, sum64, sumParts64:
		for i, x := range v.u64[lo:hi] {
			binary.LittleEndian.PutUint64(dst[8*i:], x)
		}
	case sum32:
		for i, x := range v.u32[lo:hi] {
			binary.LittleEndian.PutUint32(dst[4*i:], x)
		}
	case maxFloat:
		for i, x := range v.f64[lo:hi] {
			binary.LittleEndian.PutUint64(dst[8*i:], math.Float64bits(x))
		}
	case gatherBytes, broadcastBytes:
		copy(dst, v.data[lo:hi])
	}
}

// combine adds what encode wrote to values lo to hi, or takes the larger values.
func (v vector) combine(src []byte, lo, hi int) {
	switch v.kind {
	case barrier, sum64, sumParts64:
		values := v.u64[lo:hi]
		for i := range values {
			values[i] += binary.LittleEndian.Uint64(src[8*i:])
		}
	case sum32:
		values := v.u32[lo:hi]
		for i := range values {
			values[i] += binary.LittleEndian.Uint32(src[4*i:])
		}
	case maxFloat:
		values := v.f64[lo:hi]
		for i := range values {
			values[i] = max(values[i], math.Float64frombits(binary.LittleEndian.Uint64(src[8*i:])))
		}
	}
}

// set replaces values lo to hi by what encode wrote.
func (v vector) set(src []byte, lo, hi int) {
	switch v.kind {
	case barrier, sum64, sumParts64:
		values := v.u64[lo:hi]
		for i := range values {
			values[i] = binary.LittleEndian.Uint64(src[8*i:])
		}
	case sum32:
		values := v.u32[lo:hi]
		for i := range values {
			values[i] = binary.LittleEndian.Uint32(src[4*i:])
		}
	case maxFloat:
		values := v.f64[lo:hi]
		for i := range values {
			values[i] = math.Float64frombits(binary.LittleEndian.Uint64(src[8*i:]))
		}
	}
}
