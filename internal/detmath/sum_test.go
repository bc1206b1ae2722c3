package detmath_test

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"boost/internal/detmath"
)

// exactSum adds in 2,300 bits, more than float64's whole range needs, and rounds once.
func exactSum(xs []float64) float64 {
	sum := new(big.Float).SetPrec(2300)
	for _, x := range xs {
		sum.Add(sum, new(big.Float).SetFloat64(x))
	}
	f, _ := sum.Float64()
	if f == 0 {
		return 0 // big.Float keeps the sign of a zero
	}
	return f
}

func sumOf(xs []float64) float64 {
	var s detmath.Sum
	for _, x := range xs {
		s.Add(x)
	}
	return s.Round()
}

func sameFloat(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

func TestSumCases(t *testing.T) {
	inf, nan, big := math.Inf(1), math.NaN(), math.MaxFloat64
	const half = 0x1p-53 // half the last place of 1
	cases := []struct {
		name string
		xs   []float64
		want float64
	}{
		{"empty", nil, 0},
		{"one", []float64{0.1}, 0.1},
		{"cancel", []float64{1e100, 1, -1e100}, 1},
		{"ten_tenths", []float64{.1, .1, .1, .1, .1, .1, .1, .1, .1, .1}, 1},
		{"tie_to_even_down", []float64{1, half}, 1},
		{"tie_to_even_up", []float64{1 + 2*half, half}, 1 + 4*half},
		{"above_tie", []float64{1, half, 5e-324}, 1 + 2*half},
		{"below_tie", []float64{1, half, -5e-324}, 1},
		{"negative_tie", []float64{-1, -half, -5e-324}, -1 - 2*half},
		{"subnormals", []float64{5e-324, 5e-324, -1.5e-323}, -5e-324},
		{"subnormal_to_normal", []float64{0x1p-1022 - 0x1p-1074, 0x1p-1074}, 0x1p-1022},
		{"negative_zero", []float64{math.Copysign(0, -1)}, 0},
		{"cancel_to_zero", []float64{-3, 3}, 0},
		{"large", []float64{big, big, -big}, big},
		{"overflow", []float64{big, big}, inf},
		{"overflow_by_rounding", []float64{big, 0x1p970}, inf},
		{"no_overflow", []float64{big, 0x1p969}, big},
		{"negative_overflow", []float64{-big, -big}, -inf},
		{"inf", []float64{1, inf}, inf},
		{"negative_inf", []float64{-inf, big}, -inf},
		{"both_infs", []float64{inf, 1, -inf}, nan},
		{"nan", []float64{inf, nan}, nan},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := sumOf(c.xs); !sameFloat(got, c.want) {
				t.Errorf("sum of %v = %v, want %v", c.xs, got, c.want)
			}
		})
	}
}

// Random numbers over the whole range, in several orders and cuts, against big.Float.
func TestSumIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for trial := range 60 {
		xs := make([]float64, 1+r.IntN(3000))
		spread := []int{1, 20, 200, 2000}[trial%4]
		for i := range xs {
			xs[i] = math.Ldexp(2*r.Float64()-1, r.IntN(spread)-spread/2)
		}
		if trial%3 == 0 { // what remains of a cancellation is where naive sums fail
			for i := range len(xs) / 2 {
				xs[len(xs)-1-i] = -xs[i]
			}
		}
		want := exactSum(xs)
		if got := sumOf(xs); !sameFloat(got, want) {
			t.Fatalf("trial %d: %v, want %v", trial, got, want)
		}
		r.Shuffle(len(xs), func(i, j int) { xs[i], xs[j] = xs[j], xs[i] })
		var parts [5]detmath.Sum
		for i, x := range xs {
			parts[i*len(parts)/len(xs)].Add(x)
		}
		var whole detmath.Sum
		for _, i := range r.Perm(len(parts)) {
			whole.Merge(&parts[i])
		}
		if got := whole.Round(); !sameFloat(got, want) {
			t.Fatalf("trial %d, merged: %v, want %v", trial, got, want)
		}
		if again := whole.Round(); !sameFloat(again, want) {
			t.Fatalf("trial %d: Round changed the sum to %v", trial, again)
		}
	}
}

// Ten million equal numbers pass through many carries: n·x is known.
func TestSumManyCarries(t *testing.T) {
	n := 10_000_000
	if testing.Short() {
		n = 100_000
	}
	for _, x := range []float64{0x1.fffffffffffffp31, -0x1.fffffffffffffp0, 5e-324} {
		var s detmath.Sum
		for range n {
			s.Add(x)
		}
		want, _ := new(big.Float).Mul(new(big.Float).SetPrec(200).SetFloat64(x), big.NewFloat(float64(n))).Float64()
		if got := s.Round(); got != want {
			t.Errorf("%d × %v = %v, want %v", n, x, got, want)
		}
	}
}

func TestSumMergeSpecials(t *testing.T) {
	var a, b detmath.Sum
	a.Add(math.Inf(1))
	b.Add(math.Inf(-1))
	if got := b.Round(); got != math.Inf(-1) {
		t.Errorf("sum = %v, want -Inf", got)
	}
	b.Merge(&a)
	if got := b.Round(); !math.IsNaN(got) {
		t.Errorf("merged = %v, want NaN", got)
	}
}

func FuzzSum(f *testing.F) {
	f.Add([]byte{})
	f.Add(binary.LittleEndian.AppendUint64(nil, math.Float64bits(1.5)))
	f.Add(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 1), 0x7fefffffffffffff))
	f.Fuzz(func(t *testing.T, data []byte) {
		var xs []float64
		for ; len(data) >= 8; data = data[8:] {
			if x := math.Float64frombits(binary.LittleEndian.Uint64(data)); !math.IsNaN(x) && !math.IsInf(x, 0) {
				xs = append(xs, x)
			}
		}
		if got, want := sumOf(xs), exactSum(xs); !sameFloat(got, want) {
			t.Errorf("sum of %x = %x, want %x", xs, got, want)
		}
	})
}

func BenchmarkSumAdd(b *testing.B) {
	xs := make([]float64, 4096)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range xs {
		xs[i] = r.NormFloat64()
	}
	var s detmath.Sum
	for b.Loop() {
		for _, x := range xs {
			s.Add(x)
		}
	}
	sink = s.Round()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4096, "ns/add")
}

// Words of sums, added up, are the words of what the sums merge to.
func TestSumWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	for n := range 50 {
		var merged detmath.Sum
		words := make([]uint64, detmath.SumWords)
		for range 1 + n%5 {
			var s detmath.Sum
			for range rng.IntN(2000) {
				x := (rng.Float64() - 0.5) * math.Pow(2, float64(rng.IntN(200)-100))
				s.Add(x)
			}
			if n%10 == 9 && rng.IntN(2) == 0 {
				s.Add(math.Inf(1 - 2*rng.IntN(2)))
			}
			merged.Merge(&s)
			for i, w := range s.Words(nil) {
				words[i] += w
			}
		}
		var got detmath.Sum
		got.SetWords(words)
		if a, b := got.Round(), merged.Round(); a != b && !(math.IsNaN(a) && math.IsNaN(b)) {
			t.Errorf("case %d: %v of words, want %v", n, a, b)
		}
	}
}
