//go:build amd64 && !purego

package quantize

import (
	"math"
	"unsafe"

	"boost/internal/cpu"
)

// vectors is the instruction set that codes are made with.
var vectors = cpu.Used()

// step is a number of rows that every form takes without a rest. perCall bounds those of
// one call, which cannot be interrupted, and whose counts of rows are kept in signed 16 bits, 16 to a
// vector, and sums of errors of up to half a code in 32 bits, eight to a vector.
const (
	step    = 16
	perCall = 1 << 18
)

// vectorRule is a rule as the assembly reads it: units, a number a little less than 1 over each, and
// the largest codes in 1/65,536.
type vectorRule struct {
	gradUnit, hessUnit float64
	gradPer, hessPer   float64
	mostGrad, mostHess float64
}

// per returns a number less than 1/unit, by at most 2⁻⁵¹ of it, and whether it is one whose products
// with floats are ordinary numbers.
func per(unit float64) (float64, bool) {
	const far = 1 << 500
	p := math.Nextafter(1/unit, 0)
	return p, 1.0/far < p && p < far
}

// short reports whether codes are of 16 bits; others are of 32.
func short[G int16 | int32]() bool {
	var code G
	return unsafe.Sizeof(code) == 2
}

// codesAhead is Codes for as many rows as it can do, and says how many.
func codesAhead[G int16 | int32, H uint16 | uint32](
	gradCodes []G, hessCodes []H, grad, hess []float32, gradUnit, hessUnit float64, maxGrad, maxHess int64,
) (loss Loss, done int) {
	n := min(len(grad), perCall) &^ (step - 1)
	if vectors == cpu.Generic || n == 0 {
		return Loss{}, 0
	}
	_, _, _ = hess[n-1], gradCodes[n-1], hessCodes[n-1]
	rule := vectorRule{gradUnit: gradUnit, hessUnit: hessUnit, mostGrad: float64(maxGrad), mostHess: float64(maxHess)}
	gc, hc := unsafe.Pointer(&gradCodes[0]), unsafe.Pointer(&hessCodes[0])
	if !short[G]() {
		wideCodesAhead((*int32)(gc), (*uint32)(hc), grad[:n], hess[:n], &rule, &loss)
		return loss, n
	}
	var ok, also bool
	rule.gradPer, ok = per(gradUnit)
	rule.hessPer, also = per(hessUnit)
	if !ok || !also {
		return Loss{}, 0
	}
	if vectors == cpu.AVX512 { // named, not by a variable, so that rule and loss stay on the stack
		codesAVX512(&grad[0], &hess[0], uint64(n), (*int16)(gc), (*uint16)(hc), rule.words(), loss.words())
	} else {
		codesAVX2(&grad[0], &hess[0], uint64(n), (*int16)(gc), (*uint16)(hc), rule.words(), loss.words())
	}
	return loss, n
}

// wideCodesAhead is codesAhead for codes of 32 bits, of all the rows.
func wideCodesAhead(gradCodes *int32, hessCodes *uint32, grad, hess []float32, rule *vectorRule, loss *Loss) {
	if vectors == cpu.AVX512 {
		wideCodesAVX512(&grad[0], &hess[0], uint64(len(grad)), gradCodes, hessCodes, rule.words(), loss.words())
	} else {
		wideCodesAVX2(&grad[0], &hess[0], uint64(len(grad)), gradCodes, hessCodes, rule.words(), loss.words())
	}
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
