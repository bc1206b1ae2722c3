//go:build amd64 && !purego

package hist

import (
	"math"

	"boost/internal/cpu"
)

// fetching says that rows are added up by assembly. It takes no vectors, but is not
// plain Go.
var fetching = cpu.Used() != cpu.Generic

// tileFeatures is the most features whose sums are added to at a time: with more of them
// the sums leave the first-level cache, which costs more than going through the entries
// again. It is a variable for tests.
var tileFeatures = 16

const (
	// tileRows is the most entries that go through all tiles before the next ones, and
	// leastRows the fewest: a call begins anew, so that one of 128 entries takes a fifth
	// more for each than one of 2,048, which takes 15 to 30 microseconds. Assembly cannot be interrupted,
	// and all of a program waits while the collector waits for it.
	tileRows  = 2048
	leastRows = 256
	// nearBytes is how many bytes of codes stay near for the tiles that come after the first.
	nearBytes = 512 << 10
	// fetchAhead is how many entries before its turn a row is fetched.
	fetchAhead = 64
	// loadAhead is how many before it the place of its codes is found.
	loadAhead = 2
	// line is the size of a cache line.
	line = 64
)

// added are the functions that add rows, by their number of features.
var added = [...]func(sums *uint64, codes *uint8, stride uint64, entries *uint64, n, early, fetching, width uint64){
	nil, add1, add2, add3, add4, add5, add6, add7, add8, add9, add10, add11, add12, add13, add14, add15, add16,
}

// addAhead is addRows with the codes of later rows loaded early, and fetched ahead: the
// processor does that by itself for rows that follow each other, where it costs nothing, but
// not for those of which a half are skipped, which take a tenth less.
func addAhead(sums []uint64, codes []uint8, stride, features int, entries []uint64) {
	fetchFirst(codes, stride, features, entries)
	rows := tiledRows(features)
	for len(entries) > 0 {
		n := min(rows, len(entries))
		for t := (tile{features: features, most: tileFeatures}); t.next(); {
			early, fetching, width := t.ahead(n, len(entries))
			added[t.to-t.from](&sums[t.from*Slots], &codes[t.from], uint64(stride), &entries[0], uint64(n), early, fetching, width)
		}
		entries = entries[n:]
	}
}

// fetchFirst fetches the first rows, which have none before them that could.
func fetchFirst(codes []uint8, stride, features int, entries []uint64) {
	if n := min(fetchAhead, len(entries)); n > 0 {
		fetchRows(&codes[0], uint64(stride), &entries[0], uint64(n), uint64(min(features, 2*line)-1))
	}
}

// tiledRows returns how many rows of so many features go through all tiles at a time.
func tiledRows(features int) int { return max(min(tileRows, nearBytes/(features+line)), leastRows) }

// tile is the features from … to-1 of a pass over rows, in tiles of at most so many.
type tile struct {
	features, most int
	number         int // of the next tile
	from, to       int
}

// next goes on to the next tile, if there is one. Tiles are equally wide, as far as possible.
func (t *tile) next() bool {
	tiles := (t.features + t.most - 1) / t.most
	if t.number == tiles {
		return false
	}
	t.number++
	t.from, t.to = t.to, t.features*t.number/tiles
	return true
}

// ahead returns how many of the first n of some entries load the codes of the next row early, how
// many fetch rows, and the width of what they fetch.
func (t *tile) ahead(n, entries int) (early, fetching, width uint64) {
	early = uint64(max(min(n, entries-loadAhead), 0))
	last := fetched(t.features, t.number-1, t.to)
	if last >= t.from {
		fetching = uint64(max(min(n, entries-fetchAhead), 0))
	}
	return early, fetching, uint64(max(last-t.from, 0))
}

