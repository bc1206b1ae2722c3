package histogram_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/paired"
	"boost/parallel"
)

// BenchmarkGenericKernel holds the builder's two generic loops to 0.95 of the speed of copies
// written by hand for the same types (S2.19): the one of one word for codes of 16 bits, the one of
// two words for codes of 32 bits and for floats.
//
// Bound: an update of one word reads a code and an entry, 9 bytes, of which four columns share the
// entry, and adds to a word; one of two words reads 8 bytes of gradient and hessian beside them
// and adds to two words of a slot, and to a count with floats.
//
// The same instructions take 3 or 4 cycles an update of two words on Zen 5 and on Intel, by where in a
// line of code the compiler and the linker put them. So equal copies stand in different places, and the
// fastest is compared with.
func BenchmarkGenericKernel(b *testing.B) {
	const rows, features, bar = 1 << 16, 32, 0.95
	nCodes := make([]uint32, features)
	for f := range nCodes {
		nCodes[f] = handCodes
	}
	d := newTable(b, 1, rows, nCodes, binning.Adaptive)
	pool := parallel.NewPool(1)
	defer pool.Close()
	columns := make([][]uint8, features)
	for f := range columns {
		columns[f] = d.matrix.Column(f).U8()
	}
	for _, c := range []struct {
		name   string
		mode   gradients.Mode
		byHand func(st *gradients.Storage, entries []uint64) []func()
	}{
		{"one_word", gradients.I16, func(_ *gradients.Storage, entries []uint64) []func() {
			return []func(){oneWordByHand(columns, entries, fourColumns), oneWordByHand(columns, entries, fourColumnsLater)}
		}},
		{"two_words/i32", gradients.I32, func(st *gradients.Storage, entries []uint64) []func() {
			return []func(){twoWordsByHand(columns, st, entries, intPairs), twoWordsByHand(columns, st, entries, intPairsAgain), twoWordsByHand(columns, st, entries, intPairsLater)}
		}},
		{"two_words/f32", gradients.F32, func(st *gradients.Storage, entries []uint64) []func() {
			return []func(){floatsByHand(columns, st, entries, floatPairs), floatsByHand(columns, st, entries, floatPairsAgain), floatsByHand(columns, st, entries, floatPairsLater)}
		}},
	} {
		b.Run("S2.19/"+c.name, func(b *testing.B) {
			st := d.storage(b, form{Mode: c.mode}, pool)
			runs := runsOf(st, d.sample(rand.New(rand.NewPCG(1, 0)), 1))
			builder := histogram.New(d.matrix, nil, pool, histogram.FeatureParallel) // the pass by columns, on one thread
			h := &histogram.Histogram{}
			sides := append([]func(){func() { builder.Build(h, st, runs) }}, c.byHand(st, runs[0].Entries)...)
			for b.Loop() {
				t := paired.Times(3*time.Second, sides...)
				ratio := slices.Min(t[1:]).Seconds() / t[0].Seconds()
				b.ReportMetric(1e9*t[0].Seconds()/(rows*features), "ns/update")
				b.ReportMetric(ratio, "x_by_hand")
				if ratio < bar {
					b.Errorf("the generic loop is %.3f times as fast as the one by hand, want %v: it takes %v, by hand %v", ratio, bar, t[0], t[1:])
				}
			}
		})
	}
}

// handCodes is the number of codes of each column of BenchmarkGenericKernel.
const handCodes = 255

// oneWordByHand is the builder's own pass: four columns at a time over all rows.
func oneWordByHand(columns [][]uint8, entries []uint64, add func(sums []uint64, codes [4][]uint8, entries []uint64)) func() {
	packed := make([]uint64, 4*handCodes)
	grad, hess := make([]int64, len(columns)*handCodes), make([]uint64, len(columns)*handCodes)
	return func() {
		clear(grad)
		clear(hess)
		for f := 0; f < len(columns); f += 4 {
			add(packed, [4][]uint8(columns[f:]), entries)
			for i, word := range packed {
				grad[f*handCodes+i] += int64(word) >> 32
				hess[f*handCodes+i] += word & 0xffffffff
				packed[i] = 0
			}
		}
	}
}

// twoWordsByHand is the same for codes of 32 bits: a column at a time into pairs of sums.
func twoWordsByHand(columns [][]uint8, st *gradients.Storage, entries []uint64, add func(sums []intPair, codes []uint8, grad []int32, hess []uint32, entries []uint64)) func() {
	pairs := make([]intPair, handCodes)
	grad, hess := make([]int64, len(columns)*handCodes), make([]uint64, len(columns)*handCodes)
	g, h := st.Codes32()
	return func() {
		clear(grad)
		clear(hess)
		for f, column := range columns {
			add(pairs, column, g, h, entries)
			for i := range pairs {
				grad[f*handCodes+i] += pairs[i].grad
				hess[f*handCodes+i] += pairs[i].hess
				pairs[i] = intPair{}
			}
		}
	}
}

