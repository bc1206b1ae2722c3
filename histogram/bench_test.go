package histogram_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"boost/benchmarks/paired"
	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/parallel"
)

// BenchmarkGenericKernel sets the generic one-word loop beside a copy written by hand
// for the same types (S2.19): the generic one should reach 0.95 of its speed.
func BenchmarkGenericKernel(b *testing.B) {
	const rows, features = 1 << 16, 32
	nCodes := make([]uint32, features)
	for f := range nCodes {
		nCodes[f] = 255
	}
	d := newTable(b, 1, rows, nCodes, binning.Adaptive)
	pool := parallel.NewPool(1)
	defer pool.Close()
	st := d.storage(b, form{Mode: gradients.I16}, pool)
	runs := runsOf(st, d.sample(rand.New(rand.NewPCG(1, 0)), 1))
	builder := histogram.New(d.matrix, nil, pool, histogram.FeatureParallel)
	h := &histogram.Histogram{}
	b.Run("loop=generic", func(b *testing.B) {
		for b.Loop() {
			builder.Build(h, st, runs)
		}
		perUpdate(b, rows*features)
	})
	b.Run("loop=by_hand", func(b *testing.B) {
		packed := make([]uint64, 4*255)
		grad, hess := make([]int64, features*255), make([]uint64, features*255)
		for b.Loop() {
			clear(grad)
			clear(hess)
			// The builder's own pass: four columns at a time over all rows.
			for f := 0; f < features; f += 4 {
				fourColumns(packed, [4][]uint8{
					d.matrix.Column(f).U8(), d.matrix.Column(f + 1).U8(), d.matrix.Column(f + 2).U8(), d.matrix.Column(f + 3).U8(),
				}, runs[0].Entries)
				for i, word := range packed {
					grad[f*255+i] += int64(word) >> 32
					hess[f*255+i] += word & 0xffffffff
					packed[i] = 0
				}
			}
		}
		perUpdate(b, rows*features)
	})
}

// BenchmarkHistRowMajor sets the row-wise pass (S1.14) beside the column-wise one, on the
// root and on a node that holds one row in 32.
//
// Its bound: an update is one load of a code and one read-modify-write of a slot in the
// first two cache levels. In the root the codes stream past in both, and both make an
// update in about the same time, 0.3 to 0.7 ns by machine: there the row-wise pass may
// not be slower than 0.6 of the column-wise one. In the node a column-wise pass fetches a
// cache line for each code of a row, the row-wise one a line for 64 of them: that
// is what the mirror is for, and it has to be the faster one there.
func BenchmarkHistRowMajor(b *testing.B) {
	const rows, features = 1_000_000, 100
	nCodes := make([]uint32, features)
	for f := range nCodes {
		nCodes[f] = 255
	}
	d := newTable(b, 1, rows, nCodes, binning.Adaptive)
	cores := runtime.GOMAXPROCS(0)
	for _, threads := range slices.Compact([]int{1, cores}) {
		pool := parallel.NewPool(threads)
		defer pool.Close()
		st := d.storage(b, form{Mode: gradients.I16}, pool)
		byRow := histogram.New(d.matrix, binning.NewRowMajor(d.matrix, d.mirrored, pool), pool, histogram.RowParallel)
		byColumn := histogram.New(d.matrix, nil, pool, histogram.FeatureParallel)
		for _, node := range []struct {
			name       string
			share, bar float64
		}{{"root", 1, 0.6}, {"one_in_32", 1.0 / 32, 1}} {
			runs := runsOf(st, d.sample(rand.New(rand.NewPCG(1, 0)), node.share))
			updates := 0
			for _, r := range runs {
				updates += len(r.Entries) * features
			}
			h := &histogram.Histogram{}
			b.Run(fmt.Sprintf("1Mx100/S1.14/threads=%d/%s", threads, node.name), func(b *testing.B) {
				for b.Loop() {
					t := paired.Times(3*time.Second, func() { byColumn.Build(h, st, runs) }, func() { byRow.Build(h, st, runs) })
					column, row := t[0].Seconds(), t[1].Seconds()
					b.ReportMetric(1e9*row/float64(updates), "ns/update")
					b.ReportMetric(1e9*column/float64(updates), "ns/update_by_column")
					b.ReportMetric(column/row, "x_by_column")
					if column/row < node.bar {
						b.Errorf("row-wise is %.2f times as fast as column-wise, want %.2f", column/row, node.bar)
					}
				}
			})
		}
	}
}

// fourColumns is the loop for byte codes and 64-bit words, without type parameters.
func fourColumns(sums []uint64, codes [4][]uint8, entries []uint64) {
	s0, s1, s2, s3 := sums[:255], sums[255:510], sums[510:765], sums[765:1020]
	c0 := codes[0]
	c1, c2, c3 := codes[1][:len(c0)], codes[2][:len(c0)], codes[3][:len(c0)]
	for _, e := range entries {
		row := int(uint16(e >> 16))
		word := e &^ 0xffff0000
		s0[c0[row]] += word
		s1[c1[row]] += word
		s2[c2[row]] += word
		s3[c3[row]] += word
	}
}

func perUpdate(b *testing.B, updates int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(updates), "ns/update")
}
