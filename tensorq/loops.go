package tensorq

import "math"

// quantizeCodes writes the nearest whole number to value/scale for each value, halves
// away from zero, kept within ±qmax. The scale is above zero, values are finite, codes
// are at least as many as values.
//
// The quotient is taken in float64: 2 ÷ float32(4/3) is 1.4999999 there and 1.5 in
// float32, so that the wider division is part of the format. Truncating after half was
// added rounds as math.Round does. Where a quotient of two float32 is no half itself, it
// is at least 2⁻²⁷ away from one, far more than the sum's own rounding.
func quantizeCodes(values []float32, scale float32, qmax int, codes []int8) {
	s, limit := float64(scale), float64(qmax)
	codes = codes[:len(values)]
	for i, v := range values {
		q := float64(v) / s
		// Clamped while still a float: a conversion of what an int32 cannot hold has
		// another result on every processor.
		q = max(-limit, min(limit, q))
		codes[i] = int8(int32(q + math.Copysign(0.5, q)))
	}
}

// dequantizeCodes writes code·scale for each code, rounded once to float32. There is
// room in out for every code.
func dequantizeCodes(codes []int8, scale float32, out []float32) {
	out = out[:len(codes)]
	for i, c := range codes {
		out[i] = float32(c) * scale
	}
}

// dequantizeTwoLevel is dequantizeCodes with the second scale where a flag is set.
func dequantizeTwoLevel(codes []int8, flags []byte, scales [2]float32, out []float32) {
	out = out[:len(codes)]
	flags = flags[:(len(codes)+7)/8]
	for i, c := range codes {
		out[i] = float32(c) * scales[flags[i>>3]>>(i&7)&1]
	}
}
