package sample_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/kernel/sample"
)

// lengths are around those of vectors, of what is done in one call, and of blocks.
var lengths = []int{0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 100, 1000, 1 << 16, 1<<16 + 25, 1<<17 + 8}

// singles are numbers of all sizes, and of those that are none.
func singles(r *rand.Rand, n int, special bool) []float32 {
	values := make([]float32, n)
	inf := float32(math.Inf(1))
	odd := []float32{0, float32(math.Copysign(0, -1)), math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, inf, -inf, float32(math.NaN())}
	for i := range values {
		values[i] = float32(math.Ldexp(r.NormFloat64(), r.IntN(40)-20))
		if special && r.IntN(4) == 0 {
			values[i] = odd[r.IntN(len(odd))]
		}
	}
	return values
}

// rounded is v·up, rounded to the nearest whole number, halves to even.
func rounded(v float32, up float64) *big.Int {
	n, _ := big.NewFloat(math.RoundToEven(math.Abs(float64(v)) * up)).Int(nil)
	return n
}

func TestSums(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for _, n := range lengths {
		values := singles(r, n, false)
		size := make([]float32, n)
		for i, v := range values {
			size[i] = float32(math.Abs(float64(v)))
		}
		for _, up := range []float64{1, 0x1p-3, 0x1p9} {
			want := new(big.Int)
			for _, v := range values {
				want.Add(want, rounded(v, up))
			}
			if got := sample.SumMagnitudes(values, up); want.Cmp(big.NewInt(got)) != 0 {
				t.Errorf("%d values times %v: %d, want %d", n, up, got, want)
			}
			for _, cut := range []float32{0, 0x1p-10, 1.5, math.MaxFloat32} {
				want, wantOthers := new(big.Int), 0
				for _, s := range size {
					if s < cut {
						want.Add(want, rounded(s, up))
					} else {
						wantOthers++
					}
				}
				if got, others := sample.SumBelow(size, math.Float32bits(cut), up); want.Cmp(big.NewInt(got)) != 0 || others != wantOthers {
					t.Errorf("%d sizes below %v times %v: %d and %d others, want %d and %d", n, cut, up, got, others, want, wantOthers)
				}
			}
		}
	}
}

func TestRoots(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, n := range lengths {
		grad, hess, ratio := singles(r, n, n%2 == 1), singles(r, n, n%2 == 1), 0.37
		squares, size := make([]float64, n), make([]float32, n)
		for i := range squares {
			squares[i] = float64(r.IntN(3))
		}
		want, most := make([]float32, n), float32(0)
		for i := range want {
			g, h := float64(grad[i]), float64(hess[i])
			sum := float64(float64(g*g)+float64(ratio*float64(h*h))) + squares[i]
			if want[i] = float32(math.Sqrt(sum)); !(want[i] <= math.MaxFloat32) {
				want[i] = math.MaxFloat32
			}
			most = max(most, want[i])
		}
		sample.AddSquares(squares, grad, hess, ratio)
		largest := sample.Roots(size, squares)
		if !slices.Equal(size, want) || largest != math.Float32bits(most) {
			t.Errorf("%d rows: sizes differ, or the largest is %v, want %v", n, math.Float32frombits(largest), most)
		}
	}
}

func TestKeep(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for _, n := range lengths {
		n = min(n, 1<<16)
		for _, mu := range []float64{0x1p-30, 0.4, 1e6, 0} {
			size, draws := make([]float32, n), make([]uint64, n)
			for i := range size {
				size[i], draws[i] = r.Float32(), r.Uint64()
				switch r.IntN(9) {
				case 0:
					size[i] = 0
				case 1:
					draws[i] = 0
				case 2:
					draws[i] = math.MaxUint64
				case 3:
					size[i] = math.MaxFloat32
				}
			}
			first := 1<<16 - n
			var wantKept []uint16
			wantWeights := make([]float32, n)
			for i, s := range size {
				u := float64(draws[i]>>11) / (1 << 53)
				wantWeights[i] = 1
				if (1-u)*mu <= float64(s) {
					wantKept = append(wantKept, uint16(first+i))
					wantWeights[i] = max(float32(mu/float64(s)), 1)
				}
			}
			kept, weights := make([]uint16, n), make([]float32, n)
			k := sample.Keep(kept, weights, draws, size, first, mu)
			if !slices.Equal(kept[:k], wantKept) || mu > 0 && !slices.Equal(weights, wantWeights) {
				t.Errorf("%d rows, mu %v: %d kept, want %d, or others or weights differ", n, mu, k, len(wantKept))
			}

			values := singles(r, n, false)
			want := slices.Clone(values)
			for i := range want {
				want[i] *= weights[i]
			}
			if sample.Scale(values, weights); mu > 0 && !slices.Equal(values, want) {
				t.Errorf("%d values are not scaled", n)
			}
		}
	}
}
