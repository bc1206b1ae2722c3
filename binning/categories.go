package binning

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// ranking is the order of a categorical column's levels: code 0 for the most
// frequent one (among equals the first in the dictionary), and so on; then, if there
// are levels too rare or too many for a code of their own, one code for all of them, or
// with HashBuckets the codes of the buckets that they hash into, in the buckets' order.
//
// Ordered by name, the same levels (among equally frequent ones the first by name)
// have codes of their own, in the order of their names: numbers by value, text by its
// bytes. The codes then do not depend on the order of the rows.
type ranking struct {
	codes   []uint32 // per dictionary index; NoCode for a level without a row
	regular uint32   // number of codes, at least 1
	own     int      // codes below have one level each

	shared     int // levels without a code of their own
	buckets    int // codes that they share
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

	r := ranking{codes: make([]uint32, len(counts)), regular: uint32(max(own, 1)), own: own}
	for level := range r.codes {
		r.codes[level] = NoCode
	}
	for rank, level := range order {
		r.codes[level] = uint32(min(rank, own))
	}
	if own < len(order) {
		r.shared = len(order) - own
		r.buckets = share(r.codes, order[own:], levels, uint32(own), p.HashBuckets)
		r.regular = uint32(own + r.buckets)
		r.rarer, r.beyond = frequent < len(order), own < frequent
		for _, level := range order[own:] {
			r.sharedRows += counts[level]
		}
	}
	return r
}

// share gives levels the codes from first on, and returns how many: one for all, or one for every bucket that has a level.
func share(codes []uint32, rare []int, levels []string, first uint32, buckets int) int {
	if buckets == 0 {
		return 1
	}
	used := make([]bool, buckets)
	for _, level := range rare {
		used[hashBucket(levels[level], buckets)] = true
	}
	code, next := make([]uint32, buckets), first
	for b, some := range used {
		if code[b] = next; some {
			next++
		}
	}
	for _, level := range rare {
		codes[level] = code[hashBucket(levels[level], buckets)]
	}
	return int(next - first)
}

// hashBucket returns the bucket of a level: its hash modulo their number.
func hashBucket(level string, buckets int) int { return int(fnv1a(level) % uint64(buckets)) }

// bucketCodes returns by bucket the code below n that its levels share, and NoCode where none is known: a code
// stands for a bucket if several levels have it, all of that bucket.
func bucketCodes(codes []uint32, n uint32, levels []string, buckets int) []uint32 {
	const mixed = -1
	users := make([]struct{ levels, bucket int }, n)
	for level, code := range codes {
		if code == NoCode {
			continue
		}
		u, b := &users[code], hashBucket(levels[level], buckets)
		if u.levels > 0 && u.bucket != b {
			b = mixed
		}
		u.levels, u.bucket = u.levels+1, b
	}
	of := slices.Repeat([]uint32{NoCode}, buckets)
	for code, u := range users {
		if u.levels > 1 && u.bucket != mixed && of[u.bucket] == NoCode {
			of[u.bucket] = uint32(code)
		}
	}
	return of
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
	what := "one code"
	if p.HashBuckets > 0 {
		what = fmt.Sprintf("%d codes by hash", r.buckets)
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
	return fmt.Sprintf("column %q: %d levels (%d rows) share %s: %s", column, r.shared, r.sharedRows, what, why)
}
