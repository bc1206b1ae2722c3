package codec

import "math"

// Multiples writes the nearest whole number to value/scale for each value, halves away from
// zero, kept within ±most. The scale is above zero, no value's magnitude is larger than
// 2·most·scale, and there are as many codes as values.
//
// The quotient is taken in float64: 2 ÷ float32(4/3) is 1.4999999 there and 1.5 in
// float32, so that the wider division is part of the format. Truncating after half was
// added rounds as math.Round does: where a quotient of two float32 is no half itself, it
// is at least 2⁻²⁷ away from one, far more than the sum's own rounding. Quotients are at
// most 2·most, so that an int32 holds them before they are clamped.
func Multiples(codes []int8, values []float32, scale float32, most int) {
	for done := 1; done > 0; {
		done = multiplesAhead(codes, values, scale, most)
		codes, values = codes[done:], values[done:]
	}
	s, limit := float64(scale), int32(most)
	codes = codes[:len(values)]
	for i, v := range values {
		bits := math.Float32bits(v)
		code := min(int32(float64(math.Float32frombits(bits&magnitude))/s+0.5), limit)
		sign := int32(bits) >> 31
		codes[i] = int8(code ^ sign - sign)
	}
}

// Values writes code·scale for each code, rounded once to float32. There are as many values
// as codes.
func Values(values []float32, codes []int8, scale float32) {
	for done := 1; done > 0; {
		done = valuesAhead(values, codes, scale)
		values, codes = values[done:], codes[done:]
	}
	values = values[:len(codes)]
	for i, c := range codes {
		values[i] = float32(c) * scale
	}
}
