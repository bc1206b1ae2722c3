package mesh_test

import (
	"math/rand/v2"
	"testing"

	"boost/internal/comm"
	"boost/internal/comm/commtest"
	"boost/internal/comm/mesh"
)

// Sums of small numbers take fewer bytes, and are the same as in 8 bytes: at the borders of each form, and where one value of a
// call does not fit.
func TestNarrowSums(t *testing.T) {
	const n = 40_000
	word := func(grad int32, hess uint32) uint64 { return uint64(int64(grad))<<32 + uint64(hess) }
	for _, test := range []struct {
		name  string
		value func(rng *rand.Rand) uint64
		odd   uint64  // instead of one of the values
		share float64 // of the bytes, at most
	}{
		{"16 bits", func(rng *rand.Rand) uint64 { return word(int32(rng.IntN(1<<16)-1<<15), uint32(rng.IntN(1<<16))) }, word(-1<<15, 1<<16-1), 0.5},
		{"24 bits", func(rng *rand.Rand) uint64 { return word(int32(rng.IntN(1<<24)-1<<23), uint32(rng.IntN(1<<24))) }, word(-1<<23, 1<<24-1), 0.75},
		{"numbers of 32", func(rng *rand.Rand) uint64 { return uint64(int64(int32(rng.Uint32()))) }, 1<<64 - 1<<31, 0.5},
		{"numbers of 48", func(rng *rand.Rand) uint64 { return uint64(int64(rng.Uint64()) >> 16) }, 1<<64 - 1<<47, 0.75},
		{"words", func(rng *rand.Rand) uint64 { return rng.Uint64() }, 1 << 63, 1},
		{"gradient above 16", func(*rand.Rand) uint64 { return word(-7, 9) }, word(1<<15, 0), 0.75},
		{"gradient below 16", func(*rand.Rand) uint64 { return word(7, 9) }, word(-1<<15-1, 0), 0.75},
		{"hessian above 16", func(*rand.Rand) uint64 { return word(-7, 9) }, word(0, 1<<16), 0.75},
		{"gradient above 24", func(*rand.Rand) uint64 { return word(-7, 9) }, word(1<<23, 0), 1},
		{"gradient below 24", func(*rand.Rand) uint64 { return word(7, 9) }, word(-1<<23-1, 0), 1},
		{"hessian above 24", func(*rand.Rand) uint64 { return word(1<<20, 9) }, word(0, 1<<24), 1},
		{"number above 32", func(*rand.Rand) uint64 { return 1<<31 - 1 }, 1 << 31, 0.75},
		{"number below 32", func(*rand.Rand) uint64 { return 1<<64 - 1 }, 1<<64 - 1<<31 - 1, 0.75},
		{"number above 48", func(*rand.Rand) uint64 { return 1<<47 - 1 }, 1 << 47, 1},
		{"number below 48", func(*rand.Rand) uint64 { return 1<<64 - 1<<40 - 1 }, 1<<64 - 1<<47 - 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, ranks := range []int{2, 3} {
				var own, parts [][]uint64
				want := make([]uint64, n)
				for r := range ranks {
					rng := rand.New(rand.NewPCG(uint64(r), 3))
					values := make([]uint64, n)
					for i := range values {
						values[i] = test.value(rng)
					}
					for i := 0; i < n; i += 1000 { // in every frame
						values[i] = test.odd
					}
					for i, v := range values {
						want[i] += v
					}
					own, parts = append(own, values), append(parts, append([]uint64{}, values...))
				}
				borders := []int{0, n / 5, n, n}[:ranks]
				borders = append(borders, n)
				var shares []comm.Part
				for r := range ranks {
					shares = append(shares, comm.Part{From: borders[r], To: borders[r+1]})
				}
				ends := connect(t, ranks, mesh.Options{Token: token, Narrow: true})
				for r, err := range commtest.Each(ends, func(c comm.Comm) error {
					if err := c.SumParts64(t.Context(), parts[c.Rank()], shares, nil); err != nil {
						return err
					}
					if sent, most := c.Stats().Sent, float64(8*n*(ranks-1)); float64(sent) > test.share*most+1e4 {
						t.Errorf("rank %d of %d sent %d bytes", c.Rank(), ranks, sent)
					}
					return c.Sum64(t.Context(), own[c.Rank()])
				}) {
					if err != nil {
						t.Errorf("rank %d: %v", r, err)
					}
				}
				for r := range ranks {
					for i := range want {
						if own[r][i] != want[i] {
							t.Fatalf("rank %d of %d: value %d is %#x, want %#x", r, ranks, i, own[r][i], want[i])
						}
					}
					for i := borders[r]; i < borders[r+1]; i++ {
						if parts[r][i] != want[i] {
							t.Fatalf("rank %d of %d: value %d of its part is %#x, want %#x", r, ranks, i, parts[r][i], want[i])
						}
					}
				}
				commtest.Each(ends, func(c comm.Comm) error { return c.Close() })
			}
		})
	}
}
