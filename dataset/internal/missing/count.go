// Package missing counts the cells of a column that have no value, or an infinite one.
//
// In: values or codes. Out: how many of them are so. It must not know columns or tables.
package missing

import (
	"math"
	"unsafe"
)

// Float32s counts NaN: magnitudes whose bits are beyond those of infinity. Two
// sums, without a branch, take half the time that comparing a value with itself does.
func Float32s(values []float32) int {
	const magnitude, infinity = math.MaxInt32, 0x7f80_0000
	words := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(values))), len(values))
	var even, odd uint32
	for ; len(words) >= 2; words = words[2:] {
		even += (infinity - words[0]&magnitude) >> 31
		odd += (infinity - words[1]&magnitude) >> 31
	}
	for _, w := range words {
		even += (infinity - w&magnitude) >> 31
	}
	return int(even) + int(odd)
}

// Float64s counts as Float32s does.
func Float64s(values []float64) int {
	const magnitude, infinity = math.MaxInt64, 0x7ff0_0000_0000_0000
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(values))), len(values))
	var even, odd uint64
	for ; len(words) >= 2; words = words[2:] {
		even += (infinity - words[0]&magnitude) >> 63
		odd += (infinity - words[1]&magnitude) >> 63
	}
	for _, w := range words {
		even += (infinity - w&magnitude) >> 63
	}
	return int(even + odd)
}

// Codes counts codes below 0, without a branch.
func Codes(codes []int32) int {
	var even, odd uint32
	for ; len(codes) >= 2; codes = codes[2:] {
		even += uint32(codes[0]) >> 31
		odd += uint32(codes[1]) >> 31
	}
	for _, code := range codes {
		even += uint32(code) >> 31
	}
	return int(even + odd)
}
