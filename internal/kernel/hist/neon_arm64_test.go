//go:build !purego

package hist_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"boost/internal/kernel/hist"
	"boost/internal/paired"
)

// Comparing with the vectors of arm64 gives the sums that adding row by row gives.
func TestLowCardinalityNEON(t *testing.T) {
	defer hist.UseBest()
	hist.UseNEON(true)
	t.Run("naive", lowCardinalityEqualsNaive)
	t.Run("largest", lowCardinalityHoldsLargestSums)
}

// BenchmarkNEON takes turns with the Go forms.
//
// Bound: what is added up is read once, 8 bytes a word, what is taken apart moves 48 bytes a sum. A row of a column
// of k codes is (k-1)·0.6 instructions and one more.
func BenchmarkNEON(b *testing.B) {
	defer hist.UseBest()
	r := rand.New(rand.NewPCG(34, 0))
	const rows = 1 << 13
	entries := make([]uint64, rows)
	for row := range entries {
		entries[row] = hist.Entry(int16(r.Uint32()), uint16(r.Uint32()), uint16(row))
	}
	sums, grad, hess := make([]uint64, rows), make([]int64, rows), make([]uint64, rows)
	run := func(name string, inGo, inNEON func()) {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				took = paired.Times(time.Second, func() { hist.UseNEON(false); inGo() }, func() { hist.UseNEON(true); inNEON() })
			}
			b.ReportMetric(float64(took[0])/float64(took[1]), "x_go")
		})
	}
	total, unpack := func() { hist.Total(entries) }, func() { hist.Unpack(grad, hess, sums) }
	run("total", total, total)
	run("unpack", unpack, unpack)
	for _, k := range []int{2, 4, 6, 8} {
		var halves [4][]uint8
		var few [4][]uint64
		flat := new([64]uint64)
		for i := range halves {
			codes := make([]uint32, rows)
			for row := range codes {
				codes[row] = r.Uint32N(uint32(k))
			}
			halves[i], few[i] = nibbles(codes), make([]uint64, k)
		}
		f := &hist.LowCardinality{}
		run(fmt.Sprintf("codes=%d", k), func() { hist.OneWordNibbles4(flat, &halves, entries) }, func() { f.Nibbles(few[:], halves[:], entries) })
	}
}
