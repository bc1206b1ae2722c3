package hist_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"boost/internal/kernel/hist"
	"boost/internal/testenv"
)

// The codes of a row-major block lie between two pages that may not be touched: a
// read past either end kills the test.
func TestRowMajorStaysInItsCodes(t *testing.T) {
	inner := testenv.Pages(t, 16)
	r := rand.New(rand.NewPCG(4, 0))
	for _, features := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 62, 63, 64, 65, 127, 128, 129} {
		stride := features
		rows := min(len(inner)/stride, 300)
		b := randomBlock(r, rows, features, 256, 0.3)
		// Codes are loaded early up to those of the last row but one.
		b.rows = append(b.rows[:0], 0, uint16(rows/2), uint16(rows-4), uint16(rows-3), uint16(rows-2), uint16(rows-1))
		// The last row ends with its last feature: what pads it to the stride is not there.
		size := (rows-1)*stride + features
		checkRowMajor(t, b, stride, inner[len(inner)-size:])
		checkRowMajor(t, b, stride, inner[:size])
	}
}

// So do the entries: rows are fetched ahead of their turn, but not beyond the last.
func TestRowsStayInTheirEntries(t *testing.T) {
	memory := testenv.Pages(t, 1)
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&memory[0])), len(memory)/8)
	const features = 9
	codes := make([]uint8, 600*features)
	hist.EachForm(func(form string) {
		for n := 1; n <= len(words); n += 1 + n/20 {
			for _, entries := range [][]uint64{words[:n], words[len(words)-n:]} {
				for i := range entries {
					entries[i] = hist.Entry(-3, 5, uint16(i))
				}
				sums := make([]uint64, features*hist.Slots)
				hist.OneWordRows(sums, codes, features, features, entries, true)
				for f := range features {
					checkPacked(t, form, sums[f*hist.Slots:(f+1)*hist.Slots], map[uint32]sum{0: {int64(-3 * n), uint64(5 * n), uint64(n)}})
				}
			}
		}
	})
}

// So do the codes of 32 bits of a block, and the slots of two words.
func TestTwoWordRowsStayInTheirCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 0))
	hist.EachForm(func(form string) {
		for _, features := range []int{1, 2, 3, 5, 8, 9, 16, 17, 27, 32, 33} {
			for n := 1; n < 200; n += 1 + n/6 {
				b := randomBlock(r, n, features, 256, 0.5)
				b.rows = append(b.rows, uint16(n-1)) // the last row is in
				slices.Sort(b.rows)
				b.rows = slices.Compact(b.rows)
				for _, side := range []struct {
					bytes   func(testing.TB, int) []uint8
					grad    func(testing.TB, int) []int32
					hess    func(testing.TB, int) []uint32
					entries func(testing.TB, int) []uint64
					slots   func(testing.TB, int) []hist.Slot[int64, uint64]
				}{
					{testenv.FencedFirst[uint8], testenv.FencedFirst[int32], testenv.FencedFirst[uint32], testenv.FencedFirst[uint64], testenv.FencedFirst[hist.Slot[int64, uint64]]},
					{testenv.FencedLast[uint8], testenv.FencedLast[int32], testenv.FencedLast[uint32], testenv.FencedLast[uint64], testenv.FencedLast[hist.Slot[int64, uint64]]},
				} {
					data, grad, hess := side.bytes(t, n*features), side.grad(t, n), side.hess(t, n)
					entries, slots := side.entries(t, len(b.rows)), side.slots(t, features*hist.Slots)
					for f, codes := range b.codes {
						for row, c := range codes {
							data[row*features+f] = byte(c)
						}
					}
					copy(grad, b.grad32)
					copy(hess, b.hess32)
					hist.PackIndex(entries, b.rows)
					hist.TwoWordRows(slots, nil, data, features, features, 99*features, grad, hess, entries)
					for f := range features {
						want := make([]hist.Slot[int64, uint64], hist.Slots)
						hist.TwoWordColumn(want, nil, b.codes[f], b.grad32, b.hess32, entries)
						if !slices.Equal(slots[f*hist.Slots:(f+1)*hist.Slots], want) {
							t.Fatalf("%s, %d rows: feature %d of %d differs from the column", form, n, f, features)
						}
					}
				}
			}
		}
	})
}

