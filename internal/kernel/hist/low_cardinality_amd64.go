//go:build amd64 && !purego

package hist

import "boost/internal/cpu"

// comparing is the instruction set that columns of few codes are compared with.
var comparing = compareLevel(cpu.Used())

// compareLevel returns the highest set not above the given one that has a form: that for AVX-512
// takes dot products, which not every machine with AVX-512 has.
func compareLevel(set cpu.Level) cpu.Level {
	if set == cpu.AVX512 && !cpu.DotProducts() {
		return cpu.AVX2
	}
	return set
}

const (
	// leastCompared is the number of rows below which clearing and folding the parts of sums costs
	// more than comparing saves.
	leastCompared = 1024
	// mostComparedAVX2 is the most codes that AVX2 compares faster than Go adds them up.
	mostComparedAVX2 = 12
)

// PreferCompare reports whether comparing is the faster way for columns of so many codes.
func PreferCompare(codes int) bool {
	switch comparing {
	case cpu.AVX512:
		return codes <= MaxLowCardinality
	case cpu.AVX2:
		return codes <= mostComparedAVX2
	}
	return false
}

// comparedRows returns how many of the first entries LowCardinality can take: all in whole steps of 64
// where they are enough and follow each other, else none.
func comparedRows(entries []uint64) int {
	n := len(entries)
	if comparing == cpu.Generic || n < leastCompared || int(Row(entries[n-1]))-int(Row(entries[0])) != n-1 {
		return 0
	}
	return n &^ 63
}

// spread makes the planes of a block of entries and adds them up.
func (f *LowCardinality) spread(entries []uint64) {
	if comparing == cpu.AVX512 {
		planesAVX512(&f.planes, &entries[0], uint64(len(entries)), &f.all)
		return
	}
	planesAVX2(&f.planes, &entries[0], uint64(len(entries)), &f.all)
}

// spreadNibbles is SpreadNibbles of the first codes, and returns of how many.
func spreadNibbles(codes []uint8, packed []byte) (n int) {
	if n = len(codes) &^ 31; n == 0 || comparing == cpu.Generic {
		return 0
	}
	nibblesAVX2(&codes[0], &packed[0], uint64(n))
	return n
}

// compare adds the rows of a block to the parts of the sums of so many codes, from 0 on; of some
// more too, whose parts mean nothing.
func (f *LowCardinality) compare(parts *[MaxLowCardinality - 1][4][16]uint32, compared int, codes *uint8, nibbles bool, rows int) {
	if comparing == cpu.AVX2 {
		f.compareAVX2(parts, compared, codes, nibbles, rows)
		return
	}
	n := uint64(rows)
	for first := 0; first < compared; {
		left := compared - first
		calls := (left + 6) / 7
		to, at := &parts[first], uint64(first)
		switch each := (left + calls - 1) / calls; {
		case each > 5 && nibbles:
			compareNibbles7(to, codes, &f.planes, n, at)
			first += 7
		case each > 5:
			compareBytes7(to, codes, &f.planes, n, at)
			first += 7
		case each > 3 && nibbles:
			compareNibbles5(to, codes, &f.planes, n, at)
			first += 5
		case each > 3:
			compareBytes5(to, codes, &f.planes, n, at)
			first += 5
		case nibbles:
			compareNibbles3(to, codes, &f.planes, n, at)
			first += 3
		default:
			compareBytes3(to, codes, &f.planes, n, at)
			first += 3
		}
	}
}

// compareAVX2 is compare with AVX2.
func (f *LowCardinality) compareAVX2(parts *[MaxLowCardinality - 1][4][16]uint32, compared int, codes *uint8, nibbles bool, rows int) {
	n := uint64(rows)
	if nibbles && compared > 0 {
		nibblesAVX2(&f.codes[0], codes, n)
		codes = &f.codes[0]
	}
	for first := 0; first < compared; {
		to, at := &parts[first], uint64(first)
		switch compared - first {
		case 1:
			compareAVX2x1(to, codes, &f.planes, n, at)
			first++
		case 2, 4:
			compareAVX2x2(to, codes, &f.planes, n, at)
			first += 2
		default:
			compareAVX2x3(to, codes, &f.planes, n, at)
			first += 3
		}
	}
}

func fold(to [][4]uint32, parts *[4][16]uint32) {
	foldAVX2(&to[0], parts, uint64(len(to)))
}
