// Package quantize turns float32 gradients and hessians into integer codes.
//
// In: slices of gradients and hessians, their scales. Out: codes, and how much
// was lost on the way. It knows no rows outside its slices and no rounds.
package quantize

import "math"

const (
	absMask  = 0x7fffffff
	infinity = 0x7f800000 // bits of +Inf; a larger magnitude is NaN
)

// Range is what the scales of a set of rows follow from. The zero value is not a
// Range of no rows; see Empty.
type Range struct {
	MaxGrad uint32 // bits of the largest |gradient|
	MinHess int32  // bits of the smallest hessian, as a signed number: negative if a sign bit is set
	MaxHess int32  // bits of the largest hessian
}

// Empty is the Range of no rows.
func Empty() Range { return Range{MinHess: math.MaxInt32, MaxHess: math.MinInt32} }

// Merge returns the Range of both sets of rows.
func (r Range) Merge(o Range) Range {
	return Range{max(r.MaxGrad, o.MaxGrad), min(r.MinHess, o.MinHess), max(r.MaxHess, o.MaxHess)}
}

// Suspicious reports whether a value is not finite or a hessian carries a minus
// sign: the rows then have to be looked at one by one.
func (r Range) Suspicious() bool {
	return r.MaxGrad >= infinity || r.MinHess < 0 || r.MaxHess >= infinity
}

// Scan returns the Range of all rows. Magnitudes of floats compare like their
// bits, which needs no branch and puts NaN and Inf above all numbers.
func Scan(grad, hess []float32) Range {
	r := Empty()
	for done := 1; done > 0; {
		done = scanAhead(&r, grad, hess)
		grad, hess = grad[done:], hess[done:]
	}
	hess = hess[:len(grad)]
	maxGrad, minHess, maxHess := r.MaxGrad, r.MinHess, r.MaxHess // r, whose address is taken, stays in memory
	for i, g := range grad {
		maxGrad = max(maxGrad, math.Float32bits(g)&absMask)
		h := int32(math.Float32bits(hess[i]))
		minHess, maxHess = min(minHess, h), max(maxHess, h)
	}
	return Range{maxGrad, minHess, maxHess}
}

// ScanRows is Scan for the listed rows.
func ScanRows(grad, hess []float32, rows []uint16) Range {
	r := Empty()
	var g, h [gathered]float32
	for len(rows) > 0 {
		n := min(gathered, len(rows))
		gather(&g, &h, grad, hess, rows[:n])
		r = r.Merge(Scan(g[:n], h[:n]))
		rows = rows[n:]
	}
	return r
}

// Loss adds up what rounding to codes lost. Sums are in units of scale·2⁻¹⁶,
// rounded down per row, so that they do not depend on order.
type Loss struct {
	Error, Magnitude uint64 // Σ|g − g′| and Σ|g|
	GradRows         uint64 // rows with g ≠ 0
	GradKept         uint64 // rows with a gradient code ≠ 0
	HessRows         uint64 // rows with h > 0
	HessKept         uint64 // rows with a hessian code ≠ 0
}

// Add adds the losses of other rows.
func (l *Loss) Add(o Loss) {
	l.Error += o.Error
	l.Magnitude += o.Magnitude
	l.GradRows += o.GradRows
	l.GradKept += o.GradKept
	l.HessRows += o.HessRows
	l.HessKept += o.HessKept
}

// Codes writes code = round(value/scale), half away from zero, clamped to
// ±maxGrad and 0 … maxHess, for the rows of one block, and returns the loss.
// Scales are positive, at least half of (largest value)/(largest code); values
// are finite, hessians not negative.
//
// A quotient is taken in 1/65,536: floor(|q|·2¹⁶) lies on the same side of every
// half as |q| itself, so rounding it in integers is exact, and its low bits are
// the rounding error. Quotients stay below 2·2³², far from what an int64 holds.
func Codes[G int16 | int32, H uint16 | uint32](
	gradCodes []G, hessCodes []H, grad, hess []float32, gradScale, hessScale float64, maxGrad, maxHess int64,
) Loss {
	var ahead Loss
	gradUnit, hessUnit := gradScale/65536, hessScale/65536
	maxGrad, maxHess = maxGrad<<16, maxHess<<16
	for {
		loss, done := codesAhead(gradCodes, hessCodes, grad, hess, gradUnit, hessUnit, maxGrad, maxHess)
		if done == 0 {
			break
		}
		ahead.Add(loss)
		grad, hess, gradCodes, hessCodes = grad[done:], hess[done:], gradCodes[done:], hessCodes[done:]
	}
	var err, magnitude int64
	var gradRows, gradKept, hessRows, hessKept uint64
	hess = hess[:len(grad)]
	gradCodes, hessCodes = gradCodes[:len(grad)], hessCodes[:len(grad)]
	for i, g := range grad {
		bits := math.Float32bits(g)
		sign := int64(int32(bits) >> 31)
		bits &= absMask
		q := min(int64(float64(math.Float32frombits(bits))/gradUnit), maxGrad)
		code := (q + 32768) >> 16
		rest := q - code<<16
		gradCodes[i] = G((code ^ sign) - sign)
		err += (rest ^ rest>>63) - rest>>63
		magnitude += q
		gradRows += uint64(-bits >> 31)
		gradKept += uint64(-code) >> 63

		h := hess[i]
		code = (min(int64(float64(h)/hessUnit), maxHess) + 32768) >> 16
		hessCodes[i] = H(code)
		hessRows += uint64(-(math.Float32bits(h) & absMask) >> 31)
		hessKept += uint64(-code) >> 63
	}
	ahead.Add(Loss{uint64(err), uint64(magnitude), gradRows, gradKept, hessRows, hessKept})
	return ahead
}