// fetched returns the code whose line the given tile, which ends before the feature to, fetches of
// rows of so many features, beside that of its own first code; -1: it fetches nothing. A short
// row comes with the first tile. Of longer ones each tile asks for the next line: where the first
// asked for all, it waited for them, and those after it asked for none, which took 4 to 12 % longer
// with 64 to 128 features.
func fetched(features, tile, to int) int {
	switch {
	case features <= line/2:
		if tile == 0 {
			return features - 1
		}
	case tile == 0:
		return to - 1
	case (tile-1)*line < features-1: // wherever in a line a row begins
		return min(tile*line, features-1)
	}
	return -1
}

// addWordsAhead is OneWordWords for the first entries, and says for how many.
func addWordsAhead(sums []uint64, codes []uint16, entries []uint64) (done int) {
	n := len(entries) &^ 3
	if !fetching || n == 0 {
		return 0
	}
	_ = codes[Row(entries[n-1])] // rows ascend
	for done < n {
		rows := min(n-done, wordRows)
		added := int(addWords(&sums[0], uint64(len(sums)), &codes[0], &entries[done], uint64(rows)))
		if done += added; added < rows {
			return done
		}
	}
	return n
}

// wordRows is the most entries of a call of addWords, which cannot be interrupted.
const wordRows = 1 << 14

// lanes is how many words a vector holds; 0: words are not taken by vectors.
func lanes() int {
	switch unpacking {
	case cpu.AVX512:
		return 8
	case cpu.AVX2:
		return 4
	}
	return 0
}

// steps returns how many of n entries of a block vectors take, so many at a time.
func steps(n, at int) int {
	if at == 0 {
		return 0
	}
	return min(n, BlockRows) &^ (at - 1)
}

// packVectors is Pack for as many entries as vectors take, and says how many.
func packVectors(entries []uint64, grad []int16, hess []uint16) int {
	n := steps(len(entries), lanes())
	switch {
	case n == 0:
	case unpacking == cpu.AVX512:
		packAVX512(&entries[0], &grad[0], &hess[0], uint64(n))
	default:
		packAVX2(&entries[0], &grad[0], &hess[0], uint64(n))
	}
	return n
}

// packEqualVectors is PackEqual of rows in order for as many entries as vectors take, and says
// how many.
func packEqualVectors(entries []uint64, grad []int16, hess uint16) int {
	n := steps(len(entries), lanes())
	switch {
	case n == 0:
	case unpacking == cpu.AVX512:
		packEqualAVX512(&entries[0], &grad[0], uint64(hess), uint64(n))
	default:
		packEqualAVX2(&entries[0], &grad[0], uint64(hess), uint64(n))
	}
	return n
}

// pack8Vectors is Pack8 of rows in order for as many entries as vectors take, and says how many.
func pack8Vectors(entries []uint64, packed []uint16) int {
	n := steps(len(entries), lanes())
	switch {
	case n == 0:
	case unpacking == cpu.AVX512:
		pack8AVX512(&entries[0], &packed[0], uint64(n))
	default:
		pack8AVX2(&entries[0], &packed[0], uint64(n))
	}
	return n
}

// pack4Vectors is pack8Vectors for Pack4.
func pack4Vectors(entries []uint64, packed []uint8) int {
	n := steps(len(entries), lanes())
	switch {
	case n == 0:
	case unpacking == cpu.AVX512:
		pack4AVX512(&entries[0], &packed[0], uint64(n))
	default:
		pack4AVX2(&entries[0], &packed[0], uint64(n))
	}
	return n
}

// packIndexVectors is PackIndex of rows in order for as many entries as vectors take, and says how many.
func packIndexVectors(entries []uint64) int {
	n := steps(len(entries), lanes())
	switch {
	case n == 0:
	case unpacking == cpu.AVX512:
		packIndexAVX512(&entries[0], uint64(n))
	default:
		packIndexAVX2(&entries[0], uint64(n))
	}
	return n
}

