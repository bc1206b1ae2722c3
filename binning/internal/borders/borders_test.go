package borders_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/binning/internal/borders"
	"boost/internal/kernel/bin"
	"boost/internal/testenv"
)

// bordersByRule is the rule word by word, in big integers.
func bordersByRule(keys []uint32, weights []uint64, bins int) []int {
	var borders []int
	last := func(at int) int { // last position of the value at `at`
		for at+1 < len(keys) && keys[at+1] == keys[at] {
			at++
		}
		return at
	}
	add := func(at int) {
		if end := last(at); end < len(keys)-1 && !slices.Contains(borders, end) {
			borders = append(borders, end)
		}
	}
	distinct := slices.Compact(slices.Clone(keys))
	if len(distinct) <= bins {
		for at := range keys {
			add(at)
		}
		return borders
	}
	total := new(big.Int)
	for _, w := range weights {
		total.Add(total, new(big.Int).SetUint64(w))
	}
	for i := 1; i < bins; i++ {
		target := new(big.Int).Sub(total, big.NewInt(1))
		target.Mul(target, big.NewInt(int64(i)))
		target.Div(target, big.NewInt(int64(bins)))
		sum := new(big.Int)
		for at, w := range weights {
			sum.Add(sum, new(big.Int).SetUint64(w))
			if at == last(at) && sum.Cmp(target) > 0 {
				add(at)
				break
			}
		}
	}
	return borders
}

// positions returns the borders of sorted keys as the last positions on their left.
func positions(keys []uint32, weights []uint64, bins int) []int {
	r := borders.Join(slices.Clone(keys), make([]uint32, len(keys)), slices.Clone(weights))
	var at []int
	for _, border := range borders.Find(nil, r, bins, nil) {
		at = append(at, int(r.Ends[border])-1)
	}
	return at
}

func TestBorders(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	rounds := testenv.UnlessShort(10_000, 1000)
	t.Run("S0.7/rule_in_big_integers", func(t *testing.T) {
		for range rounds {
			n, bins := 1+r.IntN(60), 1+r.IntN(20)
			keys := make([]uint32, n)
			ones := make([]uint64, n)
			weights := make([]uint64, n)
			for i := range keys {
				keys[i] = uint32(r.IntN(1 + r.IntN(60)))
				ones[i] = 1
				weights[i] = []uint64{0, 1, 2, uint64(r.IntN(1000)), 1 << 32, r.Uint64N(1<<32 + 1)}[r.IntN(6)]
			}
			weights[r.IntN(n)] = 1 + r.Uint64N(1<<32)
			slices.Sort(keys)
			if got, want := positions(keys, nil, bins), bordersByRule(keys, ones, bins); !slices.Equal(got, want) {
				t.Fatalf("keys %v, %d bins: borders %v, want %v", keys, bins, got, want)
			}
			if got, want := positions(keys, ones, bins), bordersByRule(keys, ones, bins); !slices.Equal(got, want) {
				t.Fatalf("keys %v of weight 1, %d bins: borders %v, want %v", keys, bins, got, want)
			}
			if got, want := positions(keys, weights, bins), bordersByRule(keys, weights, bins); !slices.Equal(got, want) {
				t.Fatalf("keys %v, weights %v, %d bins: borders %v, want %v", keys, weights, bins, got, want)
			}
		}
	})
	t.Run("S0.7/twice_is_weight_two", func(t *testing.T) {
		for range rounds {
			n, bins := 1+r.IntN(60), 1+r.IntN(20)
			keys := make([]uint32, n)
			for i := range keys {
				keys[i] = uint32(r.IntN(60))
			}
			slices.Sort(keys)
			twice := make([]uint32, 0, 2*n)
			twos := make([]uint64, n)
			for i, k := range keys {
				twice, twos[i] = append(twice, k, k), 2
			}
			var got []int
			for _, border := range positions(twice, nil, bins) {
				got = append(got, border/2)
			}
			if want := positions(keys, twos, bins); !slices.Equal(got, want) {
				t.Fatalf("keys %v twice, %d bins: borders %v, of weight 2: %v", keys, bins, got, want)
			}
		}
	})
	t.Run("S0.7/128_bit_products", func(t *testing.T) {
		// 2²⁰ rows of weight 2³²: i·(W−1) needs 72 bits. Equal weights give the plain rule's
		// borders up to the −1: border after the first v with C(v) > ⌊i·(W−1)/B⌋, at 1/4, 2/4, 3/4.
		keys := make([]uint32, 1<<20)
		weights := make([]uint64, len(keys))
		for i := range keys {
			keys[i], weights[i] = uint32(i), 1<<32
		}
		got := positions(keys, weights, 4)
		if want := []int{1<<18 - 1, 1<<19 - 1, 3<<18 - 1}; !slices.Equal(got, want) {
			t.Errorf("borders %v, want %v", got, want)
		}
		many := positions(keys, weights, 1<<19)
		if len(many) != 1<<19-1 || many[0] != 1 || many[len(many)-1] != 1<<20-3 {
			t.Errorf("2¹⁹ bins of 2 rows: %d borders from %d to %d", len(many), many[0], many[len(many)-1])
		}
	})
	t.Run("S0.7/all_weights_zero", func(t *testing.T) {
		keys := []uint32{1, 2, 3, 4}
		if got, want := positions(keys, make([]uint64, 4), 2), positions(keys, nil, 2); !slices.Equal(got, want) {
			t.Errorf("borders %v, want %v", got, want)
		}
	})
}

