//go:build arm64 && !purego

package hist

import "unsafe"

const (
	// leastCompared is the number of rows below which clearing and folding the parts of sums costs
	// more than comparing saves.
	leastCompared = 1024
	// mostComparedNEON is the most codes that are compared. A row of the Go form is 9.4 instructions, one of
	// this form 0.6 for each code but the last and one more, of vectors; that says nothing of their time.
	mostComparedNEON = 8
)

// planesNEON writes the lower and upper bytes of the hessian codes and of the gradient codes of n entries,
// a multiple of 16 above 0 and at most compareBlock, in their order, and adds four parts of the sum of each
// plane to the first ones of sums. The upper bytes of gradients are signed.
//
//go:noescape
func planesNEON(planes *[4][compareBlock]uint8, entries *uint64, n uint64, sums *[4][16]uint32)

// compareNEON1 adds four parts of the sums of four planes of bytes to the first ones of sums, for the rows with
// code first; compareNEON2, 3 and 4 also for those with the next codes. They take n rows, a multiple of 16
// above 0 and at most compareBlock; their codes stand one to a byte. The fourth plane is signed.
//
//go:noescape
func compareNEON1(sums *[4][16]uint32, codes *uint8, planes *[4][compareBlock]uint8, n uint64, first uint64)

//go:noescape
func compareNEON2(sums *[4][16]uint32, codes *uint8, planes *[4][compareBlock]uint8, n uint64, first uint64)

//go:noescape
func compareNEON3(sums *[4][16]uint32, codes *uint8, planes *[4][compareBlock]uint8, n uint64, first uint64)

//go:noescape
func compareNEON4(sums *[4][16]uint32, codes *uint8, planes *[4][compareBlock]uint8, n uint64, first uint64)

// nibblesNEON writes n codes of half a byte, a multiple of 32 above 0, one to a byte.
//
//go:noescape
func nibblesNEON(codes *uint8, packed *uint8, n uint64)

// PreferCompare reports whether comparing is the faster way for columns of so many codes.
func PreferCompare(codes int) bool { return neon && codes <= mostComparedNEON }

// comparedRows returns how many of the first entries LowCardinality can take: all in whole steps of 64
// where they are enough and follow each other, else none.
func comparedRows(entries []uint64) int {
	n := len(entries)
	if !neon || n < leastCompared || int(Row(entries[n-1]))-int(Row(entries[0])) != n-1 {
		return 0
	}
	return n &^ 63
}

// spread makes the planes of a block of entries and adds them up.
func (f *LowCardinality) spread(entries []uint64) {
	planesNEON(&f.planes, &entries[0], uint64(len(entries)), &f.all)
}

// spreadNibbles is SpreadNibbles of the first codes, and returns of how many.
func spreadNibbles(codes []uint8, packed []byte) (n int) {
	if n = len(codes) &^ 31; n == 0 || !neon {
		return 0
	}
	nibblesNEON(&codes[0], &packed[0], uint64(n))
	return n
}

// compare adds the rows of a block to the parts of the sums of so many codes, from 0 on.
func (f *LowCardinality) compare(parts *[MaxLowCardinality - 1][4][16]uint32, compared int, codes *uint8, nibbles bool, rows int) {
	n := uint64(rows)
	if nibbles && compared > 0 {
		nibblesNEON(&f.codes[0], codes, n)
		codes = &f.codes[0]
	}
	for first := 0; first < compared; {
		to, at := &parts[first], uint64(first)
		switch compared - first {
		case 1:
			compareNEON1(to, codes, &f.planes, n, at)
			first++
		case 2, 5:
			compareNEON2(to, codes, &f.planes, n, at)
			first += 2
		case 3, 6:
			compareNEON3(to, codes, &f.planes, n, at)
			first += 3
		default:
			compareNEON4(to, codes, &f.planes, n, at)
			first += 4
		}
	}
}

// fold adds up the parts of sums, of which four are used here.
func fold(to [][4]uint32, parts *[4][16]uint32) {
	for i, planes := range unsafe.Slice(parts, len(to)) {
		for plane := range planes {
			p := &planes[plane]
			to[i][plane] = p[0] + p[1] + p[2] + p[3]
		}
	}
}
