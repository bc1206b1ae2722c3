package hist_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"boost/benchmarks/paired"
	"boost/internal/cpu"
	"boost/internal/kernel/hist"
	"boost/internal/need"
)

// needComparing skips a test where columns of few codes are not compared.
func needComparing(t testing.TB) {
	t.Helper()
	need.Vectors(t, cpu.AVX512)
	if !cpu.DotProducts() {
		t.Skip("this machine sums no products of bytes")
	}
}

// checkFew adds up a block by comparing, what that leaves by the Go forms, and compares with
// the reference. It returns how many entries were left.
func checkFew(t *testing.T, name string, f *hist.Few, b *block, entries []uint64, columns [][]uint8, nibbles bool, nCodes []int) (left int) {
	t.Helper()
	var sums [][]uint64
	for range columns {
		s := make([]uint64, hist.MostFew+1)
		sums = append(sums, s)
	}
	own := make([][]uint64, len(sums))
	for i, s := range sums {
		own[i] = s[:nCodes[i]:nCodes[i]]
	}
	add := f.Bytes
	if nibbles {
		add = f.Nibbles
	}
	rest := add(own, columns, entries)
	for i, s := range sums {
		for code, word := range s[nCodes[i]:] {
			if word != 0 {
				t.Fatalf("%s: the sum of code %d of %d is touched", name, nCodes[i]+code, nCodes[i])
			}
		}
		if nibbles {
			hist.OneWordNibbles(s, columns[i], rest)
		} else {
			hist.OneWordColumn(s, columns[i], rest)
		}
		checkPacked(t, fmt.Sprintf("%s, column %d", name, i), s, b.naive(i))
	}
	return len(rest)
}

// fewBlock draws a block with columns of the given numbers of codes, of which the rows
// lo … hi-1 are in the node.
func fewBlock(r *rand.Rand, n, lo, hi int, nCodes []int) *block {
	b := randomBlock(r, n, 0, 1, 0)
	for row := lo; row < hi; row++ {
		b.rows = append(b.rows, uint16(row))
	}
	for _, k := range nCodes {
		codes := make([]uint32, n)
		for i := range codes {
			codes[i] = r.Uint32N(uint32(k))
		}
		b.codes = append(b.codes, codes)
	}
	return b
}

// Comparing gives the sums that adding row by row gives, for every number of codes and
// columns, and any rows that follow each other.
func TestFewEqualsNaive(t *testing.T) {
	needComparing(t)
	r := rand.New(rand.NewPCG(31, 0))
	f := &hist.Few{}
	for try := range 200 {
		var nCodes []int
		for range 1 + r.IntN(4) {
			nCodes = append(nCodes, 1+(try+r.IntN(2))%hist.MostFew)
		}
		n := 2000 + r.IntN(4000)
		lo := r.IntN(500)
		b := fewBlock(r, n, lo, n-r.IntN(200), nCodes)
		if try%5 == 0 { // the largest codes there are
			for i := range b.grad {
				b.grad[i], b.hess[i] = -32768, 65535
			}
		}
		entries := b.entries()
		var halves, bytes [][]uint8
		for _, codes := range b.codes {
			halves, bytes = append(halves, nibbles(codes)), append(bytes, narrow[uint8](codes))
		}
		name := fmt.Sprintf("try %d: %d rows from %d, codes %v", try, len(entries), lo, nCodes)
		if left := checkFew(t, name+", nibbles", f, b, entries, halves, true, nCodes); left >= 64 {
			t.Errorf("%s: %d nibbles left", name, left)
		}
		if left := checkFew(t, name+", bytes", f, b, entries, bytes, false, nCodes); left >= 64 {
			t.Errorf("%s: %d bytes left", name, left)
		}
	}
}

// A whole block of the largest codes, all in one bin, is the most that parts of sums hold.
func TestFewHoldsLargestSums(t *testing.T) {
	needComparing(t)
	for _, grad := range []int16{-32768, 32767} {
		b := fewBlock(rand.New(rand.NewPCG(32, 0)), hist.BlockRows, 0, hist.BlockRows, []int{1, 2, 16, 16})
		for i := range b.grad {
			b.grad[i], b.hess[i] = grad, 65535
			b.codes[1][i], b.codes[2][i], b.codes[3][i] = 1, 0, 15
		}
		var halves [][]uint8
		for _, codes := range b.codes {
			halves = append(halves, nibbles(codes))
		}
		checkFew(t, fmt.Sprint(grad), &hist.Few{}, b, b.entries(), halves, true, []int{1, 2, 16, 16})
	}
}

// Entries that skip a row are left to the Go forms.
func TestFewLeavesGaps(t *testing.T) {
	b := fewBlock(rand.New(rand.NewPCG(33, 0)), 5000, 0, 5000, []int{5})
	entries := b.entries()
	for _, without := range []int{1, 2500, 4998} {
		gap := append(append([]uint64{}, entries[:without]...), entries[without+1:]...)
		sums := make([]uint64, hist.MostFew)
		if left := (&hist.Few{}).Nibbles([][]uint64{sums[:5]}, [][]byte{nibbles(b.codes[0])}, gap); len(left) != len(gap) {
			t.Errorf("without row %d: %d of %d entries left", without, len(left), len(gap))
		}
	}
}

// BenchmarkFew sets comparing beside the Go forms, over the rows of a block.
func BenchmarkFew(b *testing.B) {
	if hist.UseGo(false); !hist.Compares() {
		b.Skip("columns are not compared here")
	}
	r := rand.New(rand.NewPCG(34, 0))
	for _, rows := range []int{1024, 8192, hist.BlockRows} {
		for _, k := range []int{2, 3, 4, 6, 8, 12, 16} {
			b.Run(fmt.Sprintf("rows=%d/codes=%d", rows, k), func(b *testing.B) {
				var halves, bytes [4][]uint8
				var few [4][]uint64
				sums := make([]uint64, 1024)
				for i := range halves {
					codes := make([]uint32, rows)
					for row := range codes {
						codes[row] = r.Uint32N(uint32(k))
					}
					halves[i], bytes[i], few[i] = nibbles(codes), narrow[uint8](codes), sums[i*k:(i+1)*k]
				}
				entries := make([]uint64, rows)
				for row := range entries {
					entries[row] = hist.Entry(int16(r.Uint32()), uint16(r.Uint32()), uint16(row))
				}
				f := &hist.Few{}
				parts := hist.BlockRows / rows // short runs: a busy machine interrupts long ones
				side := func(once func()) func() {
					return func() {
						for range parts {
							once()
						}
					}
				}
				var took []time.Duration
				for b.Loop() {
					took = paired.Times(300*time.Millisecond,
						side(func() { hist.OneWordNibbles4((*[64]uint64)(sums), &halves, entries) }),
						side(func() { f.Nibbles(few[:], halves[:], entries) }),
						side(func() { hist.OneWordBytes4((*[1024]uint64)(sums), &bytes, entries) }),
						side(func() { f.Bytes(few[:], bytes[:], entries) }))
				}
				for i, name := range []string{"ns/nibble_go", "ns/nibble", "ns/byte_go", "ns/byte"} {
					b.ReportMetric(float64(took[i].Nanoseconds())/float64(4*parts*rows), name)
				}
			})
		}
	}
}
