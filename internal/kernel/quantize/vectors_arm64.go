//go:build arm64 && !purego

package quantize

import (
	"unsafe"

	"boost/internal/cpu"
)

// neon reports whether the vectors are in use.
var neon = cpu.NEON()

// scanStep and codesStep are how many rows the loops take at a time, perCall bounds those of one
// call: it cannot be interrupted.
const (
	scanStep  = 16
	codesStep = 8
	perCall   = 1 << 18
)

// scanNEON widens a Range by n rows, a multiple of scanStep above 0.
//
//go:noescape
func scanNEON(grad, hess *float32, n uint64, r *uint32)

// codesNEON is Codes for n rows, a multiple of codesStep above 0 and at most perCall.
//
//go:noescape
func codesNEON(grad, hess *float32, n uint64, gradCodes *int16, hessCodes *uint16, rule *uint64, loss *uint64)

// neonRule is a rule as the assembly reads it: units, and the largest codes in 1/65,536, below 2³².
type neonRule struct {
	gradUnit, hessUnit float64
	mostGrad, mostHess uint32
}

// scanAhead is Scan for as many rows as it can do, and says how many.
func scanAhead(r *Range, grad, hess []float32) (done int) {
	n := min(len(grad), perCall) &^ (scanStep - 1)
	if n == 0 || !neon {
		return 0
	}
	_ = hess[n-1]
	scanNEON(&grad[0], &hess[0], uint64(n), &r.MaxGrad)
	return n
}

// codesAhead is Codes for as many rows as it can do, and says how many: of codes of 16 bits, which is
// what the assembly writes.
func codesAhead[G int16 | int32, H uint16 | uint32](
	gradCodes []G, hessCodes []H, grad, hess []float32, gradUnit, hessUnit float64, maxGrad, maxHess int64,
) (loss Loss, done int) {
	n := min(len(grad), perCall) &^ (codesStep - 1)
	var code G
	if n == 0 || !neon || unsafe.Sizeof(code) != 2 {
		return Loss{}, 0
	}
	_, _, _ = hess[n-1], gradCodes[n-1], hessCodes[n-1]
	rule := neonRule{gradUnit, hessUnit, uint32(maxGrad), uint32(maxHess)}
	gc, hc := (*int16)(unsafe.Pointer(&gradCodes[0])), (*uint16)(unsafe.Pointer(&hessCodes[0]))
	codesNEON(&grad[0], &hess[0], uint64(n), gc, hc, (*uint64)(unsafe.Pointer(&rule)), &loss.Error)
	return loss, n
}
