package quantize

import (
	"math"

	"boost/internal/rng"
)

// Rule says how values become codes: code = round((gradient − GradOffset)/GradScale) and
// round(hessian/HessScale), clamped to MinGrad … MaxGrad and 0 … MaxHess.
type Rule struct {
	GradScale, GradOffset, HessScale float64
	MinGrad, MaxGrad, MaxHess        int64
	// Stochastic rounds down or up by a draw of Key and the row's number: the code is
	// ⌊x + u⌋. Otherwise halves are rounded away from zero.
	Stochastic bool
	Key        uint64
	EqualHess  bool // all hessians are the same: they are not left to draws, which would part them
}

// plain reports whether Codes does what the rule asks for.
func (r *Rule) plain() bool { return !r.Stochastic && r.GradOffset == 0 && r.MinGrad == -r.MaxGrad }

// mostCodes bounds what a row adds to Loss.Magnitude where an offset lets it be any
// number of codes.
const mostCodes = 1 << 16

// most is the bound of what a row adds to Loss.Magnitude, in codes.
func (r *Rule) most() float64 {
	if r.GradOffset != 0 {
		return mostCodes
	}
	return float64(r.MaxGrad)
}

// zero is the code of a gradient of 0 that is rounded to the nearest.
func (r *Rule) zero() float64 {
	return clamp(math.Round((0-r.GradOffset)/r.GradScale), float64(r.MinGrad), float64(r.MaxGrad))
}

// Make writes the codes of the rows first, first+1, … of the data set, and returns the loss.
func Make[G int16 | int32, H uint16 | uint32](gradCodes []G, hessCodes []H, grad, hess []float32, first uint64, r *Rule) Loss {
	if r.plain() {
		return Codes(gradCodes, hessCodes, grad, hess, r.GradScale, r.HessScale, r.MaxGrad, r.MaxHess)
	}
	return general(gradCodes, hessCodes, grad, hess, first, nil, r)
}

// MakeRows is Make for the listed rows of a block, whose first row is number first of the
// data set; the codes of other rows stay as they are.
func MakeRows[G int16 | int32, H uint16 | uint32](
	gradCodes []G, hessCodes []H, grad, hess []float32, first uint64, rows []uint16, r *Rule,
) Loss {
	var loss Loss
	var g, h [gathered]float32
	var gc [gathered]G
	var hc [gathered]H
	for len(rows) > 0 {
		n := min(gathered, len(rows))
		gather(&g, &h, grad, hess, rows[:n])
		loss.Add(makeListed(gc[:n], hc[:n], g[:n], h[:n], first, rows[:n], r))
		scatter(gradCodes, &gc, rows[:n])
		scatter(hessCodes, &hc, rows[:n])
		rows = rows[n:]
	}
	return loss
}

// makeListed makes the codes of gathered rows, of which row i is number first + rows[i].
func makeListed[G int16 | int32, H uint16 | uint32](
	gradCodes []G, hessCodes []H, grad, hess []float32, first uint64, rows []uint16, r *Rule,
) Loss {
	if r.plain() {
		return Codes(gradCodes, hessCodes, grad, hess, r.GradScale, r.HessScale, r.MaxGrad, r.MaxHess)
	}
	return general(gradCodes, hessCodes, grad, hess, first, rows, r)
}

// general follows the rule word by word. Row i is number first + rows[i], or first + i
// where rows is nil.
func general[G int16 | int32, H uint16 | uint32](
	gradCodes []G, hessCodes []H, grad, hess []float32, first uint64, rows []uint16, r *Rule,
) Loss {
	var loss Loss
	for {
		some, done := generalAhead(gradCodes, hessCodes, grad, hess, first, rows, r)
		if done == 0 {
			break
		}
		loss.Add(some)
		grad, hess, gradCodes, hessCodes = grad[done:], hess[done:], gradCodes[done:], hessCodes[done:]
		if rows == nil {
			first += uint64(done)
		} else {
			rows = rows[done:]
		}
	}
	hess, gradCodes, hessCodes = hess[:len(grad)], gradCodes[:len(grad)], hessCodes[:len(grad)]
	lo, hi, top, most := float64(r.MinGrad), float64(r.MaxGrad), float64(r.MaxHess), r.most()
	zero := r.zero()
	for i, g32 := range grad {
		g, h := float64(g32), float64(hess[i])
		x, y := (g-r.GradOffset)/r.GradScale, h/r.HessScale
		var code, hessCode float64
		if r.Stochastic {
			row := first + uint64(i)
			if rows != nil {
				row = first + uint64(rows[i])
			}
			draw := rng.Draw(r.Key, row)
			code = math.Floor(x + float64(float64(draw>>32)/(1<<32)))
			hessCode = math.Floor(y + float64(float64(draw&math.MaxUint32)/(1<<32)))
			if r.EqualHess {
				hessCode = math.Round(y)
			}
		} else {
			code, hessCode = math.Round(x), math.Round(y)
		}
		code, hessCode = clamp(code, lo, hi), clamp(hessCode, 0, top)
		gradCodes[i], hessCodes[i] = G(int64(code)), H(int64(hessCode))
		loss.Error += uint64(int64(math.Abs(x-code) * 65536))
		loss.Magnitude += uint64(int64(min(math.Abs(g)/r.GradScale, most) * 65536))
		loss.GradRows += one(g != 0)
		loss.GradKept += one(g != 0 && code != zero)
		loss.HessRows += one(h > 0)
		loss.HessKept += one(hessCode != 0)
	}
	return loss
}

func clamp(x, lo, hi float64) float64 { return min(max(x, lo), hi) }

func one(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Span returns the smallest and the largest of the gradients; NaN if one is. −0 is less than 0.
func Span(grad []float32) (lowest, highest float32) {
	low, high := noSpan()
	return ends(widen(low, high, grad))
}

// SpanRows is Span of the listed rows.
func SpanRows(grad []float32, rows []uint16) (lowest, highest float32) {
	low, high := noSpan()
	var some [gathered]float32
	for len(rows) > 0 {
		n := min(gathered, len(rows))
		gatherOne(&some, grad, rows[:n])
		low, high = widen(low, high, some[:n])
		rows = rows[n:]
	}
	return ends(low, high)
}

// noSpan returns the ends of the span of no gradients.
func noSpan() (low, high int32) {
	return ordered(infinity), ordered(infinity | 1<<31)
}

// widen returns the ends of a span that holds the gradients, too.
func widen(low, high int32, grad []float32) (int32, int32) {
	for done := 1; done > 0; {
		low, high, done = spanAhead(low, high, grad)
		grad = grad[done:]
	}
	for _, g := range grad {
		n := ordered(math.Float32bits(g))
		low, high = min(low, n), max(high, n)
	}
	return low, high
}

// ends returns the floats of a span.
func ends(low, high int32) (lowest, highest float32) {
	if most, least := noSpan(); low < least || high > most {
		nan := float32(math.NaN())
		return nan, nan
	}
	return unordered(low), unordered(high)
}

// ordered returns a number whose order among others is that of the floats with these bits: −0
// before 0, and NaN beyond the infinities.
func ordered(bits uint32) int32 { return int32(bits) ^ int32(bits)>>31&absMask }

// unordered returns the float of such a number.
func unordered(n int32) float32 { return math.Float32frombits(uint32(n ^ n>>31&absMask)) }
