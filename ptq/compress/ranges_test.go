package compress_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"boost/ptq/compress"
)

// The bound of a pruned model is not below that of real numbers, and hardly above: for each tree
// the least and the most that a leaf of the whole one is above the stored leaf that its rows
// reach, summed without rounding; trees that are gone count as a stored 0.
func TestRangesOfPrunedModels(t *testing.T) {
	t.Run("S3.60/pruned_rounded_up", func(t *testing.T) {
		// 1 + 2⁻⁶⁰ is more than 1: what is stored is 0, and the leaves of the last rows are these.
		small := math.Ldexp(1, -60)
		whole := forest(t, 1, []float64{0, 1}, []float64{0, small})
		if got := compress.RangeBound(whole, whole, []int{0, 1}, make([]float64, 4)); got[0] < math.Nextafter(1, 2) || got[0] > 1+1e-15 {
			t.Errorf("the bound of 1 and 2⁻⁶⁰ is %v", got)
		}
		for seed := range uint64(200) {
			r := rand.New(rand.NewPCG(seed, 9))
			const most = 6
			var all, left [][]float64
			var rounds []int
			low, high := exactly(0), exactly(0)
			var stored []float64
			for round := range 30 {
				// Tree 0 has all cuts in both models.
				n, k := 2+r.IntN(most-1), 2+r.IntN(most-1)
				if round == 0 {
					n, k = most, most
				}
				leaves, values := make([]float64, n), make([]float64, k)
				for i := range leaves {
					leaves[i] = math.Ldexp(r.NormFloat64(), -r.IntN(40))
				}
				for i := range values {
					values[i] = math.Ldexp(r.NormFloat64(), -r.IntN(40))
				}
				all = append(all, leaves)
				gone := round > 0 && r.IntN(5) == 0
				if !gone {
					left, rounds, stored = append(left, values), append(rounds, round), append(stored, values...)
				}
				least, largest := new(big.Float).SetInf(false), new(big.Float).SetInf(true)
				for x := range most {
					d := exactly(leaves[min(x, n-1)])
					if !gone {
						d.Sub(d, exactly(values[min(x, k-1)]))
					}
					if d.Cmp(least) < 0 {
						least = d
					}
					if d.Cmp(largest) > 0 {
						largest = d
					}
				}
				low.Add(low, least)
				high.Add(high, largest)
			}
			want := new(big.Float).Abs(low)
			if up := new(big.Float).Abs(high); up.Cmp(want) > 0 {
				want = up
			}
			got := compress.RangeBound(forest(t, 1, all...), forest(t, 1, left...), rounds, stored)[0]
			near, _ := want.Float64()
			if exactly(got).Cmp(want) < 0 || got > near*(1+1e-13) {
				t.Fatalf("seed %d: the bound is %v, want %v or a little above", seed, got, near)
			}
		}
	})
}

func exactly(x float64) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(x) }
