package partition_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"boost/benchmarks/paired"
	"boost/internal/kernel/hist"
	"boost/internal/kernel/partition"
)

// BenchmarkBytes sets the vector form beside the Go form, over nodes that hold a share of
// a block's rows.
//
// Bound: an entry is read and written once, and half of them once more: 24 bytes in the
// second cache, about 0.4 ns at 2.5 GHz.
func BenchmarkBytes(b *testing.B) {
	if !partition.UseGo(false) {
		b.Skip("this machine has no vector form")
	}
	defer partition.UseGo(false)
	const rows = hist.BlockRows
	r := rand.New(rand.NewPCG(9, 0))
	codes := make([]uint8, rows)
	for i := range codes {
		codes[i] = uint8(r.Uint32N(255))
	}
	var left [256]uint8
	for c := range 100 {
		left[c] = 1
	}
	for _, oneIn := range []int{1, 2, 8, 32} {
		b.Run(fmt.Sprintf("rows=1_in_%d", oneIn), func(b *testing.B) {
			var entries []uint64
			for row := range rows {
				if r.IntN(oneIn) == 0 {
					entries = append(entries, hist.Entry(int16(r.Uint32()), uint16(r.Uint32()), uint16(row)))
				}
			}
			work, scratch := make([]uint64, len(entries)), make([]uint64, len(entries))
			side := func(inGo bool) func() {
				return func() {
					partition.UseGo(inGo)
					copy(work, entries)
					partition.Bytes(work, codes, &left, scratch)
				}
			}
			var took []time.Duration
			for b.Loop() {
				took = paired.Times(time.Second, side(true), side(false))
			}
			b.ReportMetric(float64(took[0].Nanoseconds())/float64(len(entries)), "ns/entry_go")
			b.ReportMetric(float64(took[1].Nanoseconds())/float64(len(entries)), "ns/entry")
			if took[1] > took[0] {
				b.Errorf("%v, in Go %v", took[1], took[0])
			}
		})
	}
}

// BenchmarkWords is BenchmarkBytes for codes of two bytes.
func BenchmarkWords(b *testing.B) {
	if !partition.UseGo(false) {
		b.Skip("this machine has no vector form")
	}
	defer partition.UseGo(false)
	const rows, nCodes = hist.BlockRows, 5000
	r := rand.New(rand.NewPCG(9, 1))
	codes, left := make([]uint16, rows), make([]uint8, nCodes)
	for i := range codes {
		codes[i] = uint16(r.Uint32N(nCodes))
	}
	for c := range left {
		left[c] = uint8(r.IntN(2))
	}
	for _, oneIn := range []int{1, 4, 32} {
		b.Run(fmt.Sprintf("rows=1_in_%d", oneIn), func(b *testing.B) {
			var entries []uint64
			for row := range rows {
				if r.IntN(oneIn) == 0 {
					entries = append(entries, hist.Entry(int16(r.Uint32()), uint16(r.Uint32()), uint16(row)))
				}
			}
			work, scratch := make([]uint64, len(entries)), make([]uint64, len(entries))
			side := func(inGo bool) func() {
				return func() {
					partition.UseGo(inGo)
					copy(work, entries)
					partition.Words(work, codes, left, scratch)
				}
			}
			var took []time.Duration
			for b.Loop() {
				took = paired.Times(time.Second, side(true), side(false))
			}
			b.ReportMetric(float64(took[0].Nanoseconds())/float64(len(entries)), "ns/entry_go")
			b.ReportMetric(float64(took[1].Nanoseconds())/float64(len(entries)), "ns/entry")
			if took[1] > took[0] {
				b.Errorf("%v, in Go %v", took[1], took[0])
			}
		})
	}
}
