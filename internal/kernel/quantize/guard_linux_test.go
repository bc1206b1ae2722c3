package quantize_test

import (
	"testing"

	"boost/internal/cpu"
	"boost/internal/fence"
	"boost/internal/kernel/quantize"
)

// A read or a write past either end of the gradients or of their codes kills the test.
func TestStaysInItsMemory(t *testing.T) {
	defer quantize.Use(cpu.Used())
	for _, level := range []cpu.Level{cpu.AVX2, cpu.AVX512} {
		if level <= cpu.Used() {
			quantize.Use(level)
			testMemory(t, level.String())
		}
	}
}

// testMemory makes codes in memory between pages that may not be touched.
func testMemory(t *testing.T, vectors string) {
	for n := 1; n < 100; n++ {
		for _, place := range []struct {
			floats func() []float32
			grad   []int16
			hess   []uint16
		}{
			{func() []float32 { return fence.First[float32](t, n) }, fence.First[int16](t, n), fence.First[uint16](t, n)},
			{func() []float32 { return fence.Last[float32](t, n) }, fence.Last[int16](t, n), fence.Last[uint16](t, n)},
		} {
			grad, hess := place.floats(), place.floats()
			for i := range n {
				grad[i], hess[i] = float32(i-n/2), float32(i)
			}
			quantize.Scan(grad, hess)
			for _, stochastic := range []bool{false, true} {
				rule := &quantize.Rule{GradScale: 1, HessScale: 1, MinGrad: -127, MaxGrad: 127, MaxHess: 255, Stochastic: stochastic}
				quantize.Make(place.grad, place.hess, grad, hess, 0, rule)
				if want := n - 1 - n/2; int(place.grad[n-1]) != want || int(place.hess[n-1]) != n-1 {
					t.Fatalf("%d rows, %v: the last codes are (%d, %d), want (%d, %d)", n, vectors, place.grad[n-1], place.hess[n-1], want, n-1)
				}
			}
		}
	}
}
