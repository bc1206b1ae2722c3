package loss_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"boost/internal/cpu"
	"boost/internal/detmath"
	"boost/internal/kernel/loss"
)

// The sums of big floats, which have all bits, are those of AddUp, whatever is in a block.
func TestAddUp(t *testing.T) {
	t.Run(cpu.Generic.String(), func(t *testing.T) {
		t.Cleanup(loss.UseBest)
		loss.Use(cpu.Generic)
		testAddUp(t)
	})
	everyLevel(t, func(t *testing.T, _ func(bool)) { testAddUp(t) })
}

func testAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for try := range 3000 {
		values := make([]float64, r.IntN(700))
		spread, shift := []int{1, 20, 60, 300, 1000, 2040}[try%6], r.IntN(1900)-950
		if spread == 2040 {
			shift = 0
		}
		for i := range values {
			values[i] = math.Ldexp(r.NormFloat64(), shift+r.IntN(spread)-spread/2)
			switch r.IntN(20) {
			case 0:
				values[i] = 0
			case 1:
				values[i] = math.Copysign(0, -1)
			case 2:
				if i > 0 {
					values[i] = -values[i-1]
				}
			case 3:
				values[i] = math.Ldexp(1, shift)
			}
		}
		exact := new(big.Float).SetPrec(5000)
		finite := true
		for _, x := range values {
			if finite = finite && !math.IsInf(x, 0); finite {
				exact.Add(exact, new(big.Float).SetFloat64(x))
			}
		}
		var s, one detmath.Sum
		loss.AddUp(&s, values)
		for _, x := range values {
			one.Add(x)
		}
		want := one.Round()
		if finite {
			want, _ = exact.Float64()
		}
		if got := s.Round(); math.Float64bits(got+0) != math.Float64bits(want+0) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("%d numbers, spread %d, shift %d: %v, want %v", len(values), spread, shift, got, want)
		}
	}
	for _, special := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		var s detmath.Sum
		loss.AddUp(&s, []float64{1, 2, special, 4, 5})
		if got := s.Round(); got != special && !math.IsNaN(special) || math.IsNaN(got) != math.IsNaN(special) {
			t.Errorf("a sum with %v is %v", special, got)
		}
	}
}

func BenchmarkSum(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, 1<<14)
	for i := range values {
		values[i] = r.NormFloat64() * r.NormFloat64()
	}
	b.Run("Add", func(b *testing.B) {
		b.SetBytes(int64(8 * len(values)))
		for range b.N {
			var s detmath.Sum
			for _, x := range values {
				s.Add(x)
			}
		}
	})
	b.Run("AddUp", func(b *testing.B) {
		b.SetBytes(int64(8 * len(values)))
		for range b.N {
			var s detmath.Sum
			loss.AddUp(&s, values)
		}
	})
}
