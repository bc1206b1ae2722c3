package binning

import (
	"math/bits"

	"boost/internal/kernel/bin"
)

// A border is the position of the last of the sorted values on its left side; the
// value after it is greater. quantileBorders finds the borders of at most bins bins
// of n sorted keys, appended to borders (SEEDS S0.7, S0.8): after each distinct value
// but the greatest if they are few enough, else after v[⌊i·(n−1)/bins⌋], i = 1 … bins−1.
func quantileBorders[K bin.Key](borders []int, keys []K, bins int) []int {
	n := len(keys)
	if n == 0 || keys[0] == keys[n-1] {
		return borders
	}
	if distinct(keys) <= bins {
		return distinctBorders(borders, keys)
	}
	end := -1 // last position of the last border's value
	for i := 1; i < bins; i++ {
		// i < 2²⁴ and n ≤ 2³², so the product has at most 56 bits.
		at := int(uint64(i) * uint64(n-1) / uint64(bins))
		if at <= end {
			continue
		}
		end = at
		for end+1 < n && keys[end+1] == keys[at] {
			end++
		}
		if end == n-1 {
			break
		}
		borders = append(borders, end)
	}
	return borders
}

// weightedBorders is quantileBorders by weight: with cumulative weight C(v) and
// total W, border i stands after the first v with C(v) > ⌊i·(W−1)/bins⌋. If all
// weights are 0 the values count alike.
func weightedBorders[K bin.Key](borders []int, keys []K, weights []uint64, bins int) []int {
	var total uint64 // below 2⁶⁴: fewer than 2³² rows of at most 2³²
	for _, w := range weights {
		total += w
	}
	n := len(keys)
	if total == 0 || n == 0 || distinct(keys) <= bins {
		return quantileBorders(borders, keys, bins)
	}
	var sum uint64 // weight of the values up to end
	end := -1
	for i := 1; i < bins; i++ {
		high, low := bits.Mul64(uint64(i), total-1)
		// high < bins because i < bins, so that the quotient has 64 bits.
		target, _ := bits.Div64(high, low, uint64(bins))
		if sum > target {
			continue
		}
		for sum <= target {
			value := keys[end+1]
			for end+1 < n && keys[end+1] == value {
				end++
				sum += weights[end]
			}
		}
		if end == n-1 {
			break
		}
		borders = append(borders, end)
	}
	return borders
}

// distinct returns the number of different keys.
func distinct[K bin.Key](keys []K) int {
	count := min(len(keys), 1)
	for i := 1; i < len(keys); i++ {
		if keys[i] != keys[i-1] {
			count++
		}
	}
	return count
}

func distinctBorders[K bin.Key](borders []int, keys []K) []int {
	for i := 1; i < len(keys); i++ {
		if keys[i] != keys[i-1] {
			borders = append(borders, i-1)
		}
	}
	return borders
}

// enforceMinimum drops borders until every bin of n values holds at least least of
// them: from the left, a border that would close too small a bin; then the last one
// if the bin after it is too small.
func enforceMinimum(borders []int, n, least int) []int {
	kept := borders[:0]
	start := 0
	for _, border := range borders {
		if border+1-start >= least {
			kept = append(kept, border)
			start = border + 1
		}
	}
	if len(kept) > 0 && n-start < least {
		kept = kept[:len(kept)-1]
	}
	return kept
}
