//go:build amd64 && !purego

package hist

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"boost/internal/paired"
)

// BenchmarkPairTiles is BenchmarkTiles for slots of two words, of which 16 features have 68 KB: as many
// codes as are drawn decide how many of them are in use.
//
// Bound: a write a cycle, 0.32 ns at 3.1 GHz; four instructions an update and some twenty a row.
func BenchmarkPairTiles(b *testing.B) {
	if !fetching {
		b.Skip()
	}
	for _, codes := range []uint32{16, 100, 255} {
		for _, features := range []int{28, 100} {
			for _, oneIn := range []int{1, 16} {
				b.Run(fmt.Sprintf("codes=%d/features=%d/rows=1_in_%d", codes, features, oneIn), func(b *testing.B) {
					pairTiles(b, codes, features, oneIn)
				})
			}
		}
	}
}

func pairTiles(b *testing.B, nCodes uint32, features, oneIn int) {
	defer func(tile func(features, used int) int) { pairTile = tile }(pairTile)
	r := rand.New(rand.NewPCG(6, 0))
	codes := make([]uint8, BlockRows*features)
	for i := range codes {
		codes[i] = uint8(r.Uint32N(nCodes))
	}
	grad, hess := make([]int32, BlockRows), make([]uint32, BlockRows)
	var entries []uint64
	for row := range BlockRows {
		grad[row], hess[row] = int32(r.Uint32()), r.Uint32()
		if r.IntN(oneIn) == 0 && len(entries) < 4096 {
			entries = append(entries, uint64(row)<<rowShift)
		}
	}
	sums := make([]Slot[int64, uint64], features*Slots)
	tiles := []int{8, 12, 16, 32}
	var sides []func()
	for _, n := range tiles {
		sides = append(sides, func() {
			pairTile = func(int, int) int { return n }
			TwoWordRows(sums, nil, codes, features, features, 0, grad, hess, entries)
		})
	}
	var took []time.Duration
	for b.Loop() {
		took = paired.Times(2*time.Second, sides...)
	}
	for i, n := range tiles {
		b.ReportMetric(float64(took[i].Nanoseconds())/float64(features*len(entries)), fmt.Sprintf("ns/tile_%d", n))
	}
}
