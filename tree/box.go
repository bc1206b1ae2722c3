package tree

import (
	"cmp"
	"math"
	"slices"
	"unsafe"
)

// Box is what the way to a node says of the codes of its rows: of a numeric feature a range and whether they may be missing, of a
// categorical feature the sets that it went by. It ascends by feature. The zero value holds all rows.
//
// Codes behind the last cut stand for values too: a side without a code left counts as one above all.
type Box []boxSide

// boxSide is one numeric feature, or one categorical split.
type boxSide struct {
	feature     int32
	low, high   uint32 // numeric: no codes where low > high
	missing     bool
	categorical bool
	set         []uint32 // categorical: the codes that went left, ascending,
	left        bool     // and so did this one
}

// BoxSideBytes is what a box takes for each feature.
const BoxSideBytes = int64(unsafe.Sizeof(boxSide{}))

// Range returns the codes of a numeric feature in the box, none where low > high, and whether they may be missing.
func (b Box) Range(feature int32) (low, high uint32, missing bool) {
	if i, found := b.search(feature); found {
		return b[i].low, b[i].high, b[i].missing
	}
	return 0, math.MaxUint32, true
}

func (b Box) search(feature int32) (int, bool) {
	return slices.BinarySearchFunc(b, feature, func(s boxSide, f int32) int { return cmp.Compare(s.feature, f) })
}

// Cut returns the box of a child of a numeric split after a code. It lies in the memory of dst.
func (b Box) Cut(dst Box, feature int32, code uint32, missingLeft, left bool) Box {
	dst = append(dst[:0], b...)
	i, found := dst.search(feature)
	if !found {
		dst = slices.Insert(dst, i, boxSide{feature: feature, high: math.MaxUint32, missing: true})
	}
	s := &dst[i]
	if s.missing = s.missing && missingLeft == left; left {
		s.high = min(s.high, code)
	} else {
		s.low = max(s.low, code+1)
	}
	return dst
}

// Choose returns the box of a child of a categorical split by a set, which it refers to. It lies in the memory of dst.
func (b Box) Choose(dst Box, feature int32, set []uint32, missingLeft, left bool) Box {
	dst = append(dst[:0], b...)
	i, found := dst.search(feature)
	missing := missingLeft == left && !(found && !dst[i].missing)
	dst = slices.Insert(dst, i, boxSide{feature: feature, missing: missing, categorical: true, set: set, left: left})
	return dst
}

// Bound returns along which numeric feature with a direction other than 0 the predictions in one box are bound to those in another:
// it is the only one by whose codes the boxes are apart. above reports whether those in b may not be less than those in other, else they
// may not be greater. Where the boxes are not bound to each other, feature is -1.
func (b Box) Bound(other Box, directions []int8) (feature int32, above bool) {
	feature = -1
	for i, j := 0, 0; i < len(b) && j < len(other); {
		f := b[i].feature
		switch {
		case f < other[j].feature:
			i++
			continue
		case f > other[j].feature:
			j++
			continue
		}
		endI, endJ := i, j
		for endI < len(b) && b[endI].feature == f {
			endI++
		}
		for endJ < len(other) && other[endJ].feature == f {
			endJ++
		}
		if !meet(b[i:endI], other[j:endJ]) {
			own, its := &b[i], &other[j]
			if feature >= 0 || own.categorical || directions[f] == 0 || own.low > own.high || its.low > its.high {
				return -1, false
			}
			feature, above = f, (own.low > its.high) == (directions[f] > 0)
		}
		i, j = endI, endJ
	}
	return feature, above
}

// meet reports whether a row can be in two boxes by what they say of one feature. Of categorical features it may say so in vain.
func meet(a, b []boxSide) bool {
	if a[0].missing && b[0].missing {
		return true
	}
	if !a[0].categorical {
		return max(a[0].low, b[0].low) <= min(a[0].high, b[0].high)
	}
	for _, sides := range [...][]boxSide{a, b} {
		for i := range sides {
			if !sides[i].left {
				continue
			}
			return slices.ContainsFunc(sides[i].set, func(code uint32) bool { return holds(a, code) && holds(b, code) })
		}
	}
	return true // neither lists its codes
}

// holds reports whether a categorical feature may have a code.
func holds(sides []boxSide, code uint32) bool {
	for i := range sides {
		if _, in := slices.BinarySearch(sides[i].set, code); in != sides[i].left {
			return false
		}
	}
	return true
}
