package bin

import (
	"math/bits"
	"unsafe"
)

// chunk is how many values go through the steps of a look-up together: their keys
// and codes stay in the first-level cache, and each step is a loop short enough to
// keep its numbers in registers.
const chunk = 256

// Codes32 writes the code of each value by an index of NewIndex32: the number of
// cuts below it, and that of all cuts plus one for NaN. C must hold these codes. The
// codes do not depend on the machine.
func Codes32[C Code](dst []C, values []float32, ix *Index) {
	if OnSearch != nil {
		OnSearch(len(values))
	}
	if ix.pivots != nil {
		encode(dst, values, ix.pivots)
		return
	}
	var keys [chunk]uint64
	var codes [chunk]uint32
	raw := unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(values))), len(values))
	for len(raw) > 0 {
		n := min(chunk, len(raw))
		keys32(keys[:n], raw)
		ix.count(codes[:n], keys[:n])
		narrow(dst, codes[:n])
		raw, dst = raw[n:], dst[n:]
	}
}

// Codes64 is Codes32 for float64 values and an index of NewIndex64.
func Codes64[C Code](dst []C, values []float64, ix *Index) {
	if OnSearch != nil {
		OnSearch(len(values))
	}
	if ix.pivots != nil {
		encode(dst, values, ix.pivots)
		return
	}
	var keys [chunk]uint64
	var codes [chunk]uint32
	raw := unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(values))), len(values))
	for len(raw) > 0 {
		n := min(chunk, len(raw))
		keys64(keys[:n], raw)
		ix.count(codes[:n], keys[:n])
		narrow(dst, codes[:n])
		raw, dst = raw[n:], dst[n:]
	}
}

//go:noinline
func keys32(keys []uint64, raw []int32) {
	raw = raw[:len(keys)]
	for i, b := range raw {
		keys[i] = uint64(signed32(b))
	}
}

//go:noinline
func keys64(keys []uint64, raw []int64) {
	raw = raw[:len(keys)]
	for i, b := range raw {
		keys[i] = uint64(signed64(b))
	}
}

// count turns keys into codes; the keys are biased on the way.
func (ix *Index) count(codes []uint32, keys []uint64) {
	locate(codes, keys, ix.start, ix.nearest, ix.span, ix.shift)
	for half := 1 << ix.steps >> 1; half > 0; half >>= 1 {
		advance(codes, keys, ix.keys[half-1:], uint32(half))
	}
}

// locate is Index.slot without branches, which a random sign would mispredict
// every second time.
//
//go:noinline
func locate(codes []uint32, keys []uint64, start []uint32, nearest, span int64, shift uint8) {
	codes = codes[:len(keys)]
	shift &= 63
	for i, k := range keys {
		key := int64(k)
		negative := key >> 63
		distance := key ^ negative - negative - nearest
		distance &^= distance >> 63
		excess := distance - span
		distance = span + excess&(excess>>63)
		keys[i] = k + bias
		codes[i] = start[uint64(distance^negative-negative+span)>>shift]
	}
}

// advance moves each code up by half where the cut at its end of the half lies
// below the key.
//
//go:noinline
func advance(codes []uint32, keys []uint64, cuts []uint64, half uint32) {
	codes = codes[:len(keys)]
	for i, k := range keys {
		code := codes[i]
		_, below := bits.Sub64(cuts[code], k, 0)
		codes[i] = code + half&-uint32(below)
	}
}

//go:noinline
func narrow[C Code](dst []C, codes []uint32) {
	dst = dst[:len(codes)]
	for i, code := range codes {
		dst[i] = C(code)
	}
}
