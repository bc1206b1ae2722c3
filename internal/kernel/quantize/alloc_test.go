package quantize_test

import (
	"math"
	"testing"

	"boost/internal/kernel/quantize"
)

// Codes of 8 and 4 bits, and all of listed rows, are made a few hundred at a time, in memory of their own
// that is on the stack.
func TestCodesAllocateNothing(t *testing.T) {
	grad, hess := make([]float32, 1000), make([]float32, 1000)
	rows := make([]uint16, 0, 500)
	for i := range grad {
		grad[i], hess[i] = float32(i-500), float32(i)
		if i%2 == 0 {
			rows = append(rows, uint16(i))
		}
	}
	r := &quantize.Rule{GradScale: 5, HessScale: 5, MinGrad: -127, MaxGrad: 127, MaxHess: 255, Stochastic: true}
	words, bytes := make([]uint16, 1000), make([]uint8, 1000)
	nearest := &quantize.Rule{GradScale: 1e-6, HessScale: 1e-6, MinGrad: -math.MaxInt32, MaxGrad: math.MaxInt32, MaxHess: math.MaxUint32}
	signed, unsigned := make([]int32, 1000), make([]uint32, 1000)
	for name, pack := range map[string]func(){
		"8 bits":            func() { quantize.Pack8(words, grad, hess, 0, nil, false, r) },
		"8 bits of listed":  func() { quantize.Pack8(words, grad, hess, 0, rows, true, r) },
		"4 bits":            func() { quantize.Pack4(bytes, grad, hess, 0, nil, false, r) },
		"4 bits of listed":  func() { quantize.Pack4(bytes, grad, hess, 0, rows, true, r) },
		"32 bits":           func() { quantize.Make(signed, unsigned, grad, hess, 0, nearest) },
		"32 bits of listed": func() { quantize.MakeRows(signed, unsigned, grad, hess, 0, rows, nearest) },
	} {
		if got := testing.AllocsPerRun(20, pack); got != 0 {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
}
