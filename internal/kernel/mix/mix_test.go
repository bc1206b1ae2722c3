package mix_test

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"

	"boost/internal/kernel/mix"
	"boost/internal/rng"
)

// splitMix is the finalizer of SplitMix64 as its author gives it.
func splitMix(z uint64) uint64 {
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// reference adds up cells as docs/architecture.md defines, with numbers of any size.
func reference(key mix.Key, first int, values []float64) *big.Int {
	total := new(big.Int)
	for i, v := range values {
		word := math.Float64bits(v)
		switch {
		case v == 0:
			continue
		case math.IsNaN(v):
			word = 0x7ff86d697373696e
		}
		row := uint64(first+i) * 0x9e3779b97f4a7c15
		lo := splitMix(splitMix(word^key[0]) + row)
		hi := splitMix(splitMix(word+key[1]) ^ bits.RotateLeft64(row, 32))
		hi = splitMix(hi + bits.RotateLeft64(lo, 17))
		cell := new(big.Int).Lsh(new(big.Int).SetUint64(hi), 64)
		total.Add(total, cell.Or(cell, new(big.Int).SetUint64(lo)))
	}
	return total.And(total, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1)))
}

func TestNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	special := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1, -1, math.SmallestNonzeroFloat32, math.MaxFloat32}
	for _, n := range []int{0, 1, 7, 8, 9, 15, 16, 17, 100, 1000, 1<<16 + 9, 1 << 17} {
		values, singles := make([]float64, n), make([]float32, n)
		for i := range values {
			values[i] = float64(float32(r.NormFloat64()))
			if r.IntN(3) == 0 {
				values[i] = special[r.IntN(len(special))]
			}
			singles[i] = float32(values[i])
		}
		key, first := mix.Key{r.Uint64(), r.Uint64()}, r.IntN(1<<40)
		want := reference(key, first, values)
		for what, sum := range map[string]mix.Sum{
			"float64": mix.Numbers(key, first, values), "float32": mix.Numbers(key, first, singles),
		} {
			if got := new(big.Int).SetBytes(sum.Bytes()); got.Cmp(want) != 0 {
				t.Errorf("%d values, %s: %x, want %x", n, what, got, want)
			}
		}
	}
}

// Draws are those of rng, whose numbers another test knows.
func TestDraws(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 9, 16, 255, 256, 1<<16 + 9} {
		for _, first := range []int{0, 3, 1 << 40} {
			got := make([]uint64, n)
			mix.Draws(got, 77, first)
			for i, draw := range got {
				if want := rng.Draw(77, uint64(first+i)); draw != want {
					t.Fatalf("%d rows from %d: row %d draws %x, want %x", n, first, i, draw, want)
				}
			}
		}
	}
}

func BenchmarkNumbers(b *testing.B) {
	values := make([]float32, 1<<14)
	for i := range values {
		values[i] = float32(i)
	}
	b.SetBytes(int64(len(values)))
	for b.Loop() {
		mix.Numbers(mix.Key{1, 2}, 0, values)
	}
}
