package detmath_test

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"

	"boost/internal/detmath"
	"boost/internal/rng"
)

// The results' bits, hashed, are the same on every platform and GOAMD64 level: run
// it under GOAMD64=v3 or on arm64, where a product and a sum that fused would show.
// (That the results are right is TestErrorBounds's matter.) A change of a literal is
// a change of the numerics version.
func TestSameBits(t *testing.T) {
	cases := []struct {
		name string
		f    func(float64) float64
		want uint64
	}{
		{"exp", detmath.Exp, 0x1c56ce675bdae99c},
		{"exp_coarse", func(x float64) float64 { return detmath.ExpCoarse(max(-708, min(x, 709))) }, 0x61c677420a4c419e},
		{"log", func(x float64) float64 { return detmath.Log(math.Abs(x)) }, 0x27c909405e747f4f},
		{"erf", detmath.Erf, 0xd95401a8f7db15de},
		{"sigmoid", detmath.Sigmoid, 0x25adc3dd4a8f9da6},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			hash := fnv.New64a()
			for i := range uint64(50_000) {
				// Numbers of all sizes from 2^-30 to 2^10, of both signs.
				d := rng.Draw(7, i)
				x := math.Ldexp(rng.Unit(d)+0.5, int(d%41)-30)
				if d>>8&1 != 0 {
					x = -x
				}
				var b [8]byte
				binary.LittleEndian.PutUint64(b[:], math.Float64bits(c.f(x)))
				hash.Write(b[:])
			}
			if got := hash.Sum64(); got != c.want {
				t.Errorf("hash %#x, want %#x", got, c.want)
			}
		})
	}
}