// So do codes that are counted, and their entries. More codes than slots are not for these functions.
func TestCountsStayInTheirCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(39, 0))
	const nCodes = 11
	hist.EachForm(func(form string) {
		for _, n := range []int{1, 7, 8, 40, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 70, 255, 256, 257, 263, 264, 300, 1000} {
			for _, gap := range []int{1, 2, 3, 8} {
				for _, side := range []struct {
					codes   func(testing.TB, int) []uint8
					entries func(testing.TB, int) []uint64
					counts  func(testing.TB, int) []uint32
				}{
					{testenv.FencedFirst[uint8], testenv.FencedFirst[uint64], testenv.FencedFirst[uint32]},
					{testenv.FencedLast[uint8], testenv.FencedLast[uint64], testenv.FencedLast[uint32]},
				} {
					rows := gap * n
					bytes, halves, entries := side.codes(t, rows), side.codes(t, (rows+1)/2), side.entries(t, n)
					for row := range bytes {
						bytes[row] = uint8(r.IntN(nCodes))
						halves[row/2] |= bytes[row] << (4 * (row % 2))
					}
					want := make([]uint32, 16)
					for i := range entries {
						row := i*gap + gap - 1
						entries[i] = hist.Entry(0, 0, uint16(row))
						want[bytes[row]]++
					}
					counts := side.counts(t, nCodes)
					hist.CountColumn(counts, bytes, entries)
					if !slices.Equal(counts, want[:nCodes]) {
						t.Errorf("%s: %d bytes of every %d rows count %v, want %v", form, n, gap, counts, want)
					}
					counts = side.counts(t, 16)
					hist.CountNibbles(counts, halves, entries)
					if !slices.Equal(counts, want) {
						t.Errorf("%s: %d nibbles of every %d rows count %v, want %v", form, n, gap, counts, want)
					}
				}
			}
		}
	})
}

// So do sums that are subtracted and those they are subtracted from.
func TestSubtractStaysInItsSums(t *testing.T) {
	everySet(t, func(t *testing.T) {
		for n := 1; n < 70; n++ {
			hist.Subtract(testenv.FencedFirst[uint64](t, n), testenv.FencedFirst[uint64](t, n))
			hist.Subtract(testenv.FencedLast[uint64](t, n), testenv.FencedLast[uint64](t, n))
		}
	})
}

// So do sums that are taken apart and those they are added to.
func TestUnpackStaysInItsSums(t *testing.T) {
	everySet(t, func(t *testing.T) {
		for n := 1; n < 70; n++ {
			hist.Unpack(testenv.FencedFirst[int64](t, n), testenv.FencedFirst[uint64](t, n), testenv.FencedFirst[uint64](t, n))
			hist.Unpack(testenv.FencedLast[int64](t, n), testenv.FencedLast[uint64](t, n), testenv.FencedLast[uint64](t, n))
			hist.UnpackTo(testenv.FencedFirst[int64](t, n), testenv.FencedFirst[uint64](t, n), testenv.FencedFirst[uint64](t, n))
			hist.UnpackTo(testenv.FencedLast[int64](t, n), testenv.FencedLast[uint64](t, n), testenv.FencedLast[uint64](t, n))
		}
	})
}

// So do entries that are made, what they are made of, and those that are added up.
func TestPackStaysInItsRows(t *testing.T) { everySet(t, packStaysInItsRows) }

func packStaysInItsRows(t *testing.T) {
	for n := 1; n < 70; n++ {
		hist.Pack(testenv.FencedFirst[uint64](t, n), testenv.FencedFirst[int16](t, n), testenv.FencedFirst[uint16](t, n))
		hist.Pack(testenv.FencedLast[uint64](t, n), testenv.FencedLast[int16](t, n), testenv.FencedLast[uint16](t, n))
		hist.PackEqual(testenv.FencedFirst[uint64](t, n), nil, testenv.FencedFirst[int16](t, n), 7)
		hist.PackEqual(testenv.FencedLast[uint64](t, n), nil, testenv.FencedLast[int16](t, n), 7)
		hist.Total(testenv.FencedFirst[uint64](t, n))
		hist.Total(testenv.FencedLast[uint64](t, n))
		hist.Pack8(testenv.FencedFirst[uint64](t, n), nil, testenv.FencedFirst[uint16](t, n))
		hist.Pack8(testenv.FencedLast[uint64](t, n), nil, testenv.FencedLast[uint16](t, n))
		hist.Pack4(testenv.FencedFirst[uint64](t, n), nil, testenv.FencedFirst[uint8](t, n))
		hist.Pack4(testenv.FencedLast[uint64](t, n), nil, testenv.FencedLast[uint8](t, n))
		first, last := testenv.FencedFirst[uint64](t, n), testenv.FencedLast[uint64](t, n)
		hist.PackIndex(first, nil)
		hist.PackIndex(last, nil)
		hist.TotalCodes(first, testenv.FencedFirst[int32](t, n), testenv.FencedFirst[uint32](t, n))
		hist.TotalCodes(last, testenv.FencedLast[int32](t, n), testenv.FencedLast[uint32](t, n))
		hist.PackIndex(testenv.FencedFirst[uint64](t, n), testenv.FencedFirst[uint16](t, n))
		hist.PackIndex(testenv.FencedLast[uint64](t, n), testenv.FencedLast[uint16](t, n))
		hist.SumFloats(first, testenv.FencedFirst[float32](t, n), testenv.FencedFirst[float32](t, n), 1, 1)
		hist.SumFloats(last, testenv.FencedLast[float32](t, n), testenv.FencedLast[float32](t, n), 1, 1)
	}
}

