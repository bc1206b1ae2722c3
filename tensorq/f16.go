package tensorq

import "math"

// The largest finite IEEE half, and its bits. Of halves without a sign, the bits order as
// the numbers do.
const (
	maxF16     = 65504
	f16Largest = 0x7bff
)

// f16Up returns the bits of the smallest half that is not below x, for x from 0 to maxF16
// (S3.40), and false for any other x.
func f16Up(x float64) (uint16, bool) {
	if !(x >= 0 && x <= maxF16) {
		return 0, false
	}
	if x <= 0x1p-14 {
		// Subnormal halves are the multiples of 2⁻²⁴. The 1,024th is 2⁻¹⁴, whose bits are
		// the next number.
		return uint16(math.Ceil(math.Ldexp(x, 24))), true
	}
	// 1,024 to 2,048 steps; 2,048 carry into the exponent, where they belong.
	fraction, exponent := math.Frexp(x)
	steps := math.Ceil(math.Ldexp(fraction, 11))
	return uint16(exponent+14)<<10 + uint16(steps) - 1024, true
}

// f16Nearest returns the bits of the half that is nearest to x, of two as near the even one,
// and false for x that are no number or would be infinite.
func f16Nearest(x float32) (uint16, bool) {
	sign := uint16(math.Float32bits(x) >> 16 & 0x8000)
	// From the middle between the largest half and the power of two behind it.
	const infinite = 65520
	m := math.Abs(float64(x))
	if !(m < infinite) {
		return 0, false
	}
	if m <= 0x1p-14 { // as in f16Up
		return sign | uint16(math.RoundToEven(math.Ldexp(m, 24))), true
	}
	fraction, exponent := math.Frexp(m)
	steps := math.RoundToEven(math.Ldexp(fraction, 11))
	return sign | (uint16(exponent+14)<<10 + uint16(steps) - 1024), true
}

// f16Value returns the number that a half's bits stand for, NaN and infinities included.
func f16Value(bits uint16) float32 {
	sign := uint32(bits&0x8000) << 16
	exponent, fraction := uint32(bits>>10&31), uint32(bits&1023)
	switch exponent {
	case 0:
		value := float32(fraction) * 0x1p-24
		return math.Float32frombits(math.Float32bits(value) | sign)
	case 31:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}
