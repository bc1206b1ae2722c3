package hist_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"boost/internal/cpu"
	"boost/internal/kernel/hist"
	"boost/internal/paired"
	"boost/internal/testenv"
)

// eachComparing runs a test with every instruction set that columns of few codes are compared
// with.
func eachComparing(t *testing.T, test func(t *testing.T)) {
	defer hist.UseBest()
	for _, set := range []cpu.Level{cpu.AVX2, cpu.AVX512} {
		t.Run(set.String(), func(t *testing.T) {
			testenv.Vectors(t, set)
			testenv.Machine(t, hist.Compare(set), fmt.Sprintf("%v with all that comparing takes", set))
			test(t)
		})
	}
}

// checkLowCardinality adds up a block by comparing, what that leaves by the Go forms, and compares with
// the reference. It returns how many entries were left.
func checkLowCardinality(t *testing.T, name string, f *hist.LowCardinality, b *block, entries []uint64, columns [][]uint8, nibbles bool, nCodes []int) (left int) {
	t.Helper()
	var sums [][]uint64
	for range columns {
		s := make([]uint64, hist.MaxLowCardinality+1)
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

// lowCardinalityBlock draws a block with columns of the given numbers of codes, of which the rows
// lo … hi-1 are in the node.
func lowCardinalityBlock(r *rand.Rand, n, lo, hi int, nCodes []int) *block {
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
func TestLowCardinalityEqualsNaive(t *testing.T) { eachComparing(t, lowCardinalityEqualsNaive) }

func lowCardinalityEqualsNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 0))
	f := &hist.LowCardinality{}
	for try := range 200 {
		var nCodes []int
		for range 1 + r.IntN(4) {
			nCodes = append(nCodes, 1+(try+r.IntN(2))%hist.MaxLowCardinality)
		}
		n := 2000 + r.IntN(4000)
		lo := r.IntN(500)
		b := lowCardinalityBlock(r, n, lo, n-r.IntN(200), nCodes)
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
		if left := checkLowCardinality(t, name+", nibbles", f, b, entries, halves, true, nCodes); left >= 64 {
			t.Errorf("%s: %d nibbles left", name, left)
		}
		if left := checkLowCardinality(t, name+", bytes", f, b, entries, bytes, false, nCodes); left >= 64 {
			t.Errorf("%s: %d bytes left", name, left)
		}
	}
}

// A whole block of the largest codes, all in one bin, is the most that parts of sums hold.
func TestLowCardinalityHoldsLargestSums(t *testing.T) {
	eachComparing(t, lowCardinalityHoldsLargestSums)
}

func lowCardinalityHoldsLargestSums(t *testing.T) {
	for _, grad := range []int16{-32768, 32767} {
		b := lowCardinalityBlock(rand.New(rand.NewPCG(32, 0)), hist.BlockRows, 0, hist.BlockRows, []int{1, 2, 16, 16})
		for i := range b.grad {
			b.grad[i], b.hess[i] = grad, 65535
			b.codes[1][i], b.codes[2][i], b.codes[3][i] = 1, 0, 15
		}
		var halves [][]uint8
		for _, codes := range b.codes {
			halves = append(halves, nibbles(codes))
		}
		checkLowCardinality(t, fmt.Sprint(grad), &hist.LowCardinality{}, b, b.entries(), halves, true, []int{1, 2, 16, 16})
	}
}

// Entries that skip a row are left to the Go forms.
func TestLowCardinalityLeavesGaps(t *testing.T) {
	b := lowCardinalityBlock(rand.New(rand.NewPCG(33, 0)), 5000, 0, 5000, []int{5})
	entries := b.entries()
	for _, without := range []int{1, 2500, 4998} {
		gap := append(append([]uint64{}, entries[:without]...), entries[without+1:]...)
		sums := make([]uint64, hist.MaxLowCardinality)
		if left := (&hist.LowCardinality{}).Nibbles([][]uint64{sums[:5]}, [][]byte{nibbles(b.codes[0])}, gap); len(left) != len(gap) {
			t.Errorf("without row %d: %d of %d entries left", without, len(left), len(gap))
		}
	}
}

// BenchmarkLowCardinality sets comparing beside the Go forms, over the rows of a block.
func BenchmarkLowCardinality(b *testing.B) {
	defer hist.UseBest()
	if !hist.Compare(cpu.AVX2) {
		b.Skip("columns are not compared here")
	}
	r := rand.New(rand.NewPCG(34, 0))
	for _, rows := range []int{1024, 8192, hist.BlockRows} {
		for _, k := range []int{2, 3, 4, 6, 8, 12, 16} {
			b.Run(fmt.Sprintf("rows=%d/codes=%d", rows, k), func(b *testing.B) {
				var halves, bytes [4][]uint8
				var few [4][]uint64
				sums := make([]uint64, 4*hist.Slots)
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
				f := &hist.LowCardinality{}
				var names []string
				var sides []func()
				side := func(name string, once func()) {
					names = append(names, name)
					sides = append(sides, func() {
						for range hist.BlockRows / rows {
							once()
						}
					})
				}
				side("ns/nibble_go", func() { hist.OneWordNibbles4((*[64]uint64)(sums), &halves, entries) })
				side("ns/byte_go", func() { hist.OneWordBytes4((*[4 * hist.Slots]uint64)(sums), &bytes, entries) })
				for _, set := range []cpu.Level{cpu.AVX2, cpu.AVX512} {
					if hist.Compare(set) {
						side("ns/nibble_"+set.String(), func() { hist.Compare(set); f.Nibbles(few[:], halves[:], entries) })
						side("ns/byte_"+set.String(), func() { hist.Compare(set); f.Bytes(few[:], bytes[:], entries) })
					}
				}
				var took []time.Duration
				for b.Loop() {
					took = paired.Times(300*time.Millisecond, sides...)
				}
				for i, name := range names {
					b.ReportMetric(float64(took[i].Nanoseconds())/(4*hist.BlockRows), name)
				}
			})
		}
	}
}
