package hist_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"boost/internal/kernel/hist"
	"boost/internal/paired"
)

// BenchmarkRowsAhead sets rows that are fetched ahead beside the Go forms, over nodes
// that hold a share of 1,000,000 rows of 28 features, a block at a time.
//
// Bound: an update writes a word, one a cycle: 0.4 ns at 2.5 GHz. A row of a sparse
// node is one or two cache lines from memory, of which about ten are under way at
// once: 80 ns / 10 for 28 updates. The assembly has to be the faster one everywhere.
func BenchmarkRowsAhead(b *testing.B) {
	const features, stride, blocks = 28, 28, 16
	r := rand.New(rand.NewPCG(6, 0))
	codes := make([]uint8, blocks*hist.BlockRows*stride)
	for i := range codes {
		codes[i] = uint8(r.Uint32N(255))
	}
	defer hist.UseGo(false)
	for _, oneIn := range []int{1, 2, 8, 32, 128} {
		b.Run(fmt.Sprintf("rows=1_in_%d", oneIn), func(b *testing.B) {
			var entries [blocks][]uint64
			updates := 0
			for i := range entries {
				for row := range hist.BlockRows {
					if r.IntN(oneIn) == 0 {
						entries[i] = append(entries[i], hist.Entry(int16(r.Uint32()), uint16(r.Uint32()), uint16(row)))
					}
				}
				updates += features * len(entries[i])
			}
			sums := make([]uint64, features*hist.Slots)
			var took [3][blocks]time.Duration
			side := func(way int) {
				hist.UseGo(way < 2)
				for i, e := range entries {
					start := time.Now()
					hist.OneWordRows(sums, codes[i*hist.BlockRows*stride:], stride, features, e, way == 1 || way == 2 && oneIn > 2)
					if t := time.Since(start); took[way][i] == 0 || t < took[way][i] {
						took[way][i] = t
					}
				}
			}
			for b.Loop() {
				paired.Times(2*time.Second, func() { side(0) }, func() { side(1) }, func() { side(2) })
			}
			var perUpdate [3]float64
			for way := range took {
				for _, t := range took[way] {
					perUpdate[way] += float64(t.Nanoseconds()) / float64(updates)
				}
			}
			b.ReportMetric(perUpdate[0], "ns/update_go")
			b.ReportMetric(perUpdate[1], "ns/update_go_scattered")
			b.ReportMetric(perUpdate[2], "ns/update")
			if best := min(perUpdate[0], perUpdate[1]); perUpdate[2] > best {
				b.Errorf("%.2f ns an update, %.2f in Go", perUpdate[2], best)
			}
		})
	}
}

// BenchmarkWords sets both forms of a column of two-byte codes beside each other.
func BenchmarkWords(b *testing.B) {
	r := rand.New(rand.NewPCG(8, 0))
	defer hist.UseGo(false)
	for _, nCodes := range []uint32{300, 10_000} {
		for _, oneIn := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("codes=%d/rows=1_in_%d", nCodes, oneIn), func(b *testing.B) {
				codes := make([]uint16, hist.BlockRows)
				var entries []uint64
				for row := range codes {
					if codes[row] = uint16(r.Uint32N(nCodes)); r.IntN(oneIn) == 0 {
						entries = append(entries, hist.Entry(int16(r.Uint32()), uint16(r.Uint32()), uint16(row)))
					}
				}
				sums := make([]uint64, nCodes)
				side := func(inGo bool) func() {
					return func() {
						hist.UseGo(inGo)
						hist.OneWordWords(sums, codes, entries)
					}
				}
				var took []time.Duration
				for b.Loop() {
					took = paired.Times(time.Second, side(true), side(false))
				}
				b.ReportMetric(float64(took[0].Nanoseconds())/float64(len(entries)), "ns/entry_go")
				b.ReportMetric(float64(took[1].Nanoseconds())/float64(len(entries)), "ns/entry")
			})
		}
	}
}

