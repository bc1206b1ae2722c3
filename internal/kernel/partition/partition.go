// Package partition splits a node's entries between its children.
//
// In: the entries of one block (package hist draws them), the codes of the split
// feature, a table that says which codes go left. Out: the same memory with the
// left entries in front, both sides in their old order. It knows no trees.
package partition

import "boost/internal/kernel/hist"

// Column moves the entries whose code goes left to the front and returns their
// number. left[code] is 1 for codes that go left, 0 otherwise; codes holds the
// block's rows. scratch holds at least len(entries) words.
//
// Every entry is stored to both sides and only the right counter moves, so that
// the loop has no branch to mispredict. Bound: 3 loads and 2 stores per entry.
func Column[C hist.Code](entries []uint64, codes []C, left []uint8, scratch []uint64) int {
	return finish(entries, codes, left, scratch, 0, 0)
}

// finish is Column where the first `done` entries are divided already.
func finish[C hist.Code](entries []uint64, codes []C, left []uint8, scratch []uint64, done, nLeft int) int {
	scratch = scratch[:len(entries)]
	nRight := done - nLeft
	for i := done; i < len(entries); i++ { // a range is a third slower
		e := entries[i]
		goesLeft := int(left[codes[hist.Row(e)]])
		entries[nLeft] = e
		scratch[nRight] = e
		nLeft += goesLeft
		nRight += 1 - goesLeft
	}
	copy(entries[nLeft:], scratch[:nRight])
	return nLeft
}

// Bytes is Column for one-byte codes, with a table of all 256. Entries ascend by row.
//
// Bound of the form of AVX-512, per 16 entries: one load of codes where their rows follow each
// other, or two and a permutation where they lie within 128 bytes, then four compressions of two
// and four stores. Bound of AVX2's, which also takes entries that are far apart: 13 instructions
// and three loads for each, 1.6 to 3 cycles.
func Bytes(entries []uint64, codes []uint8, left *[256]uint8, scratch []uint64) int {
	scratch = scratch[:len(entries)] // the vectors write up to there
	done, nLeft := divideBytes(entries, codes, left, scratch)
	return finish(entries, codes, left[:], scratch, done, nLeft)
}

// Nibbles is Column for packed 4-bit codes: row r in byte r/2, the even row in
// the low nibble.
func Nibbles(entries []uint64, codes []byte, left *[16]uint8, scratch []uint64) int {
	scratch = scratch[:len(entries)]
	done, nLeft := divideNibbles(entries, codes, left, scratch)
	nRight := done - nLeft
	for i := done; i < len(entries); i++ {
		e := entries[i]
		row := hist.Row(e)
		goesLeft := int(left[codes[row>>1]>>(row&1<<2)&15])
		entries[nLeft] = e
		scratch[nRight] = e
		nLeft += goesLeft
		nRight += 1 - goesLeft
	}
	copy(entries[nLeft:], scratch[:nRight])
	return nLeft
}

// Words is Column for two-byte codes, all of which are below len(left).
//
// Bound of the vector form: as Bytes by AVX2, 13 instructions and three loads for each entry.
func Words(entries []uint64, codes []uint16, left []uint8, scratch []uint64) int {
	scratch = scratch[:len(entries)]
	done, nLeft := divideWords(entries, codes, left, scratch)
	return finish(entries, codes, left, scratch, done, nLeft)
}
