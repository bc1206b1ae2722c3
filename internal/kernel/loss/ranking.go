package loss

import (
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"boost/internal/detmath"
)

// Ranking sorts the rows of a query. The zero value is ready; it is not for concurrent use.
type Ranking struct {
	keys, less []uint64
	rows       []int32
}

// fewRows is the number of rows up to which it is quicker to count for each key those that are less, with vectors, than to sort.
const fewRows = 256

// Of returns the rows 0 … n-1 by their scores, the highest first; rows of one score keep their order. Scores are numbers. The
// result holds until the next call.
//
// Keys are scores without their lowest bits, in whose place the row stands. What that puts in the wrong order is near its
// place, and is moved there afterwards.
func (r *Ranking) Of(scores []float64) []int32 {
	n := len(scores)
	all := (n + 7) &^ 7
	if cap(r.keys) < all {
		r.keys, r.rows = make([]uint64, all), make([]int32, all)
	}
	keys, rows := r.keys[:all], r.rows[:n]
	mask := uint64(1)<<bits.Len(uint(n)) - 1
	for i, s := range scores {
		keys[i] = ^orderKey(s)&^mask | uint64(i)
	}
	r.order(keys, n)
	for i, key := range keys[:n] {
		row := int32(key & mask)
		score := scores[row]
		at := i
		for ; at > 0 && scores[rows[at-1]] < score; at-- {
			rows[at] = rows[at-1]
		}
		rows[at] = row
	}
	return rows
}

// order sorts the first n keys, which differ.
func (r *Ranking) order(keys []uint64, n int) {
	if r.less == nil {
		r.less = make([]uint64, 2*fewRows)
	}
	for i := n; i < len(keys); i++ {
		keys[i] = math.MaxUint64
	}
	if n > fewRows || !countLess(r.less, keys) {
		slices.Sort(keys[:n])
		return
	}
	sorted := r.less[fewRows:]
	for i, key := range keys[:n] {
		sorted[r.less[i]] = key
	}
	copy(keys, sorted[:n])
}

// discounts holds the weights of as many positions as were asked for.
var discounts atomic.Pointer[[]float64]

// Discounts returns the weights of the first n positions in a gain that is discounted by position, 1/log₂(2 + position) from position 0
// on. It is not to be written to.
func Discounts(n int) []float64 {
	if have := discounts.Load(); have != nil && len(*have) >= n {
		return (*have)[:n]
	}
	made := make([]float64, max(1<<10, 1<<bits.Len(uint(n))))
	for i := range made {
		made[i] = math.Ln2 / detmath.Log(float64(i+2))
	}
	discounts.Store(&made)
	return made[:n]
}
