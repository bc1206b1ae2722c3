package histogram_test

import (
	"testing"

	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/parallel"
)

// Float sums lose what is too small beside others: a slot without rows holds exactly 0 after
// sibling subtraction all the same.
func TestNoResidue(t *testing.T) {
	t.Run("S2.25/f32", func(t *testing.T) {
		pool := parallel.NewPool(1)
		defer pool.Close()
		// 2⁶⁰ + 1 is 2⁶⁰ in a float64, whose last bit is worth 2⁸ there.
		m, err := binning.FromCodes([][]uint32{{0, 0, 1}}, []uint32{2}, binning.Adaptive)
		if err != nil {
			t.Fatal(err)
		}
		st := gradients.NewStorage(3, gradients.Settings{Mode: gradients.F32})
		if _, err := st.Quantize(pool, []float32{1 << 60, 1, 3}, []float32{1 << 60, 1, 5}, nil, 0, 0); err != nil {
			t.Fatal(err)
		}
		b := histogram.New(m, nil, pool, histogram.Sequential)
		built := func(rows ...uint32) *histogram.Histogram {
			h := &histogram.Histogram{}
			b.Build(h, st, runsOf(st, rows))
			return h
		}
		check := func(rows string, h *histogram.Histogram, want [2]slot) {
			t.Helper()
			for code, w := range want {
				if got := slotAt(h, st, code); got != w {
					t.Errorf("rows %s, code %d: %+v, want %+v", rows, code, got, w)
				}
			}
		}
		h := built(0, 1, 2)
		check("0, 1, 2", h, [2]slot{{gradF: 1 << 60, hessF: 1 << 60, count: 2}, {gradF: 3, hessF: 5, count: 1}})
		h.SubtractRange(built(0), st, 0, 2)
		check("1, 2", h, [2]slot{{count: 1}, {gradF: 3, hessF: 5, count: 1}}) // the 1 is lost
		h.SubtractRange(built(1), st, 0, 2)
		check("2", h, [2]slot{{}, {gradF: 3, hessF: 5, count: 1}}) // without more, −1
	})
}
