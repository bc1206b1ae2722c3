package tensorq

import "math"

// quantizeCodes writes the nearest whole number to value/scale for each value, halves away
// from zero, kept within ±qmax. The scale is above zero, no value's magnitude is larger than
// 2·qmax·scale, and there is room in codes for every value.
//
// The quotient is taken in float64: 2 ÷ float32(4/3) is 1.4999999 there and 1.5 in
// float32, so that the wider division is part of the format. Truncating after half was
// added rounds as math.Round does: where a quotient of two float32 is no half itself, it
// is at least 2⁻²⁷ away from one, far more than the sum's own rounding. Quotients are at
// most 2·qmax, so that an int32 holds them before they are clamped.
func quantizeCodes(values []float32, scale float32, qmax int, codes []int8) {
	s, limit := float64(scale), int32(qmax)
	codes = codes[:len(values)]
	for i, v := range values {
		bits := math.Float32bits(v)
		magnitude := math.Float32frombits(bits &^ (1 << 31))
		code := min(int32(float64(magnitude)/s+0.5), limit)
		sign := int32(bits) >> 31
		codes[i] = int8(code ^ sign - sign)
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
