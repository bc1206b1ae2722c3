package metrics

import (
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
