package codec

import "math"

const (
	magnitude = 0x7fffffff // all bits of a float but its sign
	infinity  = 0x7f800000 // bits of +Inf; a larger magnitude is NaN
)

// MaxAbs returns the largest |value|, 0 of none, NaN if one is NaN. Magnitudes of floats
// compare like their bits, and NaN has the largest: the result is the same in every order.
func MaxAbs(values []float32) float32 {
	var a, b, c, d uint32
	for done := 1; done > 0; {
		var bits uint32
		bits, done = maxAbsAhead(values)
		a, values = max(a, bits), values[done:]
	}
	for len(values) >= 4 { // four maxima, for one would wait for itself
		a = max(a, math.Float32bits(values[0])&magnitude)
		b = max(b, math.Float32bits(values[1])&magnitude)
		c = max(c, math.Float32bits(values[2])&magnitude)
		d = max(d, math.Float32bits(values[3])&magnitude)
		values = values[4:]
	}
	for _, v := range values {
		a = max(a, math.Float32bits(v)&magnitude)
	}
	bits := max(a, b, c, d)
	if bits > infinity {
		return float32(math.NaN())
	}
	return math.Float32frombits(bits)
}
