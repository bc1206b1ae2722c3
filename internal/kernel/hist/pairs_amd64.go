//go:build amd64 && !purego

package hist

import "unsafe"

const (
	// leastPairTile and mostPairTile are the fewest and the most features whose slots of two words are
	// added to at a time, where there are more: a row costs less with more of them.
	leastPairTile, mostPairTile = 16, 32
	// pairSlots is how many slots of theirs may be in use, so that most stay in the first-level cache.
	pairSlots = 4096
)

// pairTile returns how many features a tile has at the most, if so many have so many slots in use.
// It is a variable for tests.
var pairTile = func(features, used int) int {
	return min(max(pairSlots*features/max(used, 1), leastPairTile), mostPairTile)
}

// addedPairs are the functions that add rows to slots of two words, by their number of features.
var addedPairs = [...]func(sums *uint64, codes *uint8, stride uint64, entries *uint64, n, early, fetching, width uint64, grad *int32, hess *uint32){
	nil, addPairs1, addPairs2, addPairs3, addPairs4, addPairs5, addPairs6, addPairs7, addPairs8,
	addPairs9, addPairs10, addPairs11, addPairs12, addPairs13, addPairs14, addPairs15, addPairs16,
	addPairs17, addPairs18, addPairs19, addPairs20, addPairs21, addPairs22, addPairs23, addPairs24, addPairs25, addPairs26, addPairs27, addPairs28, addPairs29, addPairs30, addPairs31, addPairs32,
}

// pairsAhead is TwoWordRows for codes of 32 bits without counts, as addAhead is OneWordRows, and
// reports whether it has added the rows.
func pairsAhead[VG GradValue, VH HessValue, G int64 | float64, H uint64 | float64](
	sums []Slot[G, H], codes []uint8, stride, features, used int, grad []VG, hess []VH, entries []uint64,
) bool {
	g, isGrad := any(grad).([]int32)
	h, isHess := any(hess).([]uint32)
	_, areWords := any(sums).([]Slot[int64, uint64])
	if !fetching || !isGrad || !isHess || !areWords || features == 0 || len(entries) == 0 {
		return false
	}
	// A code is a byte and every feature has Slots ≥ 256 slots; rows ascend, so the last entry's
	// row is the largest.
	last := int(Row(entries[len(entries)-1]))
	_, _ = g[last], h[last]
	_ = codes[last*stride+features-1]
	_ = sums[features*Slots-1]
	fetchFirst(codes, stride, features, entries)
	rows, most := tiledRows(features), pairTile(features, used)
	for len(entries) > 0 {
		n := min(rows, len(entries))
		for t := (tile{features: features, most: most}); t.next(); {
			early, fetching, width := t.ahead(n, len(entries))
			addedPairs[t.to-t.from]((*uint64)(unsafe.Pointer(&sums[t.from*Slots])), &codes[t.from], uint64(stride), &entries[0], uint64(n), early, fetching, width, &g[0], &h[0])
		}
		entries = entries[n:]
	}
	return true
}
