//go:build amd64 && !purego

package hist

import "boost/internal/cpu"

// comparing says that columns of few codes are added up by comparing.
var comparing = cpu.Used() == cpu.AVX512 && cpu.DotProducts()

// leastFew is the number of rows below which clearing and folding the parts of sums costs more
// than comparing saves.
const leastFew = 1024

// FewPays says whether comparing is the faster way for columns of so many codes.
func FewPays(codes int) bool { return comparing && codes <= MostFew }

// fewRows returns how many of the first entries Few can take: all in whole steps of 64
// where they are enough and follow each other, else none.
func fewRows(entries []uint64) int {
	n := len(entries)
	if !comparing || n < leastFew || int(Row(entries[n-1]))-int(Row(entries[0])) != n-1 {
		return 0
	}
	return n &^ 63
}

func (f *Few) spread(entries []uint64) {
	planesAVX512(&f.planes, &entries[0], uint64(len(entries)), &f.all)
}

// compare adds the rows of a tile to the parts of the sums of so many codes, from 0 on; of some
// more too, whose parts mean nothing.
func (f *Few) compare(parts *[MostFew - 1][4][16]uint32, compared int, codes *uint8, nibbles bool, rows int) {
	n := uint64(rows)
	for first := 0; first < compared; {
		rest := compared - first
		calls := (rest + 6) / 7
		to, at := &parts[first], uint64(first)
		switch each := (rest + calls - 1) / calls; {
		case each > 5 && nibbles:
			compareNibbles7(to, codes, &f.planes, n, at)
			first += 7
		case each > 5:
			compareBytes7(to, codes, &f.planes, n, at)
			first += 7
		case each > 3 && nibbles:
			compareNibbles5(to, codes, &f.planes, n, at)
			first += 5
		case each > 3:
			compareBytes5(to, codes, &f.planes, n, at)
			first += 5
		case nibbles:
			compareNibbles3(to, codes, &f.planes, n, at)
			first += 3
		default:
			compareBytes3(to, codes, &f.planes, n, at)
			first += 3
		}
	}
}

func fold(to [][4]uint32, parts *[4][16]uint32) {
	foldAVX512(&to[0], parts, uint64(len(to)))
}
