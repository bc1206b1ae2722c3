//go:build amd64 && !purego

package hist

import "boost/internal/cpu"

// fetching says that rows are added up by assembly. It takes no vectors, but is not
// plain Go.
var fetching = cpu.Used() != cpu.Generic

// tileFeatures is the number of features whose sums are added to at a time: with more of
// them the sums leave the first-level cache, which costs more than going through the
// entries again. Up to seven more go with the last ones. It is a variable for tests.
var tileFeatures = 24

// tileRows is the number of entries that go through all tiles before the next ones: few
// enough for their rows to stay in the second-level cache.
const tileRows = 512

// line is the size of a cache line: of rows that are longer a tile reads parts too far from
// each other for the processor to fetch them by itself.
const line = 64

// added are the functions that add rows, by their number of features.
var added = [...]func(sums *uint64, codes *uint8, stride uint64, entries []uint64, fetch uint64){
	nil, add1, add2, add3, add4, add5, add6, add7, add8, add9, add10,
	add11, add12, add13, add14, add15, add16, add17, add18, add19, add20,
	add21, add22, add23, add24, add25, add26, add27, add28, add29, add30, add31,
}

// addAhead is addRows with the codes of later rows fetched ahead, as far as the entries of
// a call go, where the entries skip rows: the processor fetches rows that follow each other.
// A call takes some ten microseconds: assembly cannot be interrupted, and all of a program
// waits while the collector waits for it.
func addAhead(sums []uint64, codes []uint8, stride, features int, entries []uint64, scattered bool) {
	fetch, rows := uint64(0), tileRows
	if scattered || stride > line {
		fetch = 1
	}
	if features < len(added) {
		rows *= 2 // there is one tile
	}
	for len(entries) > 0 {
		chunk := entries[:min(rows, len(entries))]
		entries = entries[len(chunk):]
		for f := 0; f < features; {
			n := features - f
			if n >= len(added) { // a last tile of a few features would cost as much as a whole one
				n = tileFeatures
			}
			added[n](&sums[f*Slots], &codes[f], uint64(stride), chunk, fetch)
			f += n
		}
	}
}

// unpacking is the instruction set that sums are unpacked with.
var unpacking = cpu.Used()

// unpackAhead is Unpack for as many sums as vectors take, and says how many.
func unpackAhead(grad []int64, hess []uint64, sums []uint64) int {
	n := min(len(sums), 1<<20)
	switch unpacking {
	case cpu.AVX512:
		if n &^= 7; n > 0 {
			unpackAVX512(&grad[0], &hess[0], &sums[0], uint64(n))
		}
		return n
	case cpu.AVX2:
		if n &^= 3; n > 0 {
			unpackAVX2(&grad[0], &hess[0], &sums[0], uint64(n))
		}
		return n
	}
	return 0
}

// unpackToAhead is UnpackTo for as many sums as vectors take, and says how many.
func unpackToAhead(grad []int64, hess []uint64, sums []uint64) int {
	n := min(len(sums), 1<<20)
	switch unpacking {
	case cpu.AVX512:
		if n &^= 7; n > 0 {
			unpackToAVX512(&grad[0], &hess[0], &sums[0], uint64(n))
		}
		return n
	case cpu.AVX2:
		if n &^= 3; n > 0 {
			unpackToAVX2(&grad[0], &hess[0], &sums[0], uint64(n))
		}
		return n
	}
	return 0
}
