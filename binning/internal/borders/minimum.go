package borders

// EnforceMinimum drops borders until every bin holds at least least rows: from the
// left, a border that would close too small a bin; then the last one if the bin after
// it is too small. The gaps of forced cuts stay, whatever they leave in a bin: what
// lies between two of them is treated as a column of its own. ends are those of the
// runs.
func EnforceMinimum(borders, gaps []int, ends []uint32, least int) []int {
	upTo := func(run int) int {
		if run < 0 {
			return 0
		}
		return int(ends[run])
	}
	kept := borders[:0]
	start, next := 0, 0
	for segment := range len(gaps) + 1 {
		last := len(ends) - 1 // run of the segment
		if segment < len(gaps) {
			last = gaps[segment]
		}
		first := len(kept)
		for ; next < len(borders) && (borders[next] < last || segment == len(gaps)); next++ {
			if end := upTo(borders[next]); end-start >= least {
				kept = append(kept, borders[next])
				start = end
			}
		}
		if len(kept) > first && upTo(last)-start < least {
			kept = kept[:len(kept)-1]
		}
		start = upTo(last)
	}
	return kept
}
