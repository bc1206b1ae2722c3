//go:build arm64 && !purego

package hist

import "boost/internal/cpu"

// neon says that the vectors are in use.
var neon = cpu.NEON()

// sumsStep is how many words the loops take at a time, sumsCall how many they take at most: they cannot
// be interrupted.
const (
	sumsStep = 8
	sumsCall = 1 << 18
)

// In what follows n is a multiple of sumsStep above 0.

// totalNEON adds up the packed words of n entries.
//
//go:noescape
func totalNEON(entries *uint64, n uint64) uint64

// unpackNEON adds n packed sums to wide ones and clears them.
//
//go:noescape
func unpackNEON(grad *int64, hess, sums *uint64, n uint64)

// unpackToNEON is unpackNEON to sums that were 0.
//
//go:noescape
func unpackToNEON(grad *int64, hess, sums *uint64, n uint64)

// sumsSteps returns how many of n words vectors take in a call.
func sumsSteps(n int) int {
	if !neon {
		return 0
	}
	return min(n, sumsCall) &^ (sumsStep - 1)
}

// unpackAhead is Unpack for as many sums as vectors take, and says how many.
func unpackAhead(grad []int64, hess []uint64, sums []uint64) int {
	n := sumsSteps(len(sums))
	if n > 0 {
		_, _ = grad[n-1], hess[n-1]
		unpackNEON(&grad[0], &hess[0], &sums[0], uint64(n))
	}
	return n
}

// unpackToAhead is UnpackTo for as many sums as vectors take, and says how many.
func unpackToAhead(grad []int64, hess []uint64, sums []uint64) int {
	n := sumsSteps(len(sums))
	if n > 0 {
		_, _ = grad[n-1], hess[n-1]
		unpackToNEON(&grad[0], &hess[0], &sums[0], uint64(n))
	}
	return n
}

// totalVectors adds up the packed words of as many entries as vectors take, and says how many.
func totalVectors(entries []uint64) (packed uint64, n int) {
	n = sumsSteps(len(entries))
	if n > 0 {
		packed = totalNEON(&entries[0], uint64(n))
	}
	return packed, n
}
