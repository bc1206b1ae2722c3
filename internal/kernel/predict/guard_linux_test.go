package predict_test

import (
	"math/rand/v2"
	"testing"

	"boost/internal/fence"
	"boost/internal/kernel/predict"
)

// Codes and scores end where memory may not be touched: a read or a write past their ends
// kills the test.
func TestTileStaysInItsSlices(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(43, 0))
		scores := (*[predict.TileRows]float64)(fence.Last[float64](t, predict.TileRows))
		for _, leaves := range []int{2, 31, 32, 33, 256} {
			var area predict.Area
			s, codes := newTile(r, leaves, func(n int) []uint8 { return fence.Last[uint8](t, n) })
			s.checkTile(t, r, codes, scores, &area)
		}
	})
}
