package metrics

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Sums and products of words at their limits against math/big.
func TestWide(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() uint64 {
		return []uint64{0, 1, 1<<64 - 1, 1 << 63, r.Uint64()}[r.IntN(5)]
	}
	for range 2000 {
		x, y := wide{word(), word() >> 43}, wide{word(), word() >> 42}
		sum := wide{word(), word(), word() >> 21}
		want := new(big.Int).Mul(x.big(), y.big())
		want.Add(want, sum.big())
		sum.addProduct(x, y)
		if got := sum.big(); got.Cmp(want) != 0 {
			t.Fatalf("%x·%x + … = %x, want %x", x, y, got, want)
		}
	}
}

// Counts of two words as floats against math/big.
func TestCounterFloat(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		c := counter{r.Uint64() >> r.IntN(64) << r.IntN(64), r.Uint64() >> (r.IntN(64) + 1)}
		if r.IntN(3) == 0 {
			c[1] = 0
		}
		want, _ := new(big.Float).SetInt(wide{c[0], c[1]}.big()).Float64()
		if got := c.float(3) * 8; got != want {
			t.Fatalf("%x is %v, want %v", c, got, want)
		}
	}
}

// A border belongs to the bin below it, and the next number to the one above, whatever a product is rounded to.
func TestBins(t *testing.T) {
	for bins := 1; bins <= 300; bins++ {
		task := binTask{bins: bins}
		if got := task.bin(0); got != 0 {
			t.Errorf("0 is in bin %d of %d", got, bins)
		}
		for i := range bins {
			low, high := float64(i)/float64(bins), float64(i+1)/float64(bins)
			if got := task.bin(math.Nextafter(low, 2)); got != i {
				t.Errorf("what follows %v is in bin %d of %d, want %d", low, got, bins, i)
			}
			if got := task.bin(high); got != i {
				t.Errorf("%v is in bin %d of %d, want %d", high, got, bins, i)
			}
		}
	}
}
