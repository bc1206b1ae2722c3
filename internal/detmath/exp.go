package detmath

import "math"

const (
	expSize = 128

	expOverflow  = 0x1.62e42fefa39efp+09  // log of the largest float64
	expUnderflow = -0x1.74910d52d3052p+09 // below it exp rounds to 0
	expNormal    = -708                   // from here up to 709 the result and its scale are normal

	// shift added to a number below 2^51 leaves it rounded in the low bits.
	shift = 0x1.8p52
)

// An expNode is 2^(i/128) = value·(1+rest). The value's bits come less i<<45, so that
// adding (128·m + i)<<45 leaves m in the exponent.
type expNode struct {
	bits uint64
	rest float64
}

// Exp returns e**x within 0.52 ulp (0.76 ulp where the result is subnormal).
//
// x = (128·m + i)·log(2)/128 + r with |r| ≤ log(2)/256, so e**x is
// 2^m · 2^(i/128) · (1 + r + …); the node's table keeps the middle factor
// (Tang, ACM TOMS 15, 1989). Exp(±Inf) and NaN are as in package math.
func Exp(x float64) float64 {
	if !(x > expNormal && x < 709) {
		return expEdge(x)
	}
	n, r := expReduce(x)
	bits, rest := expScale(n)
	t := expSeries(r, rest)
	scale := math.Float64frombits(bits)
	return scale + float64(scale*t)
}

// expParts returns scale and t with e**x = scale·(1+t), |t| < 0.0028, for |x| < 2^15.
// The scale comes as the bits of a float64, whose exponent has wrapped around where
// it is out of range.
func expParts(x float64) (scale uint64, t float64) {
	n, r := expReduce(x)
	scale, rest := expScale(n)
	return scale, expSeries(r, rest)
}

// These three are apart so that each is small enough to be inlined.

// expReduce returns n, whose low bits are 128·m + i, and r.
func expReduce(x float64) (n uint64, r float64) {
	k := float64(x*stepInv) + shift
	n = math.Float64bits(k)
	k -= shift
	// stepHi has 33 bits and |k| < 2^18, so the product and the difference are exact.
	return n, x - float64(k*stepHi) - float64(k*stepLo)
}

// expScale returns the bits of 2^m · 2^(i/128) and the relative rest of the node.
func expScale(n uint64) (scale uint64, rest float64) {
	node := &expNodes[n%expSize]
	return node.bits + n<<45, node.rest
}

// expSeries returns (1+rest)·e**r - 1; the terms left out are below |r|^6/720 < 2^-60.
func expSeries(r, rest float64) float64 {
	r2 := float64(r * r)
	low := float64(r2 * (0.5 + float64(r*(1.0/6))))
	high := float64(float64(r2*r2) * (1.0/24 + float64(r*(1.0/120))))
	return r + (rest + low + high)
}

// ExpCoarse returns e**x within 3 parts in 10^12 for x in [-708, 709], at half the
// work of Exp and small enough to be inlined: for what is rounded to float32 next.
func ExpCoarse(x float64) float64 {
	k := float64(x*stepInv) + shift
	n := math.Float64bits(k)
	r := x - float64((k-shift)*step)
	scale := math.Float64frombits(expNodes[n%expSize].bits + n<<45)
	return scale + float64(scale*(r+float64(float64(r*r)*(0.5+float64(r*(1.0/6))))))
}

// expEdge is Exp where the scale would leave the normal numbers.
func expEdge(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x > expOverflow:
		return math.Inf(1)
	case x < expUnderflow:
		return 0
	}
	bits, t := expParts(x)
	away := 0x1p64
	if x < 0 {
		away = 0x1p-64
		bits += 64 << 52
	} else {
		bits -= 64 << 52
	}
	scale := math.Float64frombits(bits)
	return float64(scale+float64(scale*t)) * away
}
