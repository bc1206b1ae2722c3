package predict

import (
	"math"
	"unsafe"
)

const (
	// rowCuts is how many cuts of a feature are searched, in two steps. A code behind all
	// cuts is below 255, that of missing values.
	rowCuts = 254
	sixteen = 16
	// lineCuts is how many cuts are in a line.
	lineCuts = 8
	// rowsAtOnce is of what the number of rows is a multiple: so many are compared between two branches.
	rowsAtOnce = 2
)

// search finds the codes of a row's values. It is immutable.
//
// Each feature has blocks of 16 words: first every 16th of its cuts, then all, filled up with
// +Inf. One feature by itself is searched in the first block and then in one of the others.
// Where 16 features are searched together, their cuts are lines of 8, and the last cuts of lines
// stand beside each other:
//
//	ends   [ rows of features 0 … 15 | rows of features 16 … 31 | … ]
//	row    [ feature 0 | feature 1 | … | feature 15 ]
//
// Row j has the last cut of each feature's line j, +Inf where there is no line behind it.
type search struct {
	features []int32   // index of each value among the caller's
	inOrder  bool      // each value stands behind that of the feature before
	blocks   []uint32  // where each feature's blocks begin among pivots, in bytes; filled up with 0 for 16 features
	pivots   []float32 // the blocks, rounded
	cuts     []float64 // the blocks in full, save every 16th
	single   bool      // every cut is a float32, so that pivots are the cuts
	rows     []uint32  // of ends, how many each 16 features have
	ends32   []float32 // where single
	ends64   []float64 // where not
}

// usedCuts is which cuts of a feature the trees compare with: a Row has codes of its own,
// which count only these.
type usedCuts struct {
	is   []bool
	rank []uint8 // of each cut, how many used ones are below it, behind the last of all
}

// of returns the used ones of a feature's cuts, and ranks all. A node that sends all present
// values left compares with none, behind the last.
func (u *usedCuts) of(cuts []float64) (list []float64) {
	u.rank = make([]uint8, len(u.is))
	for i := range u.is {
		u.rank[i] = uint8(min(len(list), rowCuts))
		if i < len(cuts) && u.is[i] {
			list = append(list, cuts[i])
		}
	}
	return list
}

// newSearch makes the search of codes that count the cuts of each feature.
func newSearch(features []RowFeature, cuts [][]float64) search {
	s := search{inOrder: true, single: true}
	total := 0
	for f := range features {
		s.features = append(s.features, features[f].Index)
		s.inOrder = s.inOrder && features[f].Index == features[0].Index+int32(f)
		s.blocks = append(s.blocks, uint32(4*sixteen*total))
		total += 1 + blocksOf(cuts[f])
		for _, cut := range cuts[f] {
			s.single = s.single && float64(float32(cut)) == cut
		}
	}
	s.pivots, s.cuts = alignedWords[float32](sixteen*total), alignedWords[float64](sixteen*total)
	for f := range cuts {
		first := int(s.blocks[f]) / 4
		size := sixteen * (1 + blocksOf(cuts[f]))
		fillCuts(s.pivots[first:][:size], s.cuts[first:][:size], cuts[f])
	}
	for len(s.blocks)%sixteen != 0 {
		s.blocks = append(s.blocks, 0)
	}
	if s.single {
		s.rows, s.ends32 = endsOf[float32](cuts)
	} else {
		s.rows, s.ends64 = endsOf[float64](cuts)
	}
	return s
}

// blocksOf returns how many blocks hold cuts and a +Inf behind them.
func blocksOf(cuts []float64) int { return len(cuts)/sixteen + 1 }

// fillCuts writes the blocks of a feature. Rounding keeps the order, so that only cuts that
// round to the same as a value can be on either side of it.
func fillCuts(pivots []float32, cuts, given []float64) {
	for i := range pivots {
		pivots[i], cuts[i] = float32(math.Inf(1)), math.Inf(1)
	}
	for i, cut := range given {
		pivots[sixteen+i], cuts[sixteen+i] = float32(cut), cut
	}
	// The last block has no next that a value could belong to.
	for i := range len(pivots)/sixteen - 2 {
		pivots[i] = pivots[sixteen+sixteen*i+sixteen-1]
	}
}

// endsOf returns how many rows of ends each 16 features have, and all of them.
func endsOf[T float32 | float64](cuts [][]float64) (rows []uint32, ends []T) {
	for lo := 0; lo < len(cuts); lo += sixteen {
		group, n := cuts[lo:min(lo+sixteen, len(cuts))], 0
		for _, own := range group {
			n = max(n, (len(own)-1)/lineCuts)
		}
		n = (n + rowsAtOnce - 1) / rowsAtOnce * rowsAtOnce
		rows = append(rows, uint32(n))
		for end := lineCuts - 1; n > 0; n-- {
			for i := range sixteen {
				if i < len(group) && end < len(group[i])-1 {
					ends = append(ends, T(group[i][end]))
				} else {
					ends = append(ends, T(math.Inf(1)))
				}
			}
			end += lineCuts
		}
	}
	aligned := alignedWords[T](len(ends))
	copy(aligned, ends)
	return rows, aligned
}

// alignedWords returns n words in lines of their own.
func alignedWords[T float32 | float64](n int) []T {
	size := int(unsafe.Sizeof(T(0)))
	return unsafe.Slice((*T)(unsafe.Pointer(&Aligned(n*size + line)[0])), n)
}

// codeInGo writes the codes, and reports whether any value is missing: what the vector forms do.
func (s *search) codeInGo(values []float64, codes *rowCodes) (missing bool) {
	for f, index := range s.features {
		x := values[index]
		code := uint8(0)
		for _, cut := range s.cuts[s.blocks[f]/4+sixteen:] {
			if !(cut < x) {
				break
			}
			code++
		}
		if math.IsNaN(x) {
			code, missing = math.MaxUint8, true
		}
		codes[f] = code
	}
	return missing
}
