//go:build amd64 && !purego

package hist

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"boost/benchmarks/paired"
)

// Wherever in a cache line a row begins, a tile finds the lines of its codes fetched, by itself or
// by one before it; and nothing is fetched that the row does not have.
func TestFetched(t *testing.T) {
	for features := 1; features <= 700; features++ {
		tiles := (features + tileFeatures - 1) / tileFeatures
		for begin := range line {
			here := map[int]bool{}
			for f, tile := 0, 0; tile < tiles; tile++ {
				to := features * (tile + 1) / tiles
				if last := fetched(features, tile, to); last >= features || last >= 0 && last < f {
					t.Fatalf("tile %d, features %d to %d of %d, fetches up to %d", tile, f, to, features, last)
				} else if last >= 0 {
					here[(begin+f)/line], here[(begin+last)/line] = true, true
				}
				for ; f < to; f++ {
					if !here[(begin+f)/line] {
						t.Fatalf("tile %d needs feature %d of %d, whose line is not fetched where a row begins at byte %d", tile, f, features, begin)
					}
				}
			}
		}
	}
}

// BenchmarkTiles shows how many features a tile should have: the sums of 16 features take
// 34 KB, those of 500 a megabyte, in which most additions miss the first-level cache; the
// entries are gone through once for each tile.
//
// Bound: a write a cycle, 0.32 ns at 3.1 GHz; four and a half instructions an update and a
// dozen a row, of which four begin in a cycle, make it 0.41.
func BenchmarkTiles(b *testing.B) {
	if !fetching {
		b.Skip()
	}
	for _, features := range []int{28, 100, 500} {
		for _, oneIn := range []int{1, 16} {
			b.Run(fmt.Sprintf("features=%d/rows=1_in_%d", features, oneIn), func(b *testing.B) {
				defer func(n int) { tileFeatures = n }(tileFeatures)
				r := rand.New(rand.NewPCG(6, 0))
				codes := make([]uint8, BlockRows*features)
				for i := range codes {
					codes[i] = uint8(r.Uint32N(255))
				}
				var entries []uint64
				for row := range BlockRows {
					if r.IntN(oneIn) == 0 && len(entries) < 4096 {
						entries = append(entries, Entry(int16(r.Uint32()), uint16(r.Uint32()), uint16(row)))
					}
				}
				sums := make([]uint64, features*Slots)
				tiles := []int{8, 12, 16}
				var sides []func()
				for _, n := range tiles {
					sides = append(sides, func() {
						tileFeatures = n
						OneWordRows(sums, codes, features, features, entries, oneIn > 1)
					})
				}
				var took []time.Duration
				for b.Loop() {
					took = paired.Times(3*time.Second, sides...)
				}
				for i, n := range tiles {
					b.ReportMetric(float64(took[i].Nanoseconds())/float64(features*len(entries)), fmt.Sprintf("ns/tile_%d", n))
				}
			})
		}
	}
}
