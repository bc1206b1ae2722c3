package missing

import (
	"math"
	"unsafe"
)

// Infinite32 returns how many values are infinite, and the index of the first, 0 without one.
func Infinite32(values []float32) (n, first int) {
	const magnitude, infinity = math.MaxInt32, 0x7f80_0000
	words := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(values))), len(values))
	var even, odd uint32 // without a branch: of 0 ≤ x < 2³¹ only 0 has a predecessor with the highest bit
	rest := words
	for ; len(rest) >= 2; rest = rest[2:] {
		even += (rest[0]&magnitude ^ infinity - 1) >> 31
		odd += (rest[1]&magnitude ^ infinity - 1) >> 31
	}
	for _, w := range rest {
		even += (w&magnitude ^ infinity - 1) >> 31
	}
	if n = int(even) + int(odd); n > 0 {
		for words[first]&magnitude != infinity {
			first++
		}
	}
	return n, first
}

// Infinite64 counts as Infinite32 does.
func Infinite64(values []float64) (n, first int) {
	const magnitude, infinity = math.MaxInt64, 0x7ff0_0000_0000_0000
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(values))), len(values))
	var even, odd uint64
	rest := words
	for ; len(rest) >= 2; rest = rest[2:] {
		even += (rest[0]&magnitude ^ infinity - 1) >> 63
		odd += (rest[1]&magnitude ^ infinity - 1) >> 63
	}
	for _, w := range rest {
		even += (w&magnitude ^ infinity - 1) >> 63
	}
	if n = int(even + odd); n > 0 {
		for words[first]&magnitude != infinity {
			first++
		}
	}
	return n, first
}
