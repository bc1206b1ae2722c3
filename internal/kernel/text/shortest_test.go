package text

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
)

// The powers that the digits are made with are those of ten.
func TestTens(t *testing.T) {
	for i, ten := range tens {
		got := new(big.Int).SetUint64(ten.high)
		got.Or(got.Lsh(got, 64), new(big.Int).SetUint64(ten.low))
		power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(i)), nil)
		for power.BitLen() < 128 {
			power.Lsh(power, 1)
		}
		for power.BitLen() > 128 {
			if power.Bit(0) != 0 {
				t.Fatalf("10^%d has more than 128 bits", i)
			}
			power.Rsh(power, 1)
		}
		if got.Cmp(power) != 0 {
			t.Errorf("10^%d is %x, want %x", i, got, power)
		}
	}
}

func checkFloat(t *testing.T, v float64) {
	t.Helper()
	for _, v := range []float64{v, -v} {
		if got, want := string(AppendFloat(nil, v)), strconv.FormatFloat(v, 'g', -1, 64); got != want {
			t.Fatalf("%x (bits %#x) is %q, strconv has %q", v, math.Float64bits(v), got, want)
		}
	}
}

// The text of any float is that of strconv.
func TestAppendFloat(t *testing.T) {
	t.Run("edges", func(t *testing.T) {
		around := func(v float64) {
			low, high := v, v
			for range 40 {
				checkFloat(t, low)
				checkFloat(t, high)
				low, high = math.Nextafter(low, 0), math.Nextafter(high, math.Inf(1))
			}
		}
		for _, v := range []float64{0, 1, 0.1, 0.5, 9.5, 1e6, 999999, 1e5, 1e-4, 1e-5, 12345.678, math.MaxFloat64, math.Inf(1), math.NaN(), 5e-324, 1e21, 1e22, 1e23} {
			around(v)
		}
		for e := -1074; e < 1024; e++ {
			around(math.Ldexp(1, e))
		}
		for e := -330; e < 309; e++ {
			v, _ := strconv.ParseFloat("1e"+strconv.Itoa(e), 64)
			around(v)
			around(5 * v)
		}
		for i := range 100_000 { // short decimals
			checkFloat(t, float64(i)/1000)
			checkFloat(t, float64(i)/1e8)
			checkFloat(t, float64(i)*1e4)
		}
	})
	r := rand.New(rand.NewPCG(81, 0))
	t.Run("middles", func(t *testing.T) { // of two decimals, where the digits of the number end behind theirs
		for zeros := range 53 {
			for e := -130; e <= 10; e++ {
				for range 20 {
					c := (1<<52 | r.Uint64N(1<<52)) >> zeros << zeros
					checkFloat(t, math.Ldexp(float64(c), e))
				}
			}
		}
	})
	n := 400_000
	if testing.Short() {
		n = 100_000
	}
	t.Run("ordinary", func(t *testing.T) {
		for range n {
			checkFloat(t, r.Float64())
			checkFloat(t, r.NormFloat64()*math.Exp(20*r.NormFloat64()))
			checkFloat(t, float64(r.Float32()))
			checkFloat(t, math.Float64frombits(r.Uint64N(180<<52)+950<<52)) // every ordinary size
		}
	})
	t.Run("any_bits", func(t *testing.T) {
		for range n {
			checkFloat(t, math.Float64frombits(r.Uint64()))
		}
	})
	t.Run("appends", func(t *testing.T) {
		if got := string(AppendFloat([]byte("a,"), 0.25)); got != "a,0.25" {
			t.Errorf("%q, want a,0.25", got)
		}
		b := make([]byte, 0, 64)
		if n := testing.AllocsPerRun(100, func() { b = AppendFloat(b[:0], 0.123456789) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

func FuzzAppendFloat(f *testing.F) {
	f.Add(uint64(0x3fb999999999999a))
	f.Fuzz(func(t *testing.T, word uint64) { checkFloat(t, math.Float64frombits(word)) })
}

// BenchmarkAppendFloat times the texts of probabilities, beside strconv.
func BenchmarkAppendFloat(b *testing.B) {
	r := rand.New(rand.NewPCG(82, 0))
	values := make([]float64, 4096)
	for i := range values {
		values[i] = 1 / (1 + math.Exp(r.NormFloat64()))
	}
	var text []byte
	for _, way := range []struct {
		name   string
		append func([]byte, float64) []byte
	}{
		{"ours", AppendFloat},
		{"strconv", func(b []byte, v float64) []byte { return strconv.AppendFloat(b, v, 'g', -1, 64) }},
	} {
		b.Run(way.name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				text = way.append(text[:0], values[i%len(values)])
			}
		})
	}
}
