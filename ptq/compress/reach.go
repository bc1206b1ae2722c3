package compress

import (
	"math/bits"
	"slices"

	"boost/tree"
)

// codes is which codes of a feature reach a place in a tree: of present values those from low to
// high, of a categorical feature those of levels, and perhaps the missing one, which stands for
// all codes that are not regular.
type codes struct {
	low, high int64 // numeric; none where low > high
	levels    []uint64
	missing   bool
}

// reach says for every feature which codes reach a place in a tree. Features are independent of
// each other: a row comes by if and only if every one of its codes does.
type reach struct {
	features []tree.Feature
	codes    []codes // by feature
}

// newReach is that of a root.
func newReach(features []tree.Feature) *reach {
	r := &reach{features: features, codes: make([]codes, len(features))}
	for f, feature := range features {
		c := &r.codes[f]
		c.missing, c.high = true, int64(feature.Regular)-1
		if !feature.Categorical {
			continue
		}
		c.levels = make([]uint64, (feature.Regular+63)/64)
		for i := range c.levels {
			c.levels[i] = ^uint64(0)
		}
		if odd := feature.Regular % 64; odd > 0 {
			c.levels[len(c.levels)-1] = 1<<odd - 1
		}
	}
	return r
}

// sides returns which codes of a split's feature go left and which right, of those that reach
// it. code is the last on the left of a numeric split, set those of a categorical one.
func (r *reach) sides(feature int32, code uint32, set []uint32, missingLeft bool) (left, right codes) {
	at := &r.codes[feature]
	left, right = *at, *at
	left.missing, right.missing = at.missing && missingLeft, at.missing && !missingLeft
	if !r.features[feature].Categorical {
		left.high, right.low = min(at.high, int64(code)), max(at.low, int64(code)+1)
		return left, right
	}
	left.levels, right.levels = make([]uint64, len(at.levels)), slices.Clone(at.levels)
	for _, level := range set {
		left.levels[level/64] |= at.levels[level/64] & (1 << (level % 64))
		right.levels[level/64] &^= 1 << (level % 64)
	}
	return left, right
}

// none reports whether no code is among them.
func (c *codes) none() bool {
	if c.missing {
		return false
	}
	if c.levels == nil {
		return c.low > c.high
	}
	for _, word := range c.levels {
		if word != 0 {
			return false
		}
	}
	return true
}

// list returns the levels, ascending.
func (c *codes) list() []uint32 {
	var all []uint32
	for i, word := range c.levels {
		for ; word != 0; word &= word - 1 {
			all = append(all, uint32(64*i+bits.TrailingZeros64(word)))
		}
	}
	return all
}
