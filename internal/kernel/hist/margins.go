package hist

// Margins adds to own the sums of the codes of one group, and sets the first of sums to those of another, given the sums of
// both: rows of len(own) words, one for each code of the other. It returns how many rows there are.
//
// Bound: 8 bytes and two additions a word, in the first cache; a vector of 8 needs three instructions, and a row eight.
func Margins(own, sums []uint64) (rows int) {
	rows = len(sums) / len(own)
	for r := marginsVectors(own, sums, rows); r < rows; r++ {
		all := uint64(0)
		for code, sum := range sums[r*len(own) : (r+1)*len(own)] {
			own[code] += sum
			all += sum
		}
		sums[r] = all
	}
	return rows
}
