package dataset

import (
	"math"
	"math/rand/v2"
	"testing"
)

// All patterns of bits that are no number count as missing, and no others.
func TestMissingIsNaN(t *testing.T) {
	r := rand.New(rand.NewPCG(91, 0))
	for n := range 70 {
		f32, f64 := make([]float32, n), make([]float64, n)
		want32, want64 := 0, 0
		for i := range n {
			f32[i], f64[i] = math.Float32frombits(r.Uint32()|r.Uint32()<<1), math.Float64frombits(r.Uint64()|0x7fe0<<48)
			switch r.IntN(5) {
			case 0:
				f32[i], f64[i] = float32(math.Inf(1-2*r.IntN(2))), math.Inf(1-2*r.IntN(2))
			case 1: // the NaN next to infinity
				f32[i], f64[i] = math.Float32frombits(0xff80_0001), math.Float64frombits(0x7ff0_0000_0000_0001)
			case 2:
				f32[i], f64[i] = float32(math.Copysign(0, -1)), -math.MaxFloat64
			}
			if f32[i] != f32[i] {
				want32++
			}
			if f64[i] != f64[i] {
				want64++
			}
		}
		if got := float32Column("a", Feature, f32).Missing(); got != want32 {
			t.Errorf("%x: %d missing, want %d", f32, got, want32)
		}
		if got := float64Column("a", Feature, f64).Missing(); got != want64 {
			t.Errorf("%x: %d missing, want %d", f64, got, want64)
		}
	}
}
