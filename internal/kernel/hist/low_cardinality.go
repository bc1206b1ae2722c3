package hist

// MaxLowCardinality is the most codes of a column that LowCardinality takes.
const MaxLowCardinality = 16

// compareBlock is the number of rows whose codes are spread over planes at a time: few enough
// for planes, entries and parts of sums to stay in the first-level cache together.
const compareBlock = 1024

// LowCardinality adds up columns of few codes over rows that follow each other, by comparing 64 codes
// at a time with every code that there is. Its memory serves any number of calls.
//
// The gradient and hessian codes of a block of rows are first spread over four planes of
// bytes, for all columns of a call:
//
//	lower bytes of the hessians | their upper bytes | lower bytes of the gradients | their upper bytes
//
// A comparison makes a mask of 0 and 1 of 64 rows, and a dot product of a plane with the mask
// adds four rows at a time to one of 16 parts of the plane's sum. A part cannot overflow:
// 65,536 rows are 4,096 bytes to a part, below 2²⁰. The sums of the last code are those of all rows less
// those of the other codes.
//
// Bound with AVX-512: 6 instructions for 64 rows of a code on two ports, 3 cycles: 16 codes take
// 0.7 cycles a row, 8 take 0.33 and 4 take 0.14, with 0.08 for the planes of four columns. With
// AVX2 a dot product is two instructions, for half the rows: 7 cycles for 64 rows of a code, 1.6
// cycles a row for 16 codes, with 0.2 for planes. A row of the Go form takes a load, a shift, and
// a read-modify-write of a slot, 1.2 cycles and more. Of a whole block, BenchmarkLowCardinality finds 2 times
// the Go form's speed at 16 codes, 4.7 at 8 and 6 at 4; with AVX2 1.1, 1.9 and 3.
//
// With NEON planes are masked and added up in pairs of bytes, 16 rows at a time: 9 instructions for a
// code and 7 for up to four codes.
type LowCardinality struct {
	planes [4][compareBlock]uint8
	all    [4][16]uint32
	parts  [4][MaxLowCardinality - 1][4][16]uint32
	folded [MaxLowCardinality][4]uint32
	codes  [compareBlock]uint8 // of a block, one to a byte
}

// Nibbles is OneWordNibbles for up to four columns, each with as many sums as codes, at most
// MaxLowCardinality. It takes the first entries as far as they can be compared, none if they skip rows or if the
// machine lacks the instructions, and returns the entries left.
func (f *LowCardinality) Nibbles(sums [][]uint64, codes [][]byte, entries []uint64) (left []uint64) {
	if comparedRows(entries) == 0 {
		return entries
	}
	if row := Row(entries[0]); row&1 == 1 { // its code is in the middle of a byte
		for i := range sums {
			sums[i][codes[i][row>>1]>>4] += entries[0] &^ rowMask
		}
		entries = entries[1:]
	}
	return f.add(sums, codes, 1, entries)
}

// Bytes is Nibbles for columns of one byte a code.
func (f *LowCardinality) Bytes(sums [][]uint64, codes [][]uint8, entries []uint64) (left []uint64) {
	return f.add(sums, codes, 0, entries)
}

// add adds up columns in which a byte holds 1<<shift codes, the first entry's being its first.
func (f *LowCardinality) add(sums [][]uint64, codes [][]uint8, shift int, entries []uint64) (left []uint64) {
	n := comparedRows(entries)
	if n == 0 {
		return entries
	}
	first := int(Row(entries[0])) >> shift
	f.all = [4][16]uint32{}
	for i := range sums {
		_ = codes[i][first+n>>shift-1]
		clear(f.parts[i][:len(sums[i])-1])
	}
	for lo := 0; lo < n; lo += compareBlock {
		rows := min(compareBlock, n-lo)
		f.spread(entries[lo : lo+rows])
		for i := range sums {
			f.compare(&f.parts[i], len(sums[i])-1, &codes[i][first+lo>>shift], shift == 1, rows)
		}
	}
	fold(f.folded[:1], &f.all)
	all := planesWord(&f.folded[0])
	for i, s := range sums {
		left := all // of the last code
		if n := len(s) - 1; n > 0 {
			fold(f.folded[:n], &f.parts[i][0])
			for code := range n {
				word := planesWord(&f.folded[code])
				s[code] += word
				left -= word
			}
		}
		s[len(s)-1] += left
	}
	return entries[n:]
}

// planesWord returns the packed word of the sums of four planes.
func planesWord(planes *[4]uint32) uint64 {
	grad := int64(planes[2]) + int64(int32(planes[3]))<<8
	return uint64(grad)<<32 + uint64(planes[0]) + uint64(planes[1])<<8
}
