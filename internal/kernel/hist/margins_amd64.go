//go:build amd64 && !purego

package hist

import "boost/internal/cpu"

// marginsVectors is Margins for the first rows, and says how many.
func marginsVectors(own, sums []uint64, rows int) int {
	const fewWords = 5 // of a row, for which its own eight instructions cost as much as they save
	switch {
	case subtracting != cpu.AVX512:
		return 0
	case len(own) == 2 && rows >= 8:
		marginPairsAVX512(&own[0], &sums[0], uint64(rows&^7))
		return rows &^ 7
	case len(own) >= fewWords && rows > 0:
		marginsAVX512(&own[0], uint64(len(own)), &sums[0], uint64(rows))
		return rows
	}
	return 0
}
