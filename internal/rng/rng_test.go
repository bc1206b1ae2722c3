package rng_test

import (
	"testing"

	"boost/internal/rng"
)

// Golden values of S2.13.
func TestS2_13(t *testing.T) {
	t.Run("S2.13/keys_and_draws", func(t *testing.T) {
		keys := []struct {
			seed, iteration, output, want uint64
		}{
			{42, 0, 0, 0x57e1faba65107204},
			{42, 1, 0, 0xf4abd143feb24055},
			{42, 0, 1, 0xdcfccfe89d85aba0},
		}
		for _, k := range keys {
			if got := rng.Key(k.seed, rng.Rounding, k.iteration, k.output); got != k.want {
				t.Errorf("Key(%d,%d,%d) = %016x, want %016x", k.seed, k.iteration, k.output, got, k.want)
			}
		}
		draws := []uint64{0x6310bf04d8207f46, 0xebdb7216a4ffed50, 0x15471cce9858769b, 0x9a7e5c0b8be62326}
		for row, want := range draws {
			if got := rng.Draw(keys[0].want, uint64(row)); got != want {
				t.Errorf("Draw(row %d) = %016x, want %016x", row, got, want)
			}
		}
	})
}
