package scan

import (
	"cmp"
	"math"
	"slices"
)

// CatRule says how the levels of a categorical feature are grouped (DESIGN §8).
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
	codes           []uint32 // the levels that stand for enough rows
	levels          []level  // the same
	lowest, highest []level  // some of them
	low, high       []uint32 // those of the lowest and of the highest statistics, ascending: as many as a group may have
	a, b            []uint32
}

// level is a level's statistic, and its code.
type level struct {
	stat   float64
	code   uint32
	bucket uint32 // of ends
}

// Categorical returns the best split of a categorical feature into a set of codes
// and the rest, with the missing code tried on both sides, and how the set is made.
// Of equal gains the lexicographically lower set wins, and of equal sets the
// missing code on the left.
func Categorical[G Grad, H Hess](f *Feature[G, H], r *Rule, c *CatRule, s *CatScratch) (Split[G, H], Grouping) {
	search := catSearch[G, H]{f: f, r: r, s: s, best: Split[G, H]{Gain: Refused}}
	if f.Count == nil && r.dividable() && usual(r.GradScale) && usual(r.HessScale) {
		search.compares = true
		search.beat(f.Least)
	}
	search.missing, search.anyMissing = f.missing()
	if search.anyMissing {
		search.try(search.missing, 0, MissingOnly, true, r.L2)
	}
	switch {
	case !groups(f.Hess[:f.Regular], c.OneHotMax):
		for code, h := range f.Hess[:f.Regular] {
			if h > 0 {
				search.tryBoth(f.at(code), code, OneLevel, r.L2)
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
func groups[H Hess](hess []H, most int) bool {
	present := 0
	for _, h := range hess {
		if h > 0 {
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

// at returns the sums of one code.
func (f *Feature[G, H]) at(code int) Sums[G, H] {
	sums := Sums[G, H]{Grad: f.Grad[code], Hess: f.Hess[code]}
	if f.Count != nil {
		sums.Rows = uint64(f.Count[code])
	}
	return sums
}

func (a Sums[G, H]) plus(b Sums[G, H]) Sums[G, H] {
	return Sums[G, H]{a.Grad + b.Grad, a.Hess + b.Hess, a.Rows + b.Rows}
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
	s.codes = listLevels(f, c, s.codes[:0])
	s.levels = s.levels[:0]
	for _, code := range s.codes {
		grad := float64(float64(f.Grad[code]) * r.GradScale)
		if f.Count != nil {
			grad += float64(float64(f.Count[code]) * r.GradOffset)
		}
		s.levels = append(s.levels, level{stat: grad / (float64(float64(f.Hess[code])*r.HessScale) + c.Smooth), code: code})
	}
	n := min(c.MaxPerSide, len(s.levels))
	low, high := s.levels, s.levels
	if 2*n < len(s.levels) && s.ends(n) {
		low, high = s.lowest, s.highest
		sortLevels(high)
	}
	sortLevels(low)
	s.low = codesOf(s.low[:0], low[:n])
	s.high = codesOf(s.high[:0], high[len(high)-n:])
}

// ends lists levels among which are the n lowest, and some among which are the n highest, both by code. It reports
// whether it could: statistics may be too large, too far apart or all the same.
func (s *CatScratch) ends(n int) bool {
	const buckets = 64
	least, most, finite := s.levels[0].stat, s.levels[0].stat, true
	for i := range s.levels {
		switch stat := s.levels[i].stat; {
		case stat < least:
			least = stat
		case stat > most:
			most = stat
		case stat-stat != 0:
			finite = false
		}
	}
	scale := (buckets - 0.5) / (most - least)
	if !finite || !(scale > 0 && scale <= math.MaxFloat64) {
		return false
	}
	var counts [buckets]int
	for i := range s.levels {
		l := &s.levels[i]
		l.bucket = uint32(int32(float64(l.stat-least)*scale)) & (buckets - 1)
		counts[l.bucket]++
	}
	to, from := uint32(0), uint32(buckets-1) // the last bucket of the lowest, the first of the highest
	for k := counts[0]; k < n; k += counts[to] {
		to++
	}
	for k := counts[from]; k < n; k += counts[from] {
		from--
	}
	s.lowest, s.highest = s.lowest[:0], s.highest[:0]
	for i := range s.levels {
		l := &s.levels[i]
		if l.bucket <= to {
			s.lowest = append(s.lowest, *l)
		}
		if l.bucket >= from {
			s.highest = append(s.highest, *l)
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

// listLevels lists the levels that stand for enough rows.
func listLevels[G Grad, H Hess](f *Feature[G, H], c *CatRule, order []uint32) []uint32 {
	hess := f.Hess[:f.Regular]
	if isInteger[H]() {
		least := H(c.leastOf(uint64(f.Total.Hess)))
		for code, h := range hess {
			if h >= least {
				order = append(order, uint32(code))
			}
		}
		return order
	}
	for code, h := range hess {
		if h > 0 && estimate(h, f.Total.Hess, c.NodeRows) >= c.Smooth {
			order = append(order, uint32(code))
		}
	}
	return order
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
		left = left.plus(c.f.at(int(code)))
		group += estimate(c.f.Hess[code], c.f.Total.Hess, rule.NodeRows)
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
	gain, unproven := consider(c.f, c.r, left, l2)
	if gain < 0 || gain < c.f.Least || gain < c.best.Gain || gain == c.best.Gain && !c.lower(code, grouping) {
		return
	}
	c.best = Split[G, H]{true, gain, code, missingLeft, unproven, left}
	c.grouping = grouping
	if c.compares {
		c.beat(max(gain, c.f.Least))
	}
}

// lower says whether a grouping's set comes before the best one's. Equal sets keep
// the earlier candidate, which has the missing code on the left.
func (c *catSearch[G, H]) lower(code int, grouping Grouping) bool {
	c.s.a = c.s.set(c.s.a[:0], code, grouping)
	c.s.b = c.s.set(c.s.b[:0], c.best.Code, c.grouping)
	return slices.Compare(c.s.a, c.s.b) < 0
}
