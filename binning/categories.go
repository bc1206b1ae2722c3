package binning

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// ranking is the order of a categorical column's levels: code 0 for the most
// frequent one (among equals the first in the dictionary), and so on; then, if there
// are levels too rare or too many for a code of their own, one code for all of them.
//
// Ordered by name, the same levels (among equally frequent ones the first by name)
// have codes of their own, in the order of their names: numbers by value, text by its
// bytes. The codes then do not depend on the order of the rows.
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

// rankLevels ranks levels by how many rows each has and, if that is asked for, by name.
func rankLevels(counts []int, levels []string, numeric bool, p Params) ranking {
	var order []int
	for level, count := range counts {
		if count > 0 {
			order = append(order, level)
		}
	}
	var place []int // by level: its place among all names
	if p.Order == ByName {
		place = placesByName(order, levels, numeric)
	}
	slices.SortFunc(order, func(a, b int) int {
		if c := cmp.Compare(counts[b], counts[a]); c != 0 || place == nil {
			return cmp.Or(c, cmp.Compare(a, b))
		}
		return cmp.Compare(place[a], place[b])
	})
	frequent, _ := slices.BinarySearchFunc(order, p.MinDataPerCat, func(level, least int) int {
		if counts[level] >= least {
			return -1
		}
		return 1
	})
	own := min(frequent, p.MaxCat)

	if place != nil {
		slices.SortFunc(order[:own], func(a, b int) int { return cmp.Compare(place[a], place[b]) })
	}

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

// placesByName numbers the levels of order by name.
func placesByName(order []int, levels []string, numeric bool) []int {
	byName := slices.Clone(order)
	if numeric {
		values := make([]float64, len(levels))
		for _, level := range order {
			values[level], _ = strconv.ParseFloat(levels[level], 64) // the reader wrote it
		}
		slices.SortFunc(byName, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	} else {
		slices.SortFunc(byName, func(a, b int) int { return cmp.Compare(levels[a], levels[b]) })
	}
	place := make([]int, len(levels))
	for i, level := range byName {
		place[level] = i
	}
	return place
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
