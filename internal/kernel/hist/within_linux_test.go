package hist_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/cpu"
	"boost/internal/kernel/hist"
	"boost/internal/testenv"
)

// What lies within a range, by definition, with every instruction set: in the order of the entries, rows without weight left out.
func TestWithin(t *testing.T) {
	defer hist.Use(cpu.Used())
	r := rand.New(rand.NewPCG(31, 0))
	inf := math.Inf(1)
	for _, set := range []cpu.Level{cpu.Generic, cpu.AVX2, cpu.AVX512} {
		if set > cpu.Used() {
			continue
		}
		hist.Use(set)
		for n := 1; n < 120; n++ {
			size := n + r.IntN(200)
			left, hess := testenv.FencedLast[float64](t, size), testenv.FencedLast[float32](t, size)
			for i := range left {
				left[i], hess[i] = math.Round(8*r.NormFloat64())/4, float32(r.IntN(5))*0.75
			}
			rows := r.Perm(size)[:n]
			if n%2 == 0 {
				slices.Sort(rows)
			}
			entries := testenv.FencedLast[uint64](t, n)
			for i, row := range rows {
				entries[i] = hist.Entry(int16(r.IntN(65536)-32768), uint16(r.IntN(65536)), uint16(row))
			}
			for _, in := range [][2]float64{{-inf, inf}, {-1, 1}, {0, 0}, {0.5, inf}, {3, 2}} {
				for _, weighted := range []bool{false, true} {
					values := testenv.FencedLast[float64](t, n)
					var weights, wantWeights []uint32
					var wantValues []float64
					want := hist.Found{Every: math.MaxUint32}
					if weighted {
						weights = testenv.FencedLast[uint32](t, n)
					}
					for _, row := range rows {
						v, w := left[row], uint32(1)
						if weighted {
							w = uint32(math.RoundToEven(float64(hess[row]) * 2))
						}
						want.All += uint64(w)
						if v < in[0] {
							want.Below += uint64(w)
						}
						if w > 0 && v >= in[0] && v <= in[1] {
							wantValues, wantWeights = append(wantValues, v), append(wantWeights, w)
						}
						if want.Some |= w; w > 0 {
							want.Every &= w
						}
					}
					if want.N = len(wantValues); !weighted {
						want.Some, want.Every = 0, math.MaxUint32
					}
					got := hist.Within(values, weights, entries, left, hess, 2, in[0], in[1])
					if got != want || !slices.Equal(values[:got.N], wantValues) || weighted && !slices.Equal(weights[:got.N], wantWeights) {
						t.Fatalf("%v: %d rows in %v, weighted %v: %+v %v %v, want %+v %v %v", set, n, in, weighted, got, values[:got.N], weights, want, wantValues, wantWeights)
					}
				}
			}
		}
	}
}
