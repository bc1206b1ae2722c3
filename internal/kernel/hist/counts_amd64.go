//go:build amd64 && !purego

package hist

const (
	// countTables is how many tables take turns in counting.
	countTables = 4
	// countStep is how many entries the assembly takes at a time.
	countStep = 8
	// leastBytes and leastNibbles are the fewest entries that are worth clearing the tables and
	// adding them up, which takes as long as some 130 and 15.
	leastBytes   = 256
	leastNibbles = 48
)

// countBytesAhead is CountColumn for the first entries, and says for how many.
func countBytesAhead[C Code](counts []uint32, codes []C, entries []uint64) (done int) {
	bytes, ok := any(codes).([]uint8)
	n := min(len(entries), BlockRows) &^ (countStep - 1)
	if !fetching || !ok || n < leastBytes {
		return 0
	}
	_ = bytes[Row(entries[n-1])] // rows ascend
	const size = 256
	var tables [countTables * size]uint32
	countBytes(&tables[0], &bytes[0], &entries[0], uint64(n))
	foldCounts(counts[:min(len(counts), size)], tables[:], size)
	return n
}

// countNibblesAhead is CountNibbles for the first entries, and says for how many: without the last
// ones, since the assembly reads codes up to seven rows on.
func countNibblesAhead(counts []uint32, codes []byte, entries []uint64) (done int) {
	n := (min(len(entries), BlockRows) - countStep) &^ (countStep - 1)
	if !fetching || n < leastNibbles {
		return 0
	}
	_ = codes[Row(entries[n-1])>>1+3] // rows ascend, and there are eight more
	const size = 16
	var tables [countTables * size]uint32
	countNibbles(&tables[0], &codes[0], &entries[0], uint64(n))
	foldCounts(counts[:size], tables[:], size)
	return n
}

// foldCounts adds the tables, of size slots each, to counts, which may be fewer.
func foldCounts(counts, tables []uint32, size int) {
	n := len(counts) &^ 7
	if n > 0 {
		foldCountsAVX2(&counts[0], uint64(n), &tables[0], uint64(size))
	}
	for i := n; i < len(counts); i++ {
		for t := i; t < len(tables); t += size {
			counts[i] += tables[t]
		}
	}
}
