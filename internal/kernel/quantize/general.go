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
	// ⌊x + u⌋ (SEEDS S2.13). Otherwise halves are rounded away from zero.
	Stochastic bool
	Key        uint64
	EqualHess  bool // all hessians are the same: they are not left to draws, which would part them
}

// plain says that Codes does what the rule asks for.
func (r *Rule) plain() bool { return !r.Stochastic && r.GradOffset == 0 && r.MinGrad == -r.MaxGrad }

// mostCodes bounds what a row adds to Loss.Magnitude where an offset lets it be any
// number of codes.
const mostCodes = 1 << 16

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
		for i, row := range rows[:n] {
			g[i], h[i] = grad[row], hess[row]
		}
		loss.Add(makeListed(gc[:n], hc[:n], g[:n], h[:n], first, rows[:n], r))
		for i, row := range rows[:n] {
			gradCodes[row], hessCodes[row] = gc[i], hc[i]
		}
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

// gathered is the number of listed rows that MakeRows brings together at a time.
const gathered = 256

// general follows the rule word by word. Row i is number first + rows[i], or first + i
// where rows is nil.
func general[G int16 | int32, H uint16 | uint32](
	gradCodes []G, hessCodes []H, grad, hess []float32, first uint64, rows []uint16, r *Rule,
) Loss {
	var loss Loss
	for rows == nil {
		some, done := drawnAhead(gradCodes, hessCodes, grad, hess, first, r)
		if done == 0 {
			break
		}
		loss.Add(some)
		grad, hess, gradCodes, hessCodes = grad[done:], hess[done:], gradCodes[done:], hessCodes[done:]
		first += uint64(done)
	}
	hess, gradCodes, hessCodes = hess[:len(grad)], gradCodes[:len(grad)], hessCodes[:len(grad)]
	lo, hi, top := float64(r.MinGrad), float64(r.MaxGrad), float64(r.MaxHess)
	most := float64(r.MaxGrad)
	if r.GradOffset != 0 {
		most = mostCodes
	}
	zero := clamp(math.Round((0-r.GradOffset)/r.GradScale), lo, hi)
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

// Span returns the smallest and the largest of the gradients.
func Span(grad []float32) (lowest, highest float32) {
	lowest, highest = float32(math.Inf(1)), float32(math.Inf(-1))
	for _, g := range grad {
		lowest, highest = min(lowest, g), max(highest, g)
	}
	return lowest, highest
}

// SpanRows is Span of the listed rows.
func SpanRows(grad []float32, rows []uint16) (lowest, highest float32) {
	lowest, highest = float32(math.Inf(1)), float32(math.Inf(-1))
	for _, row := range rows {
		lowest, highest = min(lowest, grad[row]), max(highest, grad[row])
	}
	return lowest, highest
}
