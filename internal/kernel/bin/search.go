package bin

// Code is what a code is stored in.
type Code interface{ uint8 | uint16 | uint32 }

// Float is what a value or a cut is stored in.
type Float interface{ float32 | float64 }

// OnSearch, if a test has set it, is told how many cells each call of this package
// has looked up. It is called from several goroutines at once.
var OnSearch func(cells int)

// Search writes the code of each value: the number of cuts below it, and
// len(cuts)+1 for NaN. It is the plain form of Codes32 and Codes64, for
// calls too small to pay for an Index.
//
// Value and cut are compared as float64. Widening is exact, so this is the
// comparison in float32 where both are float32. dst must hold a code per value.
func Search[C Code, V, K Float](dst []C, values []V, cuts []K) {
	if OnSearch != nil {
		OnSearch(len(values))
	}
	dst = dst[:len(values)]
	for i, v := range values {
		x := float64(v)
		lo, hi := 0, len(cuts)
		for lo < hi {
			mid := int(uint(lo+hi) >> 1)
			if float64(cuts[mid]) < x {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		if x != x {
			lo = len(cuts) + 1
		}
		dst[i] = C(lo)
	}
}

// Lookup writes the code of each dictionary index: codes[index], and missing where
// the index is negative, beyond the table or marked by none in it.
func Lookup[C Code](dst []C, indices []int32, codes []uint32, none, missing uint32) {
	if OnSearch != nil {
		OnSearch(len(indices))
	}
	dst = dst[:len(indices)]
	for i, index := range indices {
		code := none
		if uint(index) < uint(len(codes)) {
			code = codes[index]
		}
		if code == none {
			code = missing
		}
		dst[i] = C(code)
	}
}
