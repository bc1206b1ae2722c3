package scan

import (
	"cmp"
	"math"
	"slices"
)

// CatScratch is memory for Categorical, reused between calls.
type CatScratch struct {
	codes           []uint32  // the levels that stand for enough rows
	stats           []float64 // their statistics
	buckets         []uint8   // of these
	lowest, highest []level   // some of the levels
	low, high       []uint32  // those of the lowest and of the highest statistics, ascending: as many as a group may have
	a, b            []uint32
}

// level is a level's statistic, and its code.
type level struct {
	stat float64
	code uint32
}

// estimate is the number of rows that a hessian sum stands for if all rows of the
// node had the same hessian: h·rows/Σh. It smooths, it never decides a row limit.
func estimate[H Hess](h, total H, rows uint64) float64 {
	if !(total > 0) {
		return 0
	}
	return float64(h) * float64(rows) / float64(total)
}

// leastOf returns the least hessian sum of a level that stands for at least so many rows: estimates only grow
// with it.
func (c *CatRule) leastOf(total uint64) uint64 {
	enough := func(h uint64) bool { return h > 0 && estimate(h, total, c.NodeRows) >= c.Smooth }
	at := uint64(max(1, min(c.Smooth*float64(total)/float64(max(c.NodeRows, 1)), 1<<62)))
	for at > 1 && enough(at-1) { // a quotient is off by a few roundings
		at--
	}
	for !enough(at) && at <= total {
		at++
	}
	return at
}

// orderLevels finds, of the levels that stand for enough rows, those with the lowest and
// the highest Σg/(Σh + smooth), ties by code: on each side as many as a group may have.
func orderLevels[G Grad, H Hess](f *Feature[G, H], r *Rule, c *CatRule, s *CatScratch) {
	least, most := listLevels(f, r, c, s)
	n := min(c.MaxPerSide, len(s.codes))
	if 2*n >= len(s.codes) || !s.ends(n, least, most) {
		s.lowest = s.lowest[:0]
		for i, code := range s.codes {
			s.lowest = append(s.lowest, level{s.stats[i], code})
		}
		sortLevels(s.lowest)
		s.low, s.high = codesOf(s.low[:0], s.lowest[:n]), codesOf(s.high[:0], s.lowest[len(s.lowest)-n:])
		return
	}
	sortLevels(s.lowest)
	sortLevels(s.highest)
	s.low, s.high = codesOf(s.low[:0], s.lowest[:n]), codesOf(s.high[:0], s.highest[len(s.highest)-n:])
}

// ends lists levels among which are the n lowest, and some among which are the n highest, both by code, of statistics
// between two. It reports whether it could: they may be too far apart or all the same, or no numbers.
func (s *CatScratch) ends(n int, least, most float64) bool {
	const buckets = 64
	scale := (buckets - 0.5) / (most - least)
	if !(scale > 0 && scale <= math.MaxFloat64) {
		return false
	}
	s.buckets = slices.Grow(s.buckets[:0], len(s.stats))[:len(s.stats)]
	for i := bucketVectors(s.buckets, s.stats, least, scale); i < len(s.stats); i++ {
		s.buckets[i] = uint8(int32(float64(s.stats[i]-least) * scale))
	}
	var counts [2][buckets]int // in turn, as levels of one bucket may follow each other
	for i, bucket := range s.buckets {
		counts[i&1][bucket&(buckets-1)]++
	}
	to, from := 0, buckets-1 // the last bucket of the lowest, the first of the highest
	for k := counts[0][0] + counts[1][0]; k < n; k += counts[0][to] + counts[1][to] {
		to++
	}
	for k := counts[0][from] + counts[1][from]; k < n; k += counts[0][from] + counts[1][from] {
		from--
	}
	s.lowest, s.highest = s.lowest[:0], s.highest[:0]
	for i, bucket := range s.buckets {
		if int(bucket) <= to {
			s.lowest = append(s.lowest, level{s.stats[i], s.codes[i]})
		}
		if int(bucket) >= from {
			s.highest = append(s.highest, level{s.stats[i], s.codes[i]})
		}
	}
	return true
}

// sortLevels sorts levels that ascend by code.
func sortLevels(levels []level) {
	if len(levels) > mostInserted {
		slices.SortStableFunc(levels, func(a, b level) int { return cmp.Compare(a.stat, b.stat) })
		return
	}
	for i, l := range levels {
		for ; i > 0 && cmp.Less(l.stat, levels[i-1].stat); i-- {
			levels[i] = levels[i-1]
		}
		levels[i] = l
	}
}

// mostInserted is the most levels that are sorted by putting each in its place.
const mostInserted = 96

func codesOf(dst []uint32, levels []level) []uint32 {
	for i := range levels {
		dst = append(dst, levels[i].code)
	}
	return dst
}

// listLevels lists the levels that stand for enough rows, and their statistics, of which it returns the least and the
// largest; NaN where one is not finite.
func listLevels[G Grad, H Hess](f *Feature[G, H], r *Rule, c *CatRule, s *CatScratch) (least, most float64) {
	from := H(0) // a level's hessian, at least
	if isInteger[H]() {
		enough := c.leastOf(uint64(f.Total.Hess))
		if least, most, ok := levelVectors(f.Words, f.Regular, enough, r, c, s); ok {
			return least, most
		}
		from = H(enough)
	}
	s.codes, s.stats = s.codes[:0], s.stats[:0]
	least, most = math.Inf(1), math.Inf(-1)
	for code := range f.Regular {
		if h := f.hess(code); h < from || h == 0 || !isInteger[H]() && estimate(h, f.Total.Hess, c.NodeRows) < c.Smooth {
			continue
		}
		sums := f.at(code)
		grad := float64(float64(sums.Grad)*r.GradScale) + float64(float64(sums.Rows)*r.GradOffset)
		stat := grad / (float64(float64(sums.Hess)*r.HessScale) + c.Smooth)
		least, most = min(least, stat), max(most, stat) // NaN if one is
		s.codes, s.stats = append(s.codes, uint32(code)), append(s.stats, stat)
	}
	return least, most
}
