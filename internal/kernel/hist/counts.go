package hist

// CountColumn adds 1 to counts[codes[row]] for every entry. Rows ascend strictly; no code is
// len(counts) or more.
//
// Bound: codes of one byte are three instructions an entry, of which the count is a read and a
// write: a cycle. In Go it is nine, and with equal codes in a row each count waits for the one before.
func CountColumn[C Code](counts []uint32, codes []C, entries []uint64) {
	for _, e := range entries[countBytesAhead(counts, codes, entries):] {
		counts[codes[uint16(e>>rowShift)]]++
	}
}

// CountNibbles is CountColumn for a column of packed 4-bit codes; counts holds at least 16.
//
// Bound: eight instructions an entry, two cycles.
func CountNibbles(counts []uint32, codes []byte, entries []uint64) {
	for _, e := range entries[countNibblesAhead(counts, codes, entries):] {
		row := uint16(e >> rowShift)
		counts[codes[row>>1]>>(row&1<<2)&15]++
	}
}
