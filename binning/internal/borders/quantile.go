package borders

import (
	"math/bits"
	"slices"
	"sort"

	"boost/internal/kernel/bin"
)

// A border is the index of the last run on its left side. ofQuantiles finds the
// borders of at most bins bins, appended to borders: after each
// run but the last if there are no more than bins, else, i = 1 … bins−1, after the
// first run with C > ⌊i·(W−1)/bins⌋, where C is the weight up to the run and W that of
// all. With every row of weight 1 that is the run of the value v[⌊i·(n−1)/bins⌋]. If
// all weights are 0 the rows count alike.
//
// Zero is kept apart where it is frequent: where its run holds at least two of the
// ⌊i·(W−1)/bins⌋, which by the rule share one border, it has a border below it too. So
// zero has a bin of its own, and there are still no more than bins: a border is spent
// that the rule would have dropped.
func ofQuantiles[K bin.Key](borders []int, r Runs[K], bins int) []int {
	last := len(r.Keys) - 1
	if last < bins {
		for run := range max(last, 0) {
			borders = append(borders, run)
		}
		return borders
	}
	if r.total() == 0 {
		r.Sums = nil
	}
	total := r.total()
	run, previous := 0, -1
	for i := 1; i < bins; i++ {
		run = r.beyond(run, share(total-1, i, bins))
		if run == last {
			break
		}
		if run != previous {
			borders = append(borders, run)
			previous = run
		}
	}
	if zero, present := slices.BinarySearch(r.Keys, bin.Zero[K]()); present && zero > 0 && r.holdsTwo(zero, bins) {
		if at, present := slices.BinarySearch(borders, zero-1); !present {
			borders = slices.Insert(borders, at, zero-1)
		}
	}
	return borders
}

// holdsTwo reports whether a run but the first holds at least two of the ⌊i·(W−1)/bins⌋.
func (r *Runs[K]) holdsTwo(run, bins int) bool {
	before, total := r.upTo(run-1), r.total()
	// The first of them is that of i = first + 1.
	first := sort.Search(bins-1, func(i int) bool { return share(total-1, i+1, bins) >= before })
	return first+2 < bins && share(total-1, first+2, bins) < r.upTo(run)
}

// share returns ⌊i·n/of⌋; i is below of.
func share(n uint64, i, of int) uint64 {
	high, low := bits.Mul64(uint64(i), n)
	// high < of because i < of, so that the quotient has 64 bits.
	quotient, _ := bits.Div64(high, low, uint64(of))
	return quotient
}
