//go:build arm64 && !purego

package hist

import (
	"unsafe"

	"boost/internal/cpu"
)

// neon reports whether the vectors are in use.
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

// splitNEON is unpackToNEON that leaves the packed sums as they are.
//
//go:noescape
func splitNEON(grad *int64, hess, sums *uint64, n uint64)

// mergeNEON adds n packed sums to others and clears them.
//
//go:noescape
func mergeNEON(to, from *uint64, n uint64)

// subtractNEON subtracts n sums of what from those of from.
//
//go:noescape
func subtractNEON(from, what unsafe.Pointer, n uint64)

// packNEON fills n entries, packEqualNEON those of rows with one hessian code, pack8NEON and
// pack4NEON from packed codes.
//
//go:noescape
func packNEON(entries *uint64, grad *int16, hess *uint16, n uint64)

//go:noescape
func packEqualNEON(entries *uint64, grad *int16, hess, n uint64)

//go:noescape
func pack8NEON(entries *uint64, packed *uint16, n uint64)

//go:noescape
func pack4NEON(entries *uint64, packed *uint8, n uint64)

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

// splitVectors is Split for as many sums as vectors take, and says how many.
func splitVectors(grad []int64, hess []uint64, sums []uint64) int {
	n := sumsSteps(len(sums))
	if n > 0 {
		_, _ = grad[n-1], hess[n-1]
		splitNEON(&grad[0], &hess[0], &sums[0], uint64(n))
	}
	return n
}

// mergeVectors is Merge for as many sums as vectors take, and says how many.
func mergeVectors(to, from []uint64) int {
	n := sumsSteps(len(from))
	if n > 0 {
		_ = to[n-1]
		mergeNEON(&to[0], &from[0], uint64(n))
	}
	return n
}

// moveVectors is none: copying and clearing have vectors of their own.
func moveVectors(_, _ []uint64) int { return 0 }

// totalVectors adds up the packed words of as many entries as vectors take, and says how many.
func totalVectors(entries []uint64) (packed uint64, n int) {
	n = sumsSteps(len(entries))
	if n > 0 {
		packed = totalNEON(&entries[0], uint64(n))
	}
	return packed, n
}

// subtractVectors is Subtract for the first sums, and says how many.
func subtractVectors[T int64 | uint64](from, what []T) (done int) {
	for {
		n := sumsSteps(len(what) - done)
		if n == 0 {
			return done
		}
		subtractNEON(unsafe.Pointer(&from[done:][:n][0]), unsafe.Pointer(&what[done]), uint64(n))
		done += n
	}
}

// packVectors is Pack for as many entries as vectors take, and says how many.
func packVectors(entries []uint64, grad []int16, hess []uint16) int {
	n := sumsSteps(len(entries))
	if n > 0 {
		_, _ = grad[n-1], hess[n-1]
		packNEON(&entries[0], &grad[0], &hess[0], uint64(n))
	}
	return n
}

// packEqualVectors is PackEqual of rows in order for as many entries as vectors take, and says how many.
func packEqualVectors(entries []uint64, grad []int16, hess uint16) int {
	n := sumsSteps(len(entries))
	if n > 0 {
		_ = grad[n-1]
		packEqualNEON(&entries[0], &grad[0], uint64(hess), uint64(n))
	}
	return n
}

// pack8Vectors is Pack8 of rows in order for as many entries as vectors take, and says how many.
func pack8Vectors(entries []uint64, packed []uint16) int {
	n := sumsSteps(len(entries))
	if n > 0 {
		_ = packed[n-1]
		pack8NEON(&entries[0], &packed[0], uint64(n))
	}
	return n
}

// pack4Vectors is pack8Vectors for Pack4.
func pack4Vectors(entries []uint64, packed []uint8) int {
	n := sumsSteps(len(entries))
	if n > 0 {
		_ = packed[n-1]
		pack4NEON(&entries[0], &packed[0], uint64(n))
	}
	return n
}
