package detmath

import "math"

const (
	logSize = 128
	logBase = 0x3fe6000000000000 // bits of 0.6875, where the nodes' range begins
)

// A logNode is a number inv near 1/z for the z of its slice, and -log(inv) in two parts.
type logNode struct{ inv, hi, lo float64 }

// Log returns the natural logarithm of x within 0.53 ulp.
// Log(0) is -Inf, Log(x < 0) is NaN, Log(+Inf) is +Inf.
func Log(x float64) float64 {
	if !(x >= 0x1p-1022 && x <= math.MaxFloat64) {
		switch {
		case x == 0:
			return math.Inf(-1)
		case x < 0:
			return math.NaN()
		case x > 0 && x < 1: // subnormal
			hi, lo := logParts(x*0x1p54, -54)
			return hi + lo
		}
		return x // NaN, +Inf
	}
	hi, lo := logParts(x, 0)
	return hi + lo
}

// logParts returns log(x) + scale·log(2) as hi + lo, |lo| ≪ |hi|, for a normal x.
//
// x = 2^k·z with z in [0.6875, 1.375); log(x) = k·log(2) - log(inv) + log(z·inv),
// where z·inv is close to 1.
func logParts(x float64, scale int) (hi, lo float64) {
	bits := math.Float64bits(x)
	off := bits - logBase
	k := float64(int(int64(off)>>52) + scale)
	z := math.Float64frombits(bits - off&(0xfff<<52))
	node := &logNodes[off>>45%logSize]

	// inv has 10 bits: with z cut into 32 and 21 bits both products are exact,
	// and so is the difference from 1.
	zHi := math.Float64frombits(math.Float64bits(z) &^ (1<<21 - 1))
	rHi := float64(zHi*node.inv) - 1
	rLo := float64((z - zHi) * node.inv)
	r := rHi + rLo
	lo = (rHi - r) + rLo

	// k·ln2Hi and node.hi are multiples of 2^-42 below 2^10: the sum is exact.
	w := float64(k*ln2Hi) + node.hi
	hi = w + r
	lo += (w - hi) + r
	lo += float64(k*ln2Lo) + node.lo

	// log(1+r) - r; |r| ≤ 2^-7, so the next term, r^10/10, is below 2^-66 of r.
	r2 := float64(r * r)
	a := -1.0/2 + float64(r*(1.0/3))
	b := -1.0/4 + float64(r*(1.0/5))
	c := -1.0/6 + float64(r*(1.0/7))
	d := -1.0/8 + float64(r*(1.0/9))
	c += float64(r2 * d)
	b += float64(r2 * c)
	a += float64(r2 * b)
	return hi, lo + float64(r2*a)
}
