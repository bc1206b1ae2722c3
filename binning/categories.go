package binning

import (
	"cmp"
	"fmt"
	"slices"
)

// ranking is the order of a categorical column's levels: code 0 for the most
// frequent one (among equals the first in the dictionary), and so on; then, if there
// are levels too rare or too many for a code of their own, one code for all of them.
type ranking struct {
	codes   []uint32 // per dictionary index; NoCode for a level without a row
	regular uint32   // number of codes, at least 1

	shared     int // levels that share a code
	sharedRows int
	rarer      bool // some of them are rarer than MinDataPerCat
	beyond     bool // some of them are not, but there are more than MaxCat
}

// countLevels counts the rows of each of n levels, given by index.
func countLevels(indices []int32, n int) []int {
	counts := make([]int, n)
	for _, index := range indices {
		if index >= 0 {
			counts[index]++
		}
	}
	return counts
}

// rankLevels ranks levels by how many rows each has.
func rankLevels(counts []int, p Params) ranking {
	var order []int
	for level, count := range counts {
		if count > 0 {
			order = append(order, level)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	frequent, _ := slices.BinarySearchFunc(order, p.MinDataPerCat, func(level, least int) int {
		if counts[level] >= least {
			return -1
		}
		return 1
	})
	own := min(frequent, p.MaxCat)

	r := ranking{codes: make([]uint32, len(counts)), regular: uint32(max(own, 1))}
	for level := range r.codes {
		r.codes[level] = NoCode
	}
	for rank, level := range order {
		r.codes[level] = uint32(min(rank, own))
	}
	if own < len(order) {
		r.regular = uint32(own) + 1
		r.shared = len(order) - own
		r.rarer, r.beyond = frequent < len(order), own < frequent
		for _, level := range order[own:] {
			r.sharedRows += counts[level]
		}
	}
	return r
}

// note says which levels share a code, or nothing.
func (r *ranking) note(column string, p Params) string {
	if r.shared < 2 {
		return ""
	}
	var why string
	switch {
	case r.rarer && r.beyond:
		why = fmt.Sprintf("beyond categorical.max_cat = %d or rarer than categorical.min_data_per_cat = %d", p.MaxCat, p.MinDataPerCat)
	case r.rarer:
		why = fmt.Sprintf("rarer than categorical.min_data_per_cat = %d", p.MinDataPerCat)
	default:
		why = fmt.Sprintf("beyond categorical.max_cat = %d", p.MaxCat)
	}
	return fmt.Sprintf("column %q: %d levels (%d rows) share one code: %s", column, r.shared, r.sharedRows, why)
}
