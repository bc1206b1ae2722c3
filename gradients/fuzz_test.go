package gradients_test

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"boost/gradients"
	"boost/parallel"
)

// FuzzQuantize takes any bits as floats: what is not finite or negative is an error, all
// else comes back within half a step.
func FuzzQuantize(f *testing.F) {
	f.Add([]byte{0, 0, 128, 63, 0, 0, 0, 64})
	f.Add([]byte{1, 0, 0, 0, 1, 0, 0, 0})
	f.Add([]byte{0, 0, 128, 127, 0, 0, 128, 63, 0, 0, 0, 128, 0, 0, 0, 128})
	f.Add([]byte{255, 255, 127, 127, 255, 255, 127, 127, 0, 0, 128, 63, 1, 0, 0, 0})
	pool := parallel.NewPool(1)
	f.Fuzz(func(t *testing.T, data []byte) {
		n := len(data) / 8
		grad, hess := make([]float32, n), make([]float32, n)
		bad, negative := false, false
		for i := range n {
			grad[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[8*i:]))
			hess[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[8*i+4:]))
			bad = bad || grad[i]-grad[i] != 0 || hess[i]-hess[i] != 0
			negative = negative || hess[i] < 0
		}
		for _, set := range []gradients.Settings{
			{Mode: gradients.I16}, {Mode: gradients.I32}, {Mode: gradients.F32},
			{Mode: gradients.I8}, {Mode: gradients.I4}, {Mode: gradients.I16, Asymmetric: true},
		} {
			mode, st := set.Mode, gradients.NewStorage(n, set)
			out, err := st.Quantize(pool, grad, hess, nil, 0, 0)
			if (err != nil) != (bad || negative) {
				t.Fatalf("%v: error %v for %v, %v", mode, err, grad, hess)
			}
			if err != nil && !errors.Is(err, gradients.ErrNotFinite) && !errors.Is(err, gradients.ErrNegativeHessian) {
				t.Fatalf("%v: error %v", mode, err)
			}
			if err == nil && mode != gradients.F32 {
				checkRoundTrip(t, st, out, grad, hess)
			}
		}
	})
}
