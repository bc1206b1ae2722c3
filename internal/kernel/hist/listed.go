package hist

// Listed is the slots of rows, four at a time: those of row r are Slots[Starts[r]:Starts[r+1]], all below Size.
type Listed struct {
	Starts []uint32
	Slots  []uint16
	Size   int
}

// ListStep is the number that the slots of a row are a multiple of.
const ListStep = 4

// listedRows is the most entries that are added without a pause: assembly cannot be interrupted.
const listedRows = 8192

// Add adds every entry's packed word to the slots of its row, which is one of the block that begins with the
// row first, and returns the sum of the words.
//
// Bound: an update writes a slot, one a cycle, and is two instructions; a row takes 8 cycles more.
func (l *Listed) Add(sums []uint64, first int, entries []uint64) (total uint64) {
	if len(entries) == 0 {
		return 0
	}
	starts := l.Starts[first:]
	_ = starts[int(Row(entries[len(entries)-1]))+1] // rows ascend
	_ = sums[l.Size-1]
	for len(entries) > 0 {
		n := min(len(entries), listedRows)
		total += l.add(sums, starts, entries[:n])
		entries = entries[n:]
	}
	return total
}

// addPlain is Add in Go.
func (l *Listed) addPlain(sums []uint64, starts []uint32, entries []uint64) (total uint64) {
	for _, e := range entries {
		row, word := int(Row(e)), e&^rowMask
		total += word
		for _, slot := range l.Slots[starts[row]:starts[row+1]] {
			sums[slot] += word
		}
	}
	return total
}

// Sum adds up words.
func Sum(words []uint64) (total uint64) {
	total, done := sumVectors(words)
	for _, w := range words[done:] {
		total += w
	}
	return total
}