// packListVectors is packIndexVectors for listed rows.
func packListVectors(entries []uint64, rows []uint16) int {
	n := steps(len(entries), lanes())
	switch {
	case n == 0:
	case unpacking == cpu.AVX512:
		packListAVX512(&entries[0], &rows[0], uint64(n))
	default:
		packListAVX2(&entries[0], &rows[0], uint64(n))
	}
	return n
}

// sumCodesVectors adds up the codes of as many rows as vectors take, if they are of 32 bits, and says
// how many.
func sumCodesVectors[G int16 | int32, H uint16 | uint32](grad []G, hess []H) (gradSum int64, hessSum uint64, n int) {
	g, isGrad := any(grad).([]int32)
	h, isHess := any(hess).([]uint32)
	if n = steps(len(grad), 2*lanes()); n == 0 || !isGrad || !isHess {
		return 0, 0, 0
	}
	if unpacking == cpu.AVX512 {
		gradSum, hessSum = totalCodesAVX512(&g[0], &h[0], uint64(n))
	} else {
		gradSum, hessSum = totalCodesAVX2(&g[0], &h[0], uint64(n))
	}
	return gradSum, hessSum, n
}

// totalVectors adds up the packed words of as many entries as vectors take, and says how many.
func totalVectors(entries []uint64) (packed uint64, n int) {
	n = steps(len(entries), 2*lanes())
	switch {
	case n == 0:
	case unpacking == cpu.AVX512:
		packed = totalAVX512(&entries[0], uint64(n))
	default:
		packed = totalAVX2(&entries[0], uint64(n))
	}
	return packed, n
}

// sumFloatsVectors is SumFloats for as many entries as vectors take, and says how many.
func sumFloatsVectors(entries []uint64, grad, hess []float32, gradUp, hessUp float64) (gradSum, hessSum int64, n int) {
	n = steps(len(entries), lanes())
	if n == 0 {
		return 0, 0, 0
	}
	_, _ = grad[Row(entries[n-1])], hess[Row(entries[n-1])] // rows ascend
	if unpacking == cpu.AVX512 {
		gradSum, hessSum = sumFloatsAVX512(&entries[0], uint64(n), &grad[0], &hess[0], gradUp, hessUp)
	} else {
		gradSum, hessSum = sumFloatsAVX2(&entries[0], uint64(n), &grad[0], &hess[0], gradUp, hessUp)
	}
	return gradSum, hessSum, n
}

// unpacking is the instruction set that words are packed, added up and unpacked with.
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

// splitVectors is Split for as many sums as vectors take, and says how many.
func splitVectors(grad []int64, hess []uint64, sums []uint64) int {
	n := steps(len(sums), lanes())
	switch {
	case n == 0:
	case unpacking == cpu.AVX512:
		splitAVX512(&grad[0], &hess[0], &sums[0], uint64(n))
	default:
		splitAVX2(&grad[0], &hess[0], &sums[0], uint64(n))
	}
	return n
}

// mergeVectors is Merge for as many sums as vectors take, and says how many.
func mergeVectors(to, from []uint64) int {
	n := steps(len(from), lanes())
	switch {
	case n == 0:
	case unpacking == cpu.AVX512:
		mergeAVX512(&to[0], &from[0], uint64(n))
	default:
		mergeAVX2(&to[0], &from[0], uint64(n))
	}
	return n
}

// moveVectors is Move for as many sums as vectors take, and says how many.
func moveVectors(to, from []uint64) int {
	n := steps(len(from), lanes())
	switch {
	case n == 0:
	case unpacking == cpu.AVX512:
		moveAVX512(&to[0], &from[0], uint64(n))
	default:
		moveAVX2(&to[0], &from[0], uint64(n))
	}
	return n
}

// leastVectors is LeastHess for as many entries as vectors take, and says how many.
func leastVectors(entries []uint64) (least uint64, n int) {
	if unpacking == cpu.Generic {
		return math.MaxUint16, 0
	}
	if n = len(entries) &^ 15; n == 0 {
		return math.MaxUint16, 0
	}
	return leastAVX2(&entries[0], uint64(n)), n
}
