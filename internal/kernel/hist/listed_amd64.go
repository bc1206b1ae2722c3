//go:build amd64 && !purego

package hist

func (l *Listed) add(sums []uint64, starts []uint32, entries []uint64) (total uint64) {
	if !fetching || len(l.Slots) == 0 {
		return l.addPlain(sums, starts, entries)
	}
	return addListed(&sums[0], &l.Slots[0], &starts[0], &entries[0], uint64(len(entries)), uint64(max(len(entries)-fetchAhead, 0)))
}

func sumVectors(words []uint64) (total uint64, done int) {
	n := len(words) &^ 7
	if !fetching || n == 0 {
		return 0, 0
	}
	return sumAVX2(&words[0], uint64(n)), n
}
