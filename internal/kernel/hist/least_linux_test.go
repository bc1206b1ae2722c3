package hist_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"boost/internal/cpu"
	"boost/internal/kernel/hist"
	"boost/internal/testenv"
)

// The least hessian of any number of entries, with every instruction set.
func TestLeastHess(t *testing.T) {
	defer hist.Use(cpu.Used())
	r := rand.New(rand.NewPCG(17, 0))
	for _, set := range []cpu.Level{cpu.Generic, cpu.AVX2, cpu.AVX512} {
		if set > cpu.Used() {
			continue
		}
		hist.Use(set)
		for n := 1; n < 200; n++ {
			entries := testenv.FencedLast[uint64](t, n)
			want := uint64(math.MaxUint16)
			low := uint64(r.IntN(65536))
			for i := range entries {
				h := low + r.Uint64N(65536-low)
				entries[i] = hist.Entry(int16(r.IntN(65536)-32768), uint16(h), uint16(i))
				want = min(want, h)
			}
			if got := hist.LeastHess(entries); got != want {
				t.Fatalf("%v: of %d entries %d, want %d", set, n, got, want)
			}
		}
	}
}
