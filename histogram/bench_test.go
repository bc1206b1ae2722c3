package histogram_test

import (
	"math/rand/v2"
	"testing"

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
	st := d.storage(b, gradients.I16, pool)
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
