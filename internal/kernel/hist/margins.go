package hist

// Margins splits the sums of two groups that are packed together: sums holds rows of len(own) words, one row for
// each code of the second group. It adds the sums of each code of the first group to own, and sets the first words of sums to
// those of the second group. It returns the number of rows.
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
