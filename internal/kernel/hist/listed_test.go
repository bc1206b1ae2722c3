package hist_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/kernel/hist"
)

// Lists of every length, in Go and in assembly, for passes that begin anywhere in the table.
func TestListed(t *testing.T) {
	defer hist.UseGo(false)
	r := rand.New(rand.NewPCG(4, 0))
	for _, inGo := range []bool{false, true} {
		hist.UseGo(inGo)
		for _, rows := range []int{1, 2, 63, 64, 65, 66, 700, hist.BlockRows} {
			const size, first = 500, 9
			l := hist.Listed{Starts: []uint32{0}, Size: size}
			for range rows + first {
				for range hist.ListStep * r.IntN(5) {
					l.Slots = append(l.Slots, uint16(r.IntN(size)))
				}
				l.Starts = append(l.Starts, uint32(len(l.Slots)))
			}
			for _, share := range []float64{0, 0.1, 1} {
				var entries []uint64
				want, total := make([]uint64, size), uint64(0)
				for row := range rows {
					if r.Float64() >= share && row+1 < rows {
						continue
					}
					grad, hess := int16(r.Uint32()), uint16(r.Uint32())
					word := uint64(int64(grad))<<32 + uint64(hess)
					entries = append(entries, uint64(uint32(int32(grad)))<<32|uint64(row)<<16|uint64(hess))
					total += word
					for _, slot := range l.Slots[l.Starts[first+row]:l.Starts[first+row+1]] {
						want[slot] += word
					}
				}
				sums := make([]uint64, size)
				if got := l.Add(sums, first, entries); got != total || !slices.Equal(sums, want) {
					t.Fatalf("%d of %d rows, in Go %v: total %#x, not %#x, or other sums", len(entries), rows, inGo, got, total)
				}
			}
		}
		for n := range 40 {
			words, want := make([]uint64, n), uint64(0)
			for i := range words {
				words[i] = r.Uint64()
				want += words[i]
			}
			if got := hist.Sum(words); got != want {
				t.Errorf("the sum of %d words is %#x, not %#x", n, got, want)
			}
		}
	}
}