// floatsByHand is the same for floats, in groups of 4,096 rows and with counts.
func floatsByHand(columns [][]uint8, st *gradients.Storage, entries []uint64, add func(sums []floatPair, counts []uint32, codes []uint8, grad, hess []float32, entries []uint64)) func() {
	const group = 4096
	pairs, counts := make([]floatPair, handCodes), make([]uint32, handCodes)
	grad, hess, count := make([]float64, len(columns)*handCodes), make([]float64, len(columns)*handCodes), make([]uint32, len(columns)*handCodes)
	g, h := st.Floats()
	return func() {
		clear(grad)
		clear(hess)
		clear(count)
		for f, column := range columns {
			for defaultBin := entries; len(defaultBin) > 0; defaultBin = defaultBin[min(group, len(defaultBin)):] {
				add(pairs, counts, column, g, h, defaultBin[:min(group, len(defaultBin))])
				for i := range pairs {
					grad[f*handCodes+i] += pairs[i].grad
					hess[f*handCodes+i] += pairs[i].hess
					count[f*handCodes+i] += counts[i]
					pairs[i], counts[i] = floatPair{}, 0
				}
			}
		}
	}
}

// sameCodes makes matrices that hold the same codes, of 0 … 14, in columns of 4, 8, 16 and
// 32 bits: as many codes are declared as need that width.
func sameCodes(t testing.TB, rows, features int) (d *table, matrices [4]*binning.Matrix) {
	t.Helper()
	nCodes := make([]uint32, features)
	for f := range nCodes {
		nCodes[f] = 15
	}
	d = newTable(t, 18, rows, nCodes, binning.Adaptive)
	for i, n := range []uint32{15, 200, 300, 66_000} {
		for f := range nCodes {
			nCodes[f] = n
		}
		m, err := binning.FromCodes(d.codes, nCodes, binning.Adaptive)
		if err != nil {
			t.Fatal(err)
		}
		if matrices[i] = m; m.FeatureInfo(0).Bits != widths[i] {
			t.Fatalf("%d codes are kept in %v", n, m.FeatureInfo(0).Bits)
		}
	}
	return d, matrices
}

var widths = [4]binning.Width{binning.U4, binning.U8, binning.U16, binning.U32}

// BenchmarkHistByWidth times a column-wise pass over the same codes in every width (S0.18).
// Two 4-bit codes have to be taken out of a byte; that may cost a tenth of the speed that
// whole bytes have.
func BenchmarkHistByWidth(b *testing.B) {
	const rows, features, bar = 1 << 19, 16, 0.9
	d, matrices := sameCodes(b, rows, features)
	pool := parallel.NewPool(1)
	defer pool.Close()
	st := d.storage(b, form{Mode: gradients.I16}, pool)
	runs := runsOf(st, d.sample(nil, 1))
	var sides []func()
	for _, m := range matrices {
		builder, h := histogram.New(m, nil, pool, histogram.FeatureParallel), &histogram.Histogram{}
		sides = append(sides, func() { builder.Build(h, st, runs) })
	}
	times := paired.Times(3*time.Second, sides...)
	for i, w := range widths {
		b.Run(fmt.Sprintf("S0.18/%v", w), func(b *testing.B) {
			for b.Loop() { // the widths took their turns above
			}
			ratio := times[1].Seconds() / times[i].Seconds()
			b.ReportMetric(1e9*times[i].Seconds()/(rows*features), "ns/update")
			b.ReportMetric(ratio, "x_U8")
			if w == binning.U4 && ratio < bar {
				b.Errorf("4-bit columns have %.2f of the rows a second of 8-bit ones, want %v", ratio, bar)
			}
		})
	}
}

// traffic is S2.29's model of the bytes that a pass over all rows reads: a code of one byte
// per cell, and a row's gradient and hessian once per cell by columns, once per row by rows.
func traffic(rows, features int, mode gradients.Mode, byRow bool) int64 {
	perRow := mode.BytesPerRow()
	if mode == gradients.F32 {
		perRow = 8 // the buffer's own
	}
	cells := int64(rows) * int64(features)
	if byRow {
		return cells + int64(rows)*perRow
	}
	return cells * (1 + perRow)
}

