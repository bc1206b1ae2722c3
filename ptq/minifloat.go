package ptq

import "math"

// minifloat is a floating-point format of at most 16 bits: a sign, an exponent with a
// bias, and a fraction. Exponent 0 has the subnormal numbers. Magnitudes order as their
// codes do; those above largest are infinities and NaN, which are never written.
type minifloat struct {
	fraction uint // bits
	bias     int
	largest  uint64 // code of the largest finite magnitude
	sign     uint64 // the sign's bit
}

var (
	f16  = minifloat{fraction: 10, bias: 15, largest: 0x7bff, sign: 1 << 15}
	bf16 = minifloat{fraction: 7, bias: 127, largest: 0x7f7f, sign: 1 << 15}
	// The OCP formats for 8 and 4 bits (8-bit Floating Point Specification 1.0 and
	// Microscaling Formats 1.0). E4M3 has no infinities: of its top exponent only the
	// last fraction is NaN. E2M1 has neither.
	e4m3 = minifloat{fraction: 3, bias: 7, largest: 0x7e, sign: 1 << 7}
	e5m2 = minifloat{fraction: 2, bias: 15, largest: 0x7b, sign: 1 << 7}
	e2m1 = minifloat{fraction: 1, bias: 1, largest: 0x7, sign: 1 << 3}
)

// The values of one-byte codes; NaN where there is none.
var (
	e4m3Values = e4m3.table()
	e5m2Values = e5m2.table()
	e2m1Values = e2m1.table()
)

// magnitude returns the code whose value is nearest to |x|, of two the even one. It is
// rounded once, as if the format went on above its largest value: the caller looks at that.
func (f *minifloat) magnitude(x float64) uint64 {
	const fractionBits = 52
	bits := math.Float64bits(x) &^ (1 << 63)
	exponent := int(bits>>fractionBits) - 1023
	shift := fractionBits - f.fraction
	if lowest := 1 - f.bias; exponent < lowest {
		// Subnormal, if not 0: as many steps of the smallest value. From shift 54 on,
		// |x| is below half a step, as all subnormal float64 are.
		shift += uint(lowest - exponent)
		if shift > fractionBits+1 {
			return 0
		}
		return halfToEven(bits&(1<<fractionBits-1)|1<<fractionBits, shift)
	}
	// A carry out of the fraction goes into the exponent, where it belongs.
	return halfToEven(bits, shift) - uint64(1023-f.bias)<<f.fraction
}

// halfToEven returns x/2^shift rounded to the nearest whole number, of two the even one.
func halfToEven(x uint64, shift uint) uint64 {
	return (x + 1<<(shift-1) - 1 + x>>shift&1) >> shift
}

// code returns the code of x with its sign, and false if x is beyond the largest value.
func (f *minifloat) code(x float64) (uint16, bool) {
	code := f.magnitude(x)
	if code > f.largest {
		return 0, false
	}
	return uint16(code | f.signOf(x)), true
}

// saturated returns the code of x with its sign; beyond the largest value, that value's.
func (f *minifloat) saturated(x float64) uint8 {
	return uint8(min(f.magnitude(x), f.largest) | f.signOf(x))
}

func (f *minifloat) signOf(x float64) uint64 { return math.Float64bits(x) >> 63 * f.sign }

// finite reports whether a code, within the format's bits, stands for a number.
func (f *minifloat) finite(code uint64) bool { return code&^f.sign <= f.largest }

// value returns the number that a code stands for, NaN if it is none.
func (f *minifloat) value(code uint64) float64 {
	if code >= 2*f.sign || !f.finite(code) {
		return math.NaN()
	}
	magnitude := code &^ f.sign
	exponent := int(magnitude >> f.fraction)
	steps := magnitude & (1<<f.fraction - 1)
	if exponent > 0 {
		steps |= 1 << f.fraction
		exponent--
	}
	value := math.Ldexp(float64(steps), exponent+1-f.bias-int(f.fraction))
	if code&f.sign != 0 {
		return -value
	}
	return value
}

func (f *minifloat) table() (values [256]float64) {
	for code := range values {
		values[code] = f.value(uint64(code))
	}
	return values
}

// f16Value returns the number of a finite half. Its exponent and fraction are those of a
// float64 2¹⁰⁰⁸ times as small, of subnormal halves too.
func f16Value(code uint16) float64 {
	magnitude := math.Float64frombits(uint64(code&0x7fff)<<42) * 0x1p1008
	return math.Float64frombits(math.Float64bits(magnitude) | uint64(code&0x8000)<<48)
}