// So do the codes and the entries of columns of two bytes, and the sums.
func TestWordsStayInTheirCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 0))
	const slots = 300
	hist.EachForm(func(form string) {
		for n := 1; n < 70; n++ {
			for _, gap := range []int{1, 3} {
				codes, entries, want := make([]uint16, 0, gap*n), make([]uint64, 0, n), map[uint32]sum{}
				for row := range gap * n {
					code := uint16(r.IntN(slots))
					if codes = append(codes, code); row%gap < gap-1 { // the last row is in, the first is with a gap of 1
						continue
					}
					entries = append(entries, hist.Entry(-3, 5, uint16(row)))
					s := want[uint32(code)]
					want[uint32(code)] = sum{s.grad - 3, s.hess + 5, s.rows + 1}
				}
				for _, side := range []struct {
					codes         func(testing.TB, int) []uint16
					entries, sums func(testing.TB, int) []uint64
				}{
					{testenv.FencedFirst[uint16], testenv.FencedFirst[uint64], testenv.FencedFirst[uint64]},
					{testenv.FencedLast[uint16], testenv.FencedLast[uint64], testenv.FencedLast[uint64]},
				} {
					c, e, sums := side.codes(t, len(codes)), side.entries(t, n), side.sums(t, slots)
					copy(c, codes)
					copy(e, entries)
					hist.OneWordWords(sums, c, e)
					checkPacked(t, fmt.Sprintf("%s, %d entries of every %d rows", form, n, gap), sums, want)
				}
			}
		}
	})
}

// So do the codes and the entries of columns that are compared, at both ends.
func TestLowCardinalityStaysInItsCodes(t *testing.T) { eachComparing(t, lowCardinalityStaysInItsCodes) }

func lowCardinalityStaysInItsCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 0))
	f := &hist.LowCardinality{}
	for n := 1024; n < 1024+200; n += 1 + r.IntN(9) {
		for _, lo := range []int{0, 1, 6} {
			b := lowCardinalityBlock(r, lo+n, lo, lo+n, []int{16, 3})
			halves, bytes := nibbles(b.codes[0]), narrow[uint8](b.codes[1])
			for _, side := range []struct {
				codes   func(testing.TB, int) []uint8
				entries func(testing.TB, int) []uint64
			}{
				{testenv.FencedFirst[uint8], testenv.FencedFirst[uint64]},
				{testenv.FencedLast[uint8], testenv.FencedLast[uint64]},
			} {
				four, eight := side.codes(t, len(halves)), side.codes(t, len(bytes))
				copy(four, halves)
				copy(eight, bytes)
				entries := side.entries(t, n)
				copy(entries, b.entries())
				checkLowCardinality(t, "fenced nibbles", f, b, entries, [][]uint8{four}, true, []int{16})
				other := &block{rows: b.rows, grad: b.grad, hess: b.hess, codes: b.codes[1:]}
				checkLowCardinality(t, "fenced bytes", f, other, entries, [][]uint8{eight}, false, []int{3})
			}
		}
	}
}

// A code without a slot, or a row without a code, ends in a panic, and not in memory of others.
func TestOneWordWordsChecksItsCodes(t *testing.T) {
	const n = 11
	hist.EachForm(func(form string) {
		for bad := range n {
			codes, entries := make([]uint16, n), make([]uint64, n)
			for i := range entries {
				entries[i] = hist.Entry(1, 1, uint16(i))
			}
			sums := testenv.FencedLast[uint64](t, 16)
			clear(sums)
			codes[bad] = 16
			if !panics(func() { hist.OneWordWords(sums, codes, entries) }) {
				t.Errorf("%s: code 16 of 16 slots in row %d passes", form, bad)
			}
			if sums[0] != uint64(bad)*(1<<32+1) {
				t.Errorf("%s: %#x was added before row %d", form, sums[0], bad)
			}
			if !panics(func() { hist.OneWordWords(sums, codes[:bad], entries) }) {
				t.Errorf("%s: %d codes for %d rows pass", form, bad, n)
			}
		}
	})
}