// BenchmarkHistBytes prints the model's bytes of a root pass over 1M × 100, and how many a
// second that is, for columns and rows (S2.29).
func BenchmarkHistBytes(b *testing.B) {
	const rows, features = 1_000_000, 100
	nCodes := make([]uint32, features)
	for f := range nCodes {
		nCodes[f] = 255
	}
	d := newTable(b, 1, rows, nCodes, binning.Adaptive)
	pool := parallel.NewPool(runtime.GOMAXPROCS(0))
	defer pool.Close()
	rowMajor := binning.NewRowMajor(d.matrix, d.byteColumns, pool)
	in := d.sample(nil, 1)
	for _, mode := range []gradients.Mode{gradients.F32, gradients.I16, gradients.I8, gradients.I4} {
		st := d.storage(b, form{Mode: mode}, pool)
		runs := runsOf(st, in)
		for _, side := range []struct {
			name    string
			byRow   bool
			builder *histogram.Builder
		}{
			{"columns", false, histogram.New(d.matrix, nil, pool, histogram.FeatureParallel)},
			{"rows", true, histogram.New(d.matrix, rowMajor, pool, histogram.RowParallel)},
		} {
			b.Run(fmt.Sprintf("1Mx100/S2.29/%v/%s", mode, side.name), func(b *testing.B) {
				h, bytes := &histogram.Histogram{}, traffic(rows, features, mode, side.byRow)
				for b.Loop() {
					t := paired.Times(time.Second, func() { side.builder.Build(h, st, runs) })
					b.ReportMetric(float64(bytes)/1e6, "MB")
					b.ReportMetric(float64(bytes)/1e9/t[0].Seconds(), "GB/s")
				}
			})
		}
	}
}

// BenchmarkHistRowMajor sets the row-wise pass (S1.14) beside the column-wise one, on the
// root and on a node that holds one row in 32.
//
// Its bound: an update is one load of a code and one read-modify-write of a slot in the
// first two cache levels. In the root the codes stream past in both, and both make an
// update in about the same time, 0.3 to 0.7 ns by machine: there the row-wise pass may
// not be slower than 0.6 of the column-wise one. In the node a column-wise pass fetches a
// cache line for each code of a row, the row-wise one a line for 64 of them: that
// is what the row-major copy is for, and it has to be the faster one there.
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
		byRow := histogram.New(d.matrix, binning.NewRowMajor(d.matrix, d.byteColumns, pool), pool, histogram.RowParallel)
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

type intPair struct {
	grad int64
	hess uint64
}

type floatPair struct{ grad, hess float64 }

// The order of these functions puts the second ones half a line of 64 bytes from the first, and the
// look at the entries puts the loops of the later ones some bytes on.

func intPairs(sums []intPair, codes []uint8, grad []int32, hess []uint32, entries []uint64) {
	grad, hess = grad[:len(codes)], hess[:len(codes)]
	for _, e := range entries {
		row := int(uint16(e >> 16))
		s := &sums[codes[row]]
		s.grad += int64(grad[row])
		s.hess += uint64(hess[row])
	}
}

func floatPairs(sums []floatPair, counts []uint32, codes []uint8, grad, hess []float32, entries []uint64) {
	grad, hess = grad[:len(codes)], hess[:len(codes)]
	counts = counts[:len(sums)]
	for _, e := range entries {
		row := int(uint16(e >> 16))
		c := codes[row]
		s := &sums[c]
		s.grad += float64(grad[row])
		s.hess += float64(hess[row])
		counts[c]++
	}
}

func intPairsAgain(sums []intPair, codes []uint8, grad []int32, hess []uint32, entries []uint64) {
	grad, hess = grad[:len(codes)], hess[:len(codes)]
	for _, e := range entries {
		row := int(uint16(e >> 16))
		s := &sums[codes[row]]
		s.grad += int64(grad[row])
		s.hess += uint64(hess[row])
	}
}

func floatPairsAgain(sums []floatPair, counts []uint32, codes []uint8, grad, hess []float32, entries []uint64) {
	grad, hess = grad[:len(codes)], hess[:len(codes)]
	counts = counts[:len(sums)]
	for _, e := range entries {
		row := int(uint16(e >> 16))
		c := codes[row]
		s := &sums[c]
		s.grad += float64(grad[row])
		s.hess += float64(hess[row])
		counts[c]++
	}
}

func fourColumnsLater(sums []uint64, codes [4][]uint8, entries []uint64) {
	if len(entries) == 0 {
		return
	}
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

func intPairsLater(sums []intPair, codes []uint8, grad []int32, hess []uint32, entries []uint64) {
	if len(entries) == 0 {
		return
	}
	grad, hess = grad[:len(codes)], hess[:len(codes)]
	for _, e := range entries {
		row := int(uint16(e >> 16))
		s := &sums[codes[row]]
		s.grad += int64(grad[row])
		s.hess += uint64(hess[row])
	}
}

func floatPairsLater(sums []floatPair, counts []uint32, codes []uint8, grad, hess []float32, entries []uint64) {
	if len(entries) == 0 {
		return
	}
	grad, hess = grad[:len(codes)], hess[:len(codes)]
	counts = counts[:len(sums)]
	for _, e := range entries {
		row := int(uint16(e >> 16))
		c := codes[row]
		s := &sums[c]
		s.grad += float64(grad[row])
		s.hess += float64(hess[row])
		counts[c]++
	}
}
