//go:build amd64 && !purego

package quantize

import (
	"math"
	"unsafe"

	"boost/internal/cpu"
)

// vectors is the instruction set that codes are made with.
var vectors = cpu.Used()

// step is a number of rows that every form takes without a rest, perCall bounds those of
// one call: it cannot be interrupted.
const (
	step    = 16
	perCall = 1 << 18
)

// vectorRule is a rule as the assembly reads it: units, and the largest codes, of codesAVX512 in 1/65,536 as a number, of the others as floats.
type vectorRule struct {
	gradUnit, hessUnit float64
	mostGrad, mostHess uint64
}

// short says whether codes are of 16 bits, which is what the assembly writes.
func short[G int16 | int32]() bool {
	var code G
	return unsafe.Sizeof(code) == 2
}

// codesAhead is Codes for as many rows as it can do, and says how many.
func codesAhead[G int16 | int32, H uint16 | uint32](
	gradCodes []G, hessCodes []H, grad, hess []float32, gradUnit, hessUnit float64, maxGrad, maxHess int64,
) (loss Loss, done int) {
	n := min(len(grad), perCall) &^ (step - 1)
	if vectors == cpu.Generic || n == 0 || !short[G]() {
		return Loss{}, 0
	}
	rule := vectorRule{gradUnit: gradUnit, hessUnit: hessUnit}
	rule.mostGrad, rule.mostHess = uint64(maxGrad), uint64(maxHess)
	gc, hc := (*int16)(unsafe.Pointer(&gradCodes[0])), (*uint16)(unsafe.Pointer(&hessCodes[0]))
	if vectors == cpu.AVX512 { // named, not by a variable, so that rule and loss stay on the stack
		codesAVX512(&grad[0], &hess[0], uint64(n), gc, hc, rule.words(), loss.words())
	} else {
		rule.mostGrad, rule.mostHess = math.Float64bits(float64(maxGrad)), math.Float64bits(float64(maxHess))
		codesAVX2(&grad[0], &hess[0], uint64(n), gc, hc, rule.words(), loss.words())
	}
	return loss, n
}

// scanAhead is Scan for as many rows as it can do, and says how many.
func scanAhead(r *Range, grad, hess []float32) (done int) {
	n := min(len(grad), perCall) &^ (step - 1)
	if vectors == cpu.Generic || n == 0 {
		return 0
	}
	if vectors == cpu.AVX512 {
		scanAVX512(&grad[0], &hess[0], uint64(n), &r.MaxGrad)
	} else {
		scanAVX2(&grad[0], &hess[0], uint64(n), &r.MaxGrad)
	}
	return n
}

// words are the fields as the assembly finds them: eight bytes each, in order.
func (r *vectorRule) words() *uint64 { return (*uint64)(unsafe.Pointer(r)) }
func (l *Loss) words() *uint64       { return &l.Error }
