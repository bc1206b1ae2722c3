// Package sample has the loops over rows of sampling by gradients: sizes of rows, sums of those below a bound, and which rows are kept.
// Sums are of whole numbers of a unit, so that their order does not matter, and all other results are of one row each: vectors give
// the same bits.
package sample

import "math"

func magnitudeBits(v float32) uint32 { return math.Float32bits(v) &^ (1 << 31) }

// toWhole added to a number of less than 2⁵¹ gives a float64 whose lowest bits are the nearest whole number, halves to even.
const toWhole = 1<<52 + 1<<51

// wholeBits is the bits of 0 in that form: what a sum of such bits has too much for each number.
const wholeBits = 0x4338000000000000

// whole returns a magnitude times up, rounded, as the bits of a float64: wholeBits more than the number.
func whole(v float32, up float64) int64 {
	return int64(math.Float64bits(float64(float64(v)*up) + toWhole))
}

// SumMagnitudes returns the sum of the magnitudes times up, each of them rounded: less than 2⁵¹.
func SumMagnitudes(values []float32, up float64) int64 {
	a, done := sumMagnitudesAhead(values, up)
	n := int64(len(values))
	// There are four sums: one alone would wait for itself.
	var b, c, d int64
	for values = values[done:]; len(values) >= 4; values = values[4:] {
		v := values[:4:4]
		a += whole(magnitude(v[0]), up)
		b += whole(magnitude(v[1]), up)
		c += whole(magnitude(v[2]), up)
		d += whole(magnitude(v[3]), up)
	}
	for _, v := range values {
		a += whole(magnitude(v), up)
	}
	return a + b + c + d - n*wholeBits
}

func magnitude(v float32) float32 { return math.Float32frombits(magnitudeBits(v)) }

// SumBelow returns the sum of the sizes whose bits are below cut, at most 2³¹, times up, each of them rounded: less than 2⁵¹. It counts
// the others. Sizes are not negative, so that their bits order like them, and the difference of two fits 32 bits: its sign is all ones where
// a size is below. There is no branch to be guessed wrong.
func SumBelow(size []float32, cut uint32, up float64) (sum int64, others int) {
	a, below, done := sumBelowAhead(size, cut, up)
	all := len(size)
	var b, c, d int64
	for size = size[done:]; len(size) >= 4; size = size[4:] {
		s := size[:4:4]
		m0, m1, m2, m3 := mask(s[0], cut), mask(s[1], cut), mask(s[2], cut), mask(s[3], cut)
		a += whole(masked(s[0], m0), up)
		b += whole(masked(s[1], m1), up)
		c += whole(masked(s[2], m2), up)
		d += whole(masked(s[3], m3), up)
		below += int(m0&1 + m1&1 + m2&1 + m3&1)
	}
	for _, s := range size {
		m := mask(s, cut)
		a += whole(masked(s, m), up)
		below += int(m & 1)
	}
	return a + b + c + d - int64(all)*wholeBits, all - below
}

func mask(s float32, cut uint32) uint32 {
	return uint32(int32(math.Float32bits(s)-cut) >> 31)
}

func masked(s float32, mask uint32) float32 {
	return math.Float32frombits(math.Float32bits(s) & mask)
}

// AddSquares adds gradient² + ratio·hessian² of each row. All slices have the same length.
func AddSquares(to []float64, grad, hess []float32, ratio float64) {
	for i := addSquaresAhead(to, grad, hess, ratio); i < len(to); i++ {
		g, h := float64(grad[i]), float64(hess[i])
		to[i] += float64(g*g) + float64(ratio*float64(h*h))
	}
}

// Roots writes the square roots as sizes, the largest float32 for what is above it or not a number, and returns the bits of
// the largest. Both slices have the same length.
func Roots(size []float32, squares []float64) (largest uint32) {
	largest, done := rootsAhead(size, squares)
	for i := done; i < len(size); i++ {
		s := float32(math.Sqrt(squares[i]))
		if !(s <= math.MaxFloat32) {
			s = math.MaxFloat32
		}
		size[i] = s
		largest = max(largest, math.Float32bits(s))
	}
	return largest
}

// Keep writes the rows that are kept to kept, from first on counted, and returns how many: those with (1-u)·mu ≤ size for their draw u of [0, 1),
// the highest 53 bits of draws. It sets the weight of each to mu/size, 1 at least, and those of the others to 1. kept has at least the length of the
// others, which is the same, and what stands behind the rows in it is lost. Where mu is 0 the weights mean nothing.
func Keep(kept []uint16, weights []float32, draws []uint64, size []float32, first int, mu float64) (n int) {
	step := mu / (1 << 53) // what a draw's last bit is worth
	n, done := keepAhead(kept, weights, draws, size, first, mu, step)
	before := n
	for i := done; i < len(size); i++ { // whether a row is kept cannot be guessed: there is no branch on it
		kept[n] = uint16(first + i)
		weights[i] = 1
		if float64(int64(1<<53-draws[i]>>11))*step <= float64(size[i]) {
			n++
		}
	}
	for _, row := range kept[before:n] {
		i := int(row) - first
		weights[i] = float32(max(mu/float64(size[i]), 1))
	}
	return n
}

// Scale multiplies values, each by a number of its own. Both slices have the same length.
func Scale(values, by []float32) {
	for i := scaleAhead(values, by); i < len(values); i++ {
		values[i] *= by[i]
	}
}
