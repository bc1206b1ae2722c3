//go:build amd64 && !purego

package hist

import (
	"boost/internal/cpu"
)

// fetching reports whether rows are added up by assembly. The assembly uses no vectors, so every instruction set
// but plain Go has it.
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

// addAhead is addRows in assembly, which loads the codes of later rows early and fetches them ahead. For rows that follow
// each other the processor does that by itself, and fetching costs nothing. If half of the rows are skipped,
// fetching saves a tenth of the time.
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

// fetchFirst fetches the first rows: no rows before them do.
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

// fetched returns the code whose line a tile fetches, beside the line of its own first code, or -1 for none. The tile
// ends before the feature to; a row has so many features. The first tile fetches all of a short row. Of a longer row each
// tile fetches the line that the next one needs: if the first fetched all lines it would wait for them, which takes 4 to
// 12 % longer with 64 to 128 features.
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

// addWordsAhead is OneWordWords for the first entries, and returns their number.
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
