package colsample

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/rng"
)

// The features of a sample are those that sorting all draws gives, whose definition in
// the documentation is of an order: the smallest draws, ties by feature.
func TestSampleIsTheSmallestDraws(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s Sampler
	for range 300 {
		var of []int
		for f := range 1 + r.IntN(400) {
			if r.IntN(3) > 0 {
				of = append(of, f)
			}
		}
		share, key, stream := 0.001+0.999*r.Float64(), r.Uint64(), r.Uint64N(9)
		got := s.sample(nil, of, share, key, stream)

		mixed := rng.Mix(key ^ rng.Mix(stream+1))
		want := slices.Clone(of)
		slices.SortFunc(want, func(a, b int) int {
			return cmp.Or(cmp.Compare(rng.Draw(mixed, uint64(a)), rng.Draw(mixed, uint64(b))), cmp.Compare(a, b))
		})
		if len(of) > 0 {
			want = want[:max(1, int(math.Round(share*float64(len(of)))))]
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%d features, share %v: %v, want %v", len(of), share, got, want)
		}
	}
}

func TestNth(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var s Sampler
	for range 300 {
		numbers := make([]uint64, 1+r.IntN(500))
		distinct := []uint64{1, 3, 1000, math.MaxUint64}[r.IntN(4)] // many equal ones, too
		for i := range numbers {
			numbers[i] = r.Uint64N(distinct)
		}
		k, sorted := r.IntN(len(numbers)), slices.Sorted(slices.Values(numbers))
		if got := s.nth(numbers, k); got != sorted[k] {
			t.Fatalf("the %d-th of %v is %d, want %d", k, sorted, got, sorted[k])
		}
	}
}

func BenchmarkSample(b *testing.B) {
	of := make([]int, 50_000)
	for f := range of {
		of[f] = f
	}
	var s Sampler
	var dst []int
	for b.Loop() {
		dst = s.sample(dst, of, 0.5, 7, 3)
	}
}
