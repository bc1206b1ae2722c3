package loss_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/kernel/loss"
)

// fillPairs makes a query of n rows: ties, far scores, equal gains.
func fillPairs(p *loss.Pairs, r *rand.Rand, n int) {
	p.Begin(n)
	for i := range n {
		p.Scores[i] = math.Floor(r.NormFloat64() * 8)
		if r.IntN(10) == 0 {
			p.Scores[i] *= 1e6
		}
		p.Gains[i] = float64(int(1)<<r.IntN(4)) - 1
		p.Change[i] = float64(r.IntN(3)-1) * r.Float64()
	}
	slices.SortFunc(p.Scores, func(a, b float64) int { return int(math.Copysign(1, b-a)) * min(1, int(math.Abs(b-a))) })
	for i, s := range p.Scores {
		p.Odds[i] = math.Exp(max(-300, s-p.Scores[0]))
	}
	p.Distant = r.IntN(2) == 0
}

// Vectors give the bits of the Go form, whatever the number of rows and the row.
func TestPairsVectors(t *testing.T) {
	everyLevel(t, func(t *testing.T, use func(vectors bool)) {
		r := rand.New(rand.NewPCG(1, 7))
		var p, q loss.Pairs
		for _, n := range []int{1, 2, 3, 8, 9, 10, 16, 17, 18, 31, 40, 100, 257, 1<<17 + 3, 5, 1} {
			seed := r.Uint64()
			for _, byGain := range []bool{false, true} {
				for of, pairs := range []*loss.Pairs{&p, &q} {
					use(of == 0)
					fillPairs(pairs, rand.New(rand.NewPCG(seed, 0)), n)
					for i := range min(n, 12) {
						if byGain {
							pairs.RowByGain(i)
						} else {
							pairs.Row(i)
						}
					}
				}
				if p.Sum != q.Sum || !slices.Equal(p.Grad, q.Grad) || !slices.Equal(p.Hess, q.Hess) {
					t.Fatalf("%d rows, by gain %v: sum %v, in Go %v", n, byGain, p.Sum, q.Sum)
				}
				if n > 3 && !(p.Sum > 0) {
					t.Fatalf("%d rows: sum %v", n, p.Sum)
				}
			}
		}
	})
}

func TestRanking(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	var ranking loss.Ranking
	for _, n := range []int{1, 2, 5, 64, 1000, 5000} {
		for range 5 {
			scores := make([]float64, n)
			for i := range scores {
				switch scores[i] = math.Floor(r.NormFloat64() * 10); r.IntN(3) {
				case 0:
					scores[i] = r.NormFloat64()
				case 1: // numbers that differ in their last bits
					scores[i] = 1
					for range r.IntN(4) {
						scores[i] = math.Nextafter(scores[i], 2)
					}
				}
				if r.IntN(9) == 0 {
					scores[i] = math.Copysign(0, -1)
				}
			}
			want := make([]int32, n)
			for i := range want {
				want[i] = int32(i)
			}
			slices.SortStableFunc(want, func(a, b int32) int {
				switch {
				case scores[a] > scores[b]:
					return -1
				case scores[a] < scores[b]:
					return 1
				}
				return 0
			})
			if got := ranking.Of(scores); !slices.Equal(got, want) {
				t.Fatalf("%d rows: %v, want %v", n, got, want)
			}
		}
	}
}

func TestDiscounts(t *testing.T) {
	for _, n := range []int{1, 5, 3000, 100} {
		d := loss.Discounts(n)
		if len(d) != n {
			t.Fatalf("%d discounts, want %d", len(d), n)
		}
		for i, got := range d {
			if want := 1 / math.Log2(float64(i+2)); math.Abs(got-want) > 1e-15 {
				t.Errorf("position %d: %v, want %v", i, got, want)
			}
		}
	}
}
