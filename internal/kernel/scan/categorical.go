package scan

import "slices"

// CatRule says how the levels of a categorical feature are grouped (docs/architecture.md, Splits).
type CatRule struct {
	OneHotMax   int     // up to this many levels present: one level against the rest
	Smooth      float64 // added to the hessian of the statistic, and the rows a level needs
	L2          float64 // added to Rule.L2 where levels are grouped
	MaxPerSide  int
	MinPerGroup float64
	NodeRows    uint64
	Draw        uint64 // a random number that leaves one candidate of those of a grouping; 0 leaves all
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

// Categorical returns the best split of a categorical feature into a set of codes
// and the rest, with the missing code tried on both sides, and how the set is made.
// Of equal gains the lexicographically lower set wins, and of equal sets the
// missing code on the left.
func Categorical[G Grad, H Hess](f *Feature[G, H], r *Rule, c *CatRule, s *CatScratch) (Split[G, H], Grouping) {
	search := catSearch[G, H]{f: f, r: r, s: s, best: Split[G, H]{Gain: Refused}}
	if f.Count == nil && r.Plain() && usual(r.GradScale) && usual(r.HessScale) {
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
			if c.Draw != 0 && code != int(c.Draw%uint64(f.Regular)) {
				continue
			}
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
// that are off by a few roundings. With L1 it gains less than these say.
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
	group, drawn := 0.0, 0
	if rule.Draw != 0 && len(order) > 0 {
		drawn = 1 + int(rule.Draw%uint64(len(order)))
	}
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
		if drawn > size {
			continue
		}
		c.tryBoth(left, size, grouping, c.r.L2+rule.L2)
		if drawn > 0 {
			return
		}
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
	gain, unproven := gain(c.f, c.r, left, l2, max(c.best.Gain, c.f.Least))
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
