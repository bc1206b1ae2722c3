//go:build amd64 && !purego

package quantize

import (
	"math"
	"unsafe"

	"boost/internal/cpu"
)

// generalRule is a rule as the assembly reads it.
type generalRule struct {
	gradScale, hessScale          float64
	gradPer, hessPer, gradOffset  float64 // per: as vectorRule has it, of scales
	leastGrad, mostGrad, mostHess float64
	mostSize                      float64 // bound of |gradient|/gradScale
	key                           uint64  // what the first row's draw is mixed from
	zero                          uint64  // the code of a gradient of 0, in every lane
}

// generalLoss is what the assembly writes: the loss, and the largest bits of a |gradient|
// or a hessian, which report whether one is not finite or carries a minus sign.
type generalLoss struct {
	Loss
	largest uint32
}

// Forms of the assembly's loop: rounding by draws or to the nearest, without or with an offset.
// Nearest codes without one are those of Codes.
const (
	formNearest = iota
	formDrawn
	formDrawnOffset
)

// golden is the step between the draws of neighbouring rows (package rng).
const golden = 0x9E3779B97F4A7C15

// most53 is where floats begin to leave out whole numbers.
const most53 = 1 << 53

// generalAhead is general for as many rows as it can do, and says how many: none where a
// value or the rule is not one that codes are made for.
func generalAhead[G int16 | int32, H uint16 | uint32](
	gradCodes []G, hessCodes []H, grad, hess []float32, first uint64, rows []uint16, r *Rule,
) (Loss, int) {
	n := min(len(grad), perCall) &^ (step - 1)
	if vectors == cpu.Generic || n == 0 || !short[G]() || !r.ordinary() {
		return Loss{}, 0
	}
	gradPer, ok := per(r.GradScale)
	hessPer, also := per(r.HessScale)
	if !ok || !also {
		return Loss{}, 0
	}
	rule := generalRule{
		gradScale: r.GradScale, hessScale: r.HessScale, gradPer: gradPer, hessPer: hessPer, gradOffset: r.GradOffset,
		leastGrad: float64(r.MinGrad), mostGrad: float64(r.MaxGrad), mostHess: float64(r.MaxHess),
		mostSize: r.most(), key: r.Key + (first+1)*golden,
	}
	var list *uint16
	if rows != nil {
		list = &rows[0]
	}
	var sums generalLoss
	gc, hc := (*int16)(unsafe.Pointer(&gradCodes[0])), (*uint16)(unsafe.Pointer(&hessCodes[0]))
	form, zero := r.form(), int16(r.zero())
	if vectors == cpu.AVX512 {
		rule.zero = uint64(uint16(zero)) * 0x0001_0001_0001_0001
		generalAVX512(&grad[0], &hess[0], uint64(n), gc, hc, list, form, rule.words(), sums.words())
	} else {
		rule.zero = uint64(uint32(zero)) * 0x0000_0001_0000_0001
		generalAVX2(&grad[0], &hess[0], uint64(n), gc, hc, list, form, rule.words(), sums.words())
		if sums.Error >= most53 {
			return Loss{}, 0
		}
	}
	if sums.largest >= infinity {
		return Loss{}, 0
	}
	if r.Stochastic && r.EqualHess {
		code := clamp(math.Round(float64(hess[0])/r.HessScale), 0, float64(r.MaxHess))
		for i := range hessCodes[:n] {
			hessCodes[i] = H(int64(code))
		}
		sums.HessKept = uint64(n) * one(code != 0)
	}
	return sums.Loss, n
}

// ordinary reports whether codes fit 16 bits and quotients are numbers.
func (r *Rule) ordinary() bool {
	return math.MinInt16 <= r.MinGrad && r.MinGrad <= r.MaxGrad && r.MaxGrad <= math.MaxInt16 &&
		0 <= r.MaxHess && r.MaxHess <= math.MaxUint16 &&
		r.GradScale > 0 && r.HessScale > 0 && r.GradOffset-r.GradOffset == 0
}

func (r *Rule) form() uint64 {
	switch {
	case !r.Stochastic:
		return formNearest
	case r.GradOffset != 0:
		return formDrawnOffset
	}
	return formDrawn
}

// spanAhead is widen for as many gradients as it can do, and says how many.
func spanAhead(low, high int32, grad []float32) (lowest, highest int32, done int) {
	n := min(len(grad), perCall) &^ (step - 1)
	if vectors == cpu.Generic || n == 0 {
		return low, high, 0
	}
	ends := [2]int32{low, high}
	if vectors == cpu.AVX512 {
		spanAVX512(&grad[0], uint64(n), &ends[0])
	} else {
		spanAVX2(&grad[0], uint64(n), &ends[0])
	}
	return ends[0], ends[1], n
}

// join8Ahead is join8 for as many rows as it can do, and says how many.
func join8Ahead(packed []uint16, grad []int16, hess []uint16) (done int) {
	n := min(len(packed), perCall) &^ (step - 1)
	if vectors == cpu.Generic || n == 0 {
		return 0
	}
	join8AVX2(&packed[0], &grad[0], &hess[0], uint64(n))
	return n
}

// join4Ahead is join4 for as many rows as it can do, and says how many.
func join4Ahead(packed []uint8, grad []int16, hess []uint16) (done int) {
	n := min(len(packed), perCall) &^ (step - 1)
	if vectors == cpu.Generic || n == 0 {
		return 0
	}
	join4AVX2(&packed[0], &grad[0], &hess[0], uint64(n))
	return n
}

// words are the fields as the assembly finds them: eight bytes each, in order.
func (r *generalRule) words() *uint64 { return (*uint64)(unsafe.Pointer(r)) }
