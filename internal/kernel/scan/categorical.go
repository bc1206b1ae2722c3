package scan

import (
	"cmp"
	"math"
	"slices"
)

// CatRule says how the levels of a categorical feature are grouped (docs/architecture.md, Splits).
type CatRule struct {
	OneHotMax   int     // up to this many levels present: one level against the rest
	Smooth      float64 // added to the hessian of the statistic, and the rows a level needs
	L2          float64 // added to Rule.L2 where levels are grouped
	MaxPerSide  int
	MinPerGroup float64
	NodeRows    uint64
}

// Grouping says which codes a categorical Split sends left.
type Grouping uint8

// The groupings.
const (
	OneLevel    Grouping = iota // the code Split.Code
	FromLow                     // the Split.Code levels of the lowest statistic
	FromHigh                    // the Split.Code levels of the highest statistic
	MissingOnly                 // no level: the missing code against the rest
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

// Categorical returns the best split of a categorical feature into a set of codes
// and the rest, with the missing code tried on both sides, and how the set is made.
// Of equal gains the lexicographically lower set wins, and of equal sets the
// missing code on the left.
func Categorical[G Grad, H Hess](f *Feature[G, H], r *Rule, c *CatRule, s *CatScratch) (Split[G, H], Grouping) {
	search := catSearch[G, H]{f: f, r: r, s: s, best: Split[G, H]{Gain: Refused}}
	if f.Count == nil && r.plain() && r.L1 == 0 && usual(r.GradScale) && usual(r.HessScale) {
		search.compares = true
		search.beat(f.Least)
	}
	search.missing, search.anyMissing = f.missing()
	if search.anyMissing {
		search.try(search.missing, 0, MissingOnly, true, r.L2)
	}
	switch {
	case !f.groups(c.OneHotMax):
		for code := range f.Regular {
			if sums := f.at(code); sums.Hess > 0 {
				search.tryBoth(sums, code, OneLevel, r.L2)
			}
		}
	case isInteger[H]() && c.tooFewRows():
	default:
		orderLevels(f, r, c, s)
		search.prefixes(c, FromLow)
		search.prefixes(c, FromHigh)
	}
	return search.best, search.grouping
}

// groups reports whether more levels are present than are split off one by one.
func (f *Feature[G, H]) groups(most int) bool {
	present := 0
	for code := range f.Regular {
		if f.hess(code) > 0 {
			if present++; present > most {
				return true
			}
		}
	}
	return false
}

// tooFewRows reports whether the node has fewer rows than a group needs. Sums of integers add up to the node's
// total, so that its levels stand for no more rows than it has, up to roundings.
func (c *CatRule) tooFewRows() bool { return float64(float64(c.NodeRows)*(1+1e-6)) < c.MinPerGroup }

func isInteger[H Hess]() bool {
	var h H
	_, is := any(h).(uint64)
	return is
}

// Set returns the ascending codes that a candidate of Categorical sends left. The
// slice is valid until the scratch is used again.
func Set[G Grad, H Hess](f *Feature[G, H], r *Rule, c *CatRule, s *CatScratch, split Split[G, H], grouping Grouping) []uint32 {
	if grouping == FromLow || grouping == FromHigh {
		orderLevels(f, r, c, s)
	}
	s.a = s.set(s.a[:0], split.Code, grouping)
	return s.a
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

// set appends the ascending codes of a grouping to dst.
func (s *CatScratch) set(dst []uint32, code int, grouping Grouping) []uint32 {
	switch grouping {
	case OneLevel:
		return append(dst, uint32(code))
	case FromLow:
		dst = append(dst, s.low[:code]...)
	case FromHigh:
		dst = append(dst, s.high[len(s.high)-code:]...)
	}
	slices.Sort(dst)
	return dst
}

// catSearch is the state of one search.
type catSearch[G Grad, H Hess] struct {
	f          *Feature[G, H]
	r          *Rule
	s          *CatScratch
	missing    Sums[G, H]
	anyMissing bool
	best       Split[G, H]
	grouping   Grouping
	compares   bool    // gains are compared with toBeat before they are divided
	toBeat     float64 // a little less than the least gain that is looked for
}

// beat raises the least gain that is looked for.
func (c *catSearch[G, H]) beat(gain float64) { c.toBeat = float64(gain * (1 - 1.0/(1<<40))) }

// falls reports whether a split surely gains less than is looked for: without divisions, by products
// that are off by a few roundings.
func (c *catSearch[G, H]) falls(left Sums[G, H], l2 float64) bool {
	gl, hl := float64(float64(left.Grad)*c.r.GradScale), float64(float64(left.Hess)*c.r.HessScale)+l2
	gr, hr := float64(float64(c.f.Total.Grad-left.Grad)*c.r.GradScale), float64(float64(c.f.Total.Hess-left.Hess)*c.r.HessScale)+l2
	return float64(float64(gl*gl)*hr)+float64(float64(gr*gr)*hl) < float64(c.toBeat*float64(hl*hr))
}

func (c *catSearch[G, H]) prefixes(rule *CatRule, grouping Grouping) {
	order := c.s.low
	if grouping == FromHigh {
		order = c.s.high
	}
	var left Sums[G, H]
	group := 0.0
	for size := 1; size <= len(order); size++ {
		code := order[size-1]
		if grouping == FromHigh {
			code = order[len(order)-size]
		}
		sums := c.f.at(int(code))
		left = left.plus(sums)
		group += estimate(sums.Hess, c.f.Total.Hess, rule.NodeRows)
		if group < rule.MinPerGroup {
			continue
		}
		group = 0
		c.tryBoth(left, size, grouping, c.r.L2+rule.L2)
	}
}

func (c *catSearch[G, H]) tryBoth(left Sums[G, H], code int, grouping Grouping, l2 float64) {
	if c.anyMissing {
		c.try(left.plus(c.missing), code, grouping, true, l2)
	}
	c.try(left, code, grouping, false, l2)
}

func (c *catSearch[G, H]) try(left Sums[G, H], code int, grouping Grouping, missingLeft bool, l2 float64) {
	if c.compares && c.toBeat > 0 && c.falls(left, l2) {
		return
	}
	gain, unproven := gain(c.f, c.r, left, l2)
	if gain < 0 || gain < c.f.Least || gain < c.best.Gain || gain == c.best.Gain && !c.lower(code, grouping) {
		return
	}
	c.best = Split[G, H]{true, gain, code, missingLeft, unproven, left}
	c.grouping = grouping
	if c.compares {
		c.beat(max(gain, c.f.Least))
	}
}

// lower reports whether a grouping's set comes before the best one's. Equal sets keep
// the earlier candidate, which has the missing code on the left.
func (c *catSearch[G, H]) lower(code int, grouping Grouping) bool {
	c.s.a = c.s.set(c.s.a[:0], code, grouping)
	c.s.b = c.s.set(c.s.b[:0], c.best.Code, c.grouping)
	return slices.Compare(c.s.a, c.s.b) < 0
}
