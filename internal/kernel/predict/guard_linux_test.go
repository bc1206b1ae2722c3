package predict_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"boost/internal/cpu"
	"boost/internal/kernel/predict"
	"boost/internal/testenv"
)

// Codes and scores begin or end where memory may not be touched: a read or a write past their
// ends kills the test.
func TestTileStaysInItsSlices(t *testing.T) {
	everySet(t, func(t *testing.T, set cpu.Level) {
		r := rand.New(rand.NewPCG(43, 0))
		for _, side := range []struct {
			codes  func(testing.TB, int) []uint8
			scores func(testing.TB, int) []float64
		}{{testenv.FencedFirst[uint8], testenv.FencedFirst[float64]}, {testenv.FencedLast[uint8], testenv.FencedLast[float64]}} {
			scores := (*[predict.TileRows]float64)(side.scores(t, predict.TileRows))
			for _, leaves := range []int{2, 31, 32, 33, 256} {
				var area predict.Area
				s, codes := newTile(r, leaves, func(n int) []uint8 { return side.codes(t, n) })
				s.checkTile(t, set, r, codes, scores, &area)
			}
		}
	})
}

// Columns of 4 and 8 bits end where memory may not be touched, and so does what they are written to.
func TestColumnBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 0))
	for _, rows := range []int{1, 2, 31, 32, 33, 63, 64, 65, 127, 511, 512, 513, 1000} {
		halves, whole := testenv.FencedLast[byte](t, (rows+1)/2), testenv.FencedLast[uint8](t, rows)
		for i := range whole {
			whole[i] = uint8(r.Uint32N(16))
			halves[i/2] = halves[i/2]&(0xF<<(4*((i+1)%2))) | whole[i]<<(4*(i%2))
		}
		for _, lo := range []int{0, rows / 4 * 2} {
			for _, c := range []predict.Column{{Bits: 4, U4: halves}, {Bits: 8, U8: whole}} {
				got := testenv.FencedLast[uint8](t, rows-lo)
				c.Bytes(lo, got)
				if !bytes.Equal(got, whole[lo:]) {
					t.Fatalf("%d rows of %d bits from row %d: %v, want %v", rows, c.Bits, lo, got, whole[lo:])
				}
			}
		}
	}
}

// The values of a row begin and end where memory may not be touched.
func TestRowStaysInItsSlices(t *testing.T) {
	everySet(t, func(t *testing.T, set cpu.Level) {
		r := rand.New(rand.NewPCG(44, 0))
		for try := range 6 {
			for _, features := range []int{1, 7, 8, 9, 15, 16, 17, 28, 32, 33, 128} {
				s := newRowScene(t, r, features, 70, 31, 2)
				if try == 0 {
					s.scatter(t, r, 0, 2)
				}
				for _, values := range [][]float64{testenv.FencedFirst[float64](t, features), testenv.FencedLast[float64](t, features)} {
					for range 5 {
						s.draw(r, values, true)
						s.check(t, set, r, values, 2)
					}
				}
			}
		}
	})
}

// The codes stand where memory may not be touched before and behind them.
func TestCodesStayInTheirSlices(t *testing.T) {
	everySet(t, func(t *testing.T, set cpu.Level) {
		for _, codes := range [][]uint8{testenv.FencedFirst[uint8](t, predict.RowFeatures), testenv.FencedLast[uint8](t, predict.RowFeatures)} {
			for _, features := range []int{1, 16, 17, 128} {
				s := newCodeScene(t, features, make([]int, features), true)
				s.check(t, set, make([]float64, s.width), codes)
			}
		}
	})
}
