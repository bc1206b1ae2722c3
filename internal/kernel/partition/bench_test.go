package partition_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"boost/internal/cpu"
	"boost/internal/kernel/hist"
	"boost/internal/kernel/partition"
	"boost/internal/paired"
)

// BenchmarkBytes sets the vector form beside the Go form, over nodes that hold a share of
// a block's rows.
//
// Bound: an entry is read and written once, and half of them once more: 24 bytes in the
// second cache, about 0.4 ns at 2.5 GHz.
func BenchmarkBytes(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 0))
	codes := make([]uint8, hist.BlockRows)
	for i := range codes {
		codes[i] = uint8(r.Uint32N(255))
	}
	var left [256]uint8
	for c := range 100 {
		left[c] = 1
	}
	besideGo(b, r, []int{1, 2, 8, 32}, func(entries, scratch []uint64) { partition.Bytes(entries, codes, &left, scratch) })
}

// BenchmarkWords is BenchmarkBytes for codes of two bytes.
func BenchmarkWords(b *testing.B) {
	const nCodes = 5000
	r := rand.New(rand.NewPCG(9, 1))
	codes, left := make([]uint16, hist.BlockRows), make([]uint8, nCodes)
	for i := range codes {
		codes[i] = uint16(r.Uint32N(nCodes))
	}
	for c := range left {
		left[c] = uint8(r.IntN(2))
	}
	besideGo(b, r, []int{1, 4, 32}, func(entries, scratch []uint64) { partition.Words(entries, codes, left, scratch) })
}

// BenchmarkNibbles is BenchmarkBytes for codes of four bits.
func BenchmarkNibbles(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 2))
	codes := make([]uint8, hist.BlockRows/2)
	for i := range codes {
		codes[i] = uint8(r.Uint32())
	}
	left := [16]uint8{1, 0, 1, 1, 0, 0, 1}
	besideGo(b, r, []int{1, 4, 32}, func(entries, scratch []uint64) { partition.Nibbles(entries, codes, &left, scratch) })
}

// besideGo reports what dividing takes by each instruction set, with one row in so many of a
// block, and fails where vectors are slower than Go.
func besideGo(b *testing.B, r *rand.Rand, shares []int, divide func(entries, scratch []uint64)) {
	if cpu.Used() == cpu.Generic {
		b.Skip("this machine has no vector form")
	}
	for _, oneIn := range shares {
		b.Run(fmt.Sprintf("rows=1_in_%d", oneIn), func(b *testing.B) {
			var entries []uint64
			for row := range hist.BlockRows {
				if r.IntN(oneIn) == 0 {
					entries = append(entries, hist.Entry(int16(r.Uint32()), uint16(r.Uint32()), uint16(row)))
				}
			}
			work, scratch := make([]uint64, len(entries)), make([]uint64, len(entries))
			var sides []func()
			var used []cpu.Level
			for _, set := range sets {
				if set > cpu.Used() {
					continue
				}
				used = append(used, set)
				sides = append(sides, func() {
					defer partition.Use(set)()
					copy(work, entries)
					divide(work, scratch)
				})
			}
			var took []time.Duration
			for b.Loop() {
				took = paired.Times(time.Second, sides...)
			}
			for i, set := range used {
				b.ReportMetric(float64(took[i].Nanoseconds())/float64(len(entries)), "ns/entry_"+set.String())
				if took[i] > took[0] {
					b.Errorf("%v: %v, in Go %v", set, took[i], took[0])
				}
			}
		})
	}
}
