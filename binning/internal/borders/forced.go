package borders

import (
	"slices"
	"sort"

	"boost/internal/kernel/bin"
)

// Gaps returns, for each forced cut, the last run on its left side, −1 if there is
// none. Each run stands on the side of its values.
func Gaps[K bin.Key, V bin.Float](forced []V, r Runs[K], value func(K) V) []int {
	gaps := make([]int, len(forced))
	for i, cut := range forced {
		gaps[i] = sort.Search(len(r.Keys), func(run int) bool { return value(r.Keys[run]) > cut }) - 1
	}
	return gaps
}

// Find appends the borders of at most bins bins to borders. gaps are those of forced cuts,
// which take up bins; none of the borders lies in one of them. If every distinct value fits
// a bin of its own, it has one; else the borders are quantiles, of as many bins as the
// forced cuts leave.
func Find[K bin.Key](borders []int, r Runs[K], bins int, gaps []int) []int {
	if len(gaps) == 0 {
		return ofQuantiles(borders, r, bins)
	}
	last := len(r.Keys) - 1
	shared := 0 // forced cuts that separate neighbouring values: each such gap counts once
	for i, gap := range gaps {
		if gap >= 0 && gap < last && (i == 0 || gaps[i-1] != gap) {
			shared++
		}
	}
	free := bins - len(gaps)
	if last-shared < free {
		free = max(len(r.Keys), 1)
	}
	borders = ofQuantiles(borders, r, free)
	return slices.DeleteFunc(borders, func(border int) bool {
		_, taken := slices.BinarySearch(gaps, border)
		return taken
	})
}
