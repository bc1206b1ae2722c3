package detmath

import "math"

// Sigmoid returns 1/(1+e**-x) within 2 ulp, also for very negative x.
func Sigmoid(x float64) float64 {
	e := Exp(-math.Abs(x))
	return pick(x, e) / (1 + e)
}

// pick returns 1 for x ≥ 0 and e for x < 0. It selects bits by a mask, since the
// signs of scores are as good as random and a branch would be guessed wrong.
func pick(x, e float64) float64 {
	one := math.Float64bits(1)
	negative := uint64(int64(math.Float64bits(x)) >> 63) // all ones or zero
	return math.Float64frombits(one ^ (one^math.Float64bits(e))&negative)
}

// SigmoidBlock writes Sigmoid(src[i]) to dst[i], with Sigmoid's bits.
// dst and src have the same length and may be the same slice.
func SigmoidBlock(dst, src []float64) {
	dst = dst[:len(src)]
	for i, x := range src {
		e := 0.0
		if a := -math.Abs(x); a > expNormal {
			n, r := expReduce(a)
			bits, rest := expScale(n)
			scale := math.Float64frombits(bits)
			e = scale + float64(scale*expSeries(r, rest))
		} else {
			e = expEdge(a)
		}
		dst[i] = pick(x, e) / (1 + e)
	}
}
