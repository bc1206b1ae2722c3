package hist_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/kernel/hist"
)

// Both forms count the rows of a whole block, of one code and of any, and add to what is there.
func TestCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 0))
	hist.EachForm(func(form string) {
		for _, nCodes := range []uint32{1, 2, 16, 17, 255, 256} {
			for _, n := range []int{0, 1, 300, 5000, hist.BlockRows - 1, hist.BlockRows} {
				bytes, entries := make([]uint8, hist.BlockRows), make([]uint64, n)
				hist.PackIndex(entries, nil)
				want := make([]uint32, max(nCodes, 16))
				for i := range want {
					want[i] = r.Uint32() // a count begins anywhere, modulo 2³²
				}
				counts := slices.Clone(want)
				for row := range bytes {
					if bytes[row] = uint8(r.Uint32N(nCodes)); row < n {
						want[bytes[row]]++
					}
				}
				hist.CountColumn(counts, bytes, entries)
				if !slices.Equal(counts, want) {
					t.Errorf("%s: %d bytes below %d count %v, want %v", form, n, nCodes, counts, want)
				}
				if nCodes > 16 {
					continue
				}
				halves := make([]uint8, hist.BlockRows/2)
				for row, c := range bytes {
					if halves[row/2] |= c << (4 * (row % 2)); row < n {
						want[c]++
					}
				}
				hist.CountNibbles(counts, halves, entries)
				if !slices.Equal(counts, want) {
					t.Errorf("%s: %d nibbles below %d count %v, want %v", form, n, nCodes, counts, want)
				}
			}
		}
	})
}
