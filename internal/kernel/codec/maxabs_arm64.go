//go:build arm64 && !purego

package codec

import "boost/internal/cpu"

// neon reports whether the vectors are in use.
var neon = cpu.NEON()

// maxAbsStep is how many floats the loop of maxAbsNEON takes at a time, maxAbsCall how many it
// takes at most: it cannot be interrupted.
const (
	maxAbsStep = 16
	maxAbsCall = 1 << 18
)

// maxAbsNEON returns the bits of the largest magnitude of n floats, a multiple of maxAbsStep above 0.
//
//go:noescape
func maxAbsNEON(values *float32, n uint64) uint64

// maxAbsAhead returns the bits of the largest magnitude of as many floats as it can do, and
// how many.
func maxAbsAhead(values []float32) (bits uint32, done int) {
	n := min(len(values), maxAbsCall) &^ (maxAbsStep - 1)
	if n == 0 || !neon {
		return 0, 0
	}
	return uint32(maxAbsNEON(&values[0], uint64(n))), n
}
