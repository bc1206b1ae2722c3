//go:build amd64 && !purego

package hist

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"boost/internal/paired"
)

// Wherever in a cache line a row begins, a tile finds the lines of its codes fetched, by itself or
// by one before it; and nothing is fetched that the row does not have.
func TestFetched(t *testing.T) {
	for _, most := range []int{tileFeatures, 21, 31, mostPairTile} {
		for features := 1; features <= 700; features++ {
			for begin := range line {
				checkFetched(t, features, most, begin)
			}
		}
	}
}

func checkFetched(t *testing.T, features, most, begin int) {
	here := map[int]bool{}
	for part := (tile{features: features, most: most}); part.next(); {
		const enough = 2 * fetchAhead
		_, fetching, width := part.ahead(enough, enough)
		last := part.from + int(width)
		if last >= features || fetching > enough-fetchAhead {
			t.Fatalf("%+v: %d rows are fetched up to feature %d", part, fetching, last)
		}
		if fetching > 0 {
			here[(begin+part.from)/line], here[(begin+last)/line] = true, true
		}
		for f := part.from; f < part.to; f++ {
			if !here[(begin+f)/line] {
				t.Fatalf("%+v needs feature %d, whose line is not fetched where a row begins at byte %d", part, f, begin)
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
