package predict_test

import (
	"math/rand/v2"
	"testing"

	"boost/internal/cpu"
	"boost/internal/fence"
	"boost/internal/kernel/predict"
)

// Codes and scores end where memory may not be touched: a read or a write past their ends
// kills the test.
func TestTileStaysInItsSlices(t *testing.T) {
	everySet(t, func(t *testing.T, set cpu.Level) {
		r := rand.New(rand.NewPCG(43, 0))
		scores := (*[predict.TileRows]float64)(fence.Last[float64](t, predict.TileRows))
		for _, leaves := range []int{2, 31, 32, 33, 256} {
			var area predict.Area
			s, codes := newTile(r, leaves, func(n int) []uint8 { return fence.Last[uint8](t, n) })
			s.checkTile(t, set, r, codes, scores, &area)
		}
	})
}

// The values of a row end where memory may not be touched.
func TestRowStaysInItsSlices(t *testing.T) {
	everySet(t, func(t *testing.T, set cpu.Level) {
		r := rand.New(rand.NewPCG(44, 0))
		for _, features := range []int{1, 28, 32, 33, 128} {
			s := newRowScene(t, r, features, 70, 31, 2)
			values := fence.Last[float64](t, features)
			for range 20 {
				s.draw(r, values, true)
				s.check(t, set, r, values, 2)
			}
		}
	})
}
