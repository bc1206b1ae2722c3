package scan

import (
	"cmp"
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
	low, high extremes // as many levels as a group may have, and all where these are fewer
	order     []uint32 // levels by statistic
	statistic []float64
	a, b      []uint32
}

// extremes are the levels of the lowest statistics, or of the highest, ascending.
type extremes struct {
	codes []uint32
	stats []float64
}

// Categorical returns the best split of a categorical feature into a set of codes
// and the rest, with the missing code tried on both sides, and how the set is made.
// Of equal gains the lexicographically lower set wins, and of equal sets the
// missing code on the left.
func Categorical[G Grad, H Hess](f *Feature[G, H], r *Rule, c *CatRule, s *CatScratch) (Split[G, H], Grouping) {
	search := catSearch[G, H]{f: f, r: r, s: s, best: Split[G, H]{Gain: Refused}}
	search.missing, search.anyMissing = f.missing()
	if search.anyMissing {
		search.try(search.missing, 0, MissingOnly, true, r.L2)
	}
	present := 0
	for _, h := range f.Hess[:f.Regular] {
		if h > 0 {
			present++
		}
	}
	if present <= c.OneHotMax {
		for code, h := range f.Hess[:f.Regular] {
			if h > 0 {
				search.tryBoth(f.at(code), code, OneLevel, r.L2)
			}
		}
		return search.best, search.grouping
	}
	orderLevels(f, r, c, s)
	search.prefixes(c, FromLow)
	search.prefixes(c, FromHigh)
	return search.best, search.grouping
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

// mostKept is the largest group of levels whose levels are kept while all are looked at,
// each put in its place; for larger ones all levels are sorted.
const mostKept = 64

// orderLevels finds, of the levels that stand for enough rows, those with the lowest and
// the highest Σg/(Σh + smooth), ties by code: on each side as many as a group may have.
func orderLevels[G Grad, H Hess](f *Feature[G, H], r *Rule, c *CatRule, s *CatScratch) {
	for _, side := range []*extremes{&s.low, &s.high} {
		side.codes, side.stats = side.codes[:0], side.stats[:0]
	}
	keeping := c.MaxPerSide <= mostKept
	if !keeping && len(s.statistic) < f.Regular {
		s.statistic = make([]float64, f.Regular)
	}
	s.order = s.order[:0]
	for code, h := range f.Hess[:f.Regular] {
		if !(h > 0 && estimate(h, f.Total.Hess, c.NodeRows) >= c.Smooth) {
			continue
		}
		grad := float64(float64(f.Grad[code]) * r.GradScale)
		if f.Count != nil {
			grad += float64(float64(f.Count[code]) * r.GradOffset)
		}
		stat := grad / (float64(float64(h)*r.HessScale) + c.Smooth)
		if !keeping {
			s.order = append(s.order, uint32(code))
			s.statistic[code] = stat
			continue
		}
		if n := len(s.low.codes); n < c.MaxPerSide {
			s.low.insert(uint32(code), stat)
		} else if n > 0 && cmp.Less(stat, s.low.stats[n-1]) {
			s.low.codes, s.low.stats = s.low.codes[:n-1], s.low.stats[:n-1]
			s.low.insert(uint32(code), stat)
		}
		if n := len(s.high.codes); n < c.MaxPerSide {
			s.high.insert(uint32(code), stat)
		} else if n > 0 && !cmp.Less(stat, s.high.stats[0]) { // an equal one has the higher code
			s.high.replaceFirst(uint32(code), stat)
		}
	}
	if keeping {
		return
	}
	statistic := s.statistic
	slices.SortFunc(s.order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(statistic[a], statistic[b]), cmp.Compare(a, b))
	})
	n := min(c.MaxPerSide, len(s.order))
	s.low.codes = append(s.low.codes, s.order[:n]...)
	s.high.codes = append(s.high.codes, s.order[len(s.order)-n:]...)
}

// insert puts a level in its place: behind those of the same statistic, whose codes are
// lower.
func (e *extremes) insert(code uint32, stat float64) {
	e.codes, e.stats = append(e.codes, code), append(e.stats, stat)
	at := len(e.codes) - 1
	for ; at > 0 && cmp.Less(stat, e.stats[at-1]); at-- {
		e.codes[at], e.stats[at] = e.codes[at-1], e.stats[at-1]
	}
	e.codes[at], e.stats[at] = code, stat
}

// replaceFirst is insert for a level that is not below the first, which it puts out.
func (e *extremes) replaceFirst(code uint32, stat float64) {
	at := 0
	for ; at+1 < len(e.codes) && !cmp.Less(stat, e.stats[at+1]); at++ {
		e.codes[at], e.stats[at] = e.codes[at+1], e.stats[at+1]
	}
	e.codes[at], e.stats[at] = code, stat
}

// set appends the ascending codes of a grouping to dst.
func (s *CatScratch) set(dst []uint32, code int, grouping Grouping) []uint32 {
	switch grouping {
	case OneLevel:
		return append(dst, uint32(code))
	case FromLow:
		dst = append(dst, s.low.codes[:code]...)
	case FromHigh:
		dst = append(dst, s.high.codes[len(s.high.codes)-code:]...)
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
}

func (c *catSearch[G, H]) prefixes(rule *CatRule, grouping Grouping) {
	order := c.s.low.codes
	if grouping == FromHigh {
		order = c.s.high.codes
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
	gain, unproven := consider(c.f, c.r, left, l2)
	if gain < 0 || gain < c.best.Gain || gain == c.best.Gain && !c.lower(code, grouping) {
		return
	}
	c.best = Split[G, H]{true, gain, code, missingLeft, unproven, left}
	c.grouping = grouping
}

// lower says whether a grouping's set comes before the best one's. Equal sets keep
// the earlier candidate, which has the missing code on the left.
func (c *catSearch[G, H]) lower(code int, grouping Grouping) bool {
	c.s.a = c.s.set(c.s.a[:0], code, grouping)
	c.s.b = c.s.set(c.s.b[:0], c.best.Code, c.grouping)
	return slices.Compare(c.s.a, c.s.b) < 0
}
