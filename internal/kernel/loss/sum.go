package loss

import (
	"math"

	"boost/internal/detmath"
)

const (
	sumBlock = 256 // numbers that are summed together
	sumRoom  = 9   // 2^sumRoom is at least 2 more than that
	// A block whose largest number has an exponent outside is added number by number: the parts would be subnormal or infinite.
	sumLow, sumHigh = 200, 2000
)

// sumParts are the sums of the upper and lower parts of numbers by lane, and the bits of what these leave.
type sumParts [3][8]float64

// AddUp adds numbers to an exact sum, several at a time where there are vectors.
//
// The upper part of a number is what it has above a unit that the largest number of the block allows: an addition to a power of two
// splits it off, and sums of such parts have no error. What is left is split once more, and mostly leaves nothing. (ExtractVector of Rump,
// Ogita & Oishi, Accurate floating-point summation, 2008.)
func AddUp(sum *detmath.Sum, values []float64) {
	for len(values) > 0 {
		block := values[:min(sumBlock, len(values))]
		values = values[len(block):]
		for _, x := range block[addParts(sum, block):] {
			sum.Add(x)
		}
	}
}

// addParts adds the first numbers of a block, and returns how many.
func addParts(sum *detmath.Sum, block []float64) int {
	var most [4]uint64 // in four chains, as each number waits for the one before
	for rest := block; len(rest) >= 4; rest = rest[4:] {
		most[0], most[1] = max(most[0], math.Float64bits(rest[0])<<1), max(most[1], math.Float64bits(rest[1])<<1)
		most[2], most[3] = max(most[2], math.Float64bits(rest[2])<<1), max(most[3], math.Float64bits(rest[3])<<1)
	}
	exponent := max(most[0], most[1], most[2], most[3]) >> 53
	if exponent < sumLow || exponent > sumHigh {
		return 0
	}
	// All numbers are below 2^-sumRoom times upper, and what it leaves of them is at most 2^-53 times upper.
	upper := math.Float64frombits((exponent + 1 + sumRoom) << 52)
	lower := math.Float64frombits((exponent + 1 + 2*sumRoom - 53) << 52)
	var parts sumParts
	done := splitVectors(block[:len(block)&^3], upper, lower, &parts)
	if done == 0 {
		return 0
	}
	left := uint64(0)
	for lane := range 8 {
		sum.Add(parts[0][lane])
		sum.Add(parts[1][lane])
		left |= math.Float64bits(parts[2][lane]) << 1
	}
	if left == 0 {
		return done
	}
	for _, x := range block[:done] {
		x -= upper + x - upper
		sum.Add(x - (lower + x - lower))
	}
	return done
}