func TestEnforceMinimum(t *testing.T) {
	ends := []uint32{1, 2, 3, 4}
	for _, c := range []struct {
		borders        []int
		n, least, want int
	}{{[]int{0, 1, 2}, 4, 1, 3}, {[]int{0, 1, 2}, 4, 2, 1}, {[]int{0, 1, 2}, 4, 3, 0}, {[]int{2}, 4, 2, 0}, {nil, 1, 5, 0}} {
		if got := borders.EnforceMinimum(slices.Clone(c.borders), nil, ends[:c.n], c.least); len(got) != c.want {
			t.Errorf("EnforceMinimum(%v, %d, %d) = %v, want %d borders", c.borders, c.n, c.least, got, c.want)
		}
	}
}

func TestZeroApart(t *testing.T) {
	// keyOf gives zero its own key, and other numbers theirs around it.
	keyOf := func(v int) uint32 { return bin.Zero[uint32]() + uint32(v) }
	borders := func(values []int, weights []uint64, bins int) []int {
		keys := make([]uint32, len(values))
		for i, v := range values {
			keys[i] = keyOf(v)
		}
		return positions(keys, weights, bins)
	}
	spread := func(negative, zeros, positive int) []int { // negative and positive values once each
		var values []int
		for v := -negative; v <= positive; v++ {
			if values = append(values, v); v == 0 {
				values = append(values, make([]int, zeros-1)...)
			}
		}
		return values
	}
	t.Run("golden", func(t *testing.T) {
		// −5 … −1, 20 zeros, 1 … 5 in 5 bins: positions ⌊29·i/5⌋ = 5 11 17 23 are all zeros.
		// By the rule they share the border after the last zero, 24; zero alone adds 4.
		if got := borders(spread(5, 20, 5), nil, 5); !slices.Equal(got, []int{4, 24}) {
			t.Errorf("borders %v, want [4 24]", got)
		}
		// Zero is the greatest value: the rule leaves no border at all.
		if got := borders(spread(5, 20, 0), nil, 5); !slices.Equal(got, []int{4}) {
			t.Errorf("zero the greatest: borders %v, want [4]", got)
		}
		// And the least: what the rule gives is enough.
		if got := borders(spread(0, 20, 5), nil, 5); !slices.Equal(got, []int{19}) {
			t.Errorf("zero the least: borders %v, want [19]", got)
		}
		// 10 negative ones, 3 zeros, 10 positive ones in 4 bins: ⌊22·i/4⌋ = 5 11 16, so
		// zeros (10 … 12) hold one position only, and there is no border to spare.
		if got := borders(spread(10, 3, 10), nil, 4); !slices.Equal(got, []int{5, 12, 16}) {
			t.Errorf("one position: borders %v, want [5 12 16]", got)
		}
		// With 5 zeros, ⌊24·i/6⌋ = 4 8 12 16 20; zeros (10 … 14) hold 12 only. With 7 in 6
		// bins, ⌊26·i/6⌋ = 4 8 13 17 21; zeros (10 … 16) hold 13 only. With 9, ⌊28·i/6⌋ =
		// 4 9 14 18 23; zeros (10 … 18) hold 14 and 18; 9 closes the bin below already.
		if got := borders(spread(10, 9, 10), nil, 6); !slices.Equal(got, []int{4, 9, 18, 23}) {
			t.Errorf("border below is there: borders %v, want [4 9 18 23]", got)
		}
		// By weight: −2 −1 0 1 2 of weights 1 1 8 1 1, W = 12, ⌊11·i/4⌋ = 2 5 8: all zero's.
		if got := borders([]int{-2, -1, 0, 1, 2}, []uint64{1, 1, 8, 1, 1}, 4); !slices.Equal(got, []int{1, 2}) {
			t.Errorf("weighted: borders %v, want [1 2]", got)
		}
	})
	t.Run("against_the_rule_in_big_integers", func(t *testing.T) {
		r := rand.New(rand.NewPCG(4, 7))
		rounds, apart := 10_000, 0
		if testing.Short() {
			rounds = 1000
		}
		for range rounds {
			n, bins := 1+r.IntN(80), 2+r.IntN(12)
			keys, weights := make([]uint32, n), make([]uint64, n)
			for i := range keys {
				v := 0
				if r.IntN(3) == 0 {
					v = r.IntN(40) - 20
				}
				keys[i], weights[i] = keyOf(v), 1
				if n%2 == 0 {
					weights[i] = r.Uint64N(5)
				}
			}
			weights[r.IntN(n)]++
			slices.Sort(keys)
			got, want := positions(keys, weights, bins), bordersByRule(keys, weights, bins)
			if below, held := zeroByRule(keys, weights, bins); below >= 0 && held >= 2 && !slices.Contains(want, below) {
				want = append(want, below)
				slices.Sort(want)
				apart++
			}
			if !slices.Equal(got, want) || len(got) >= bins && len(got) > 0 {
				t.Fatalf("keys %v, weights %v, %d bins: borders %v, want %v", keys, weights, bins, got, want)
			}
		}
		if apart < rounds/20 {
			t.Errorf("zero was kept apart in %d of %d cases only", apart, rounds)
		}
	})
}

// zeroByRule returns the last position before zero, −1 if there is none or the rule of
// few distinct values holds, and how many of the ⌊i·(W−1)/bins⌋ fall on zero.
func zeroByRule(keys []uint32, weights []uint64, bins int) (below, held int) {
	zero := slices.Index(keys, bin.Zero[uint32]())
	if zero <= 0 || len(slices.Compact(slices.Clone(keys))) <= bins {
		return -1, 0
	}
	var total, before, upTo uint64
	for i, w := range weights {
		total += w
		if keys[i] < keys[zero] {
			before += w
		}
		if keys[i] <= keys[zero] {
			upTo += w
		}
	}
	for i := 1; i < bins; i++ {
		if target := uint64(i) * (total - 1) / uint64(bins); target >= before && target < upTo {
			held++
		}
	}
	return zero - 1, held
}