// BenchmarkPack sets entries that are made and added up by vectors, and sums of floats of their
// rows, beside the Go forms, a block at a time.
//
// Bound: 12 bytes an entry to make one and 8 to add it up, in the second cache; with codes of 32 bits 8
// to make it, without them, and 8 of codes to add up.
func BenchmarkPack(b *testing.B) {
	r := rand.New(rand.NewPCG(73, 0))
	grad, hess, entries := make([]int16, hist.BlockRows), make([]uint16, hist.BlockRows), make([]uint64, hist.BlockRows)
	for i := range grad {
		grad[i], hess[i] = int16(r.Uint32()), uint16(r.Uint32())
	}
	packed := make([]uint16, hist.BlockRows)
	gradF, hessF := make([]float32, hist.BlockRows), make([]float32, hist.BlockRows)
	for i := range packed {
		packed[i], gradF[i], hessF[i] = uint16(r.Uint32()), float32(r.NormFloat64()), r.Float32()
	}
	grad32, hess32 := make([]int32, hist.BlockRows), make([]uint32, hist.BlockRows)
	for i := range grad32 {
		grad32[i], hess32[i] = int32(r.Uint32()), r.Uint32()
	}
	forms := []struct {
		name  string
		oneIn int
		run   func(entries []uint64)
	}{
		{"codes of 16 bits", 1, func(entries []uint64) { hist.Pack(entries, grad, hess); hist.Total(entries) }},
		{"codes of 8 bits", 1, func(entries []uint64) { hist.Pack8(entries, nil, packed); hist.Total(entries) }},
		{"codes of 32 bits", 1, func(entries []uint64) { hist.PackIndex(entries, nil); hist.TotalCodes(entries, grad32, hess32) }},
		{"floats of all rows", 1, func(entries []uint64) { hist.SumFloats(entries, gradF, hessF, 1<<20, 1<<20) }},
		{"floats of 1 row in 8", 8, func(entries []uint64) { hist.SumFloats(entries, gradF, hessF, 1<<20, 1<<20) }},
	}
	defer hist.PackInGo(false)
	for _, f := range forms {
		b.Run(f.name, func(b *testing.B) {
			hist.Pack(entries, grad, hess)
			n := len(entries) / f.oneIn
			for i := range n {
				entries[i] = entries[i*f.oneIn]
			}
			side := func(inGo bool) func() {
				return func() {
					hist.PackInGo(inGo)
					f.run(entries[:n])
				}
			}
			var took []time.Duration
			for b.Loop() {
				took = paired.Times(time.Second, side(true), side(false))
			}
			b.ReportMetric(float64(took[0].Nanoseconds())/float64(n), "ns/entry_go")
			b.ReportMetric(float64(took[1].Nanoseconds())/float64(n), "ns/entry")
		})
	}
}

// BenchmarkCounts sets both forms of counting beside each other, for nodes of some entries: of
// codes that are drawn, and of one code.
//
// Bound: three instructions an entry for a byte and eight for half of one, a write a cycle.
func BenchmarkCounts(b *testing.B) {
	defer hist.UseGo(false)
	for _, nibbles := range []bool{false, true} {
		for _, nCodes := range []uint32{1, 16, 200} {
			for _, n := range []int{50, 100, 250, 500, 2000, 10_000, 60_000} {
				if nibbles && nCodes > 16 {
					continue
				}
				b.Run(fmt.Sprintf("nibbles=%v/codes=%d/entries=%d", nibbles, nCodes, n), func(b *testing.B) {
					counts(b, nibbles, nCodes, n)
				})
			}
		}
	}
}

func counts(b *testing.B, nibbles bool, nCodes uint32, n int) {
	r := rand.New(rand.NewPCG(8, 0))
	codes, counts := make([]uint8, hist.BlockRows), make([]uint32, max(nCodes, 16))
	for row := range codes {
		if codes[row] = uint8(r.Uint32N(nCodes)); nibbles {
			codes[row] |= uint8(r.Uint32N(nCodes)) << 4
		}
	}
	entries := make([]uint64, n)
	for i := range entries {
		entries[i] = hist.Entry(0, 0, uint16(i*hist.BlockRows/n))
	}
	side := func(inGo bool) func() {
		return func() {
			hist.UseGo(inGo)
			for range 1 + 10_000/n {
				if nibbles {
					hist.CountNibbles(counts, codes, entries)
				} else {
					hist.CountColumn(counts, codes, entries)
				}
			}
		}
	}
	var took []time.Duration
	for b.Loop() {
		took = paired.Times(200*time.Millisecond, side(true), side(false))
	}
	for i, unit := range []string{"ns/entry_go", "ns/entry"} {
		b.ReportMetric(float64(took[i].Nanoseconds())/float64(n*(1+10_000/n)), unit)
	}
}
