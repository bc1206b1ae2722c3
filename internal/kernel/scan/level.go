package scan

import "slices"

// LevelGains adds up what the nodes of a level of a symmetric tree gain by each of some splits of one feature. A node that
// a split cannot divide gains nothing by it.
//
// Splits are numbered. Of a numeric feature 2·c sends the codes ≤ c and the missing one to the left, 2·c + 1 without the
// missing one. Of a categorical feature List numbers them.
type LevelGains struct {
	Gain     []float64
	Unproven []bool // Gain is an upper bound: a side of a node may have fewer rows than it needs

	list []levelSplit // of a categorical feature
	from []uint32     // codes of sets from low to high, and
	back []uint32     // from high to low
}

// levelSplit is a split of a categorical feature.
type levelSplit struct {
	grouping    Grouping
	code        int
	missingLeft bool
}

// NodeGain returns what a node gains by a split that sends the given sums to the left: gain less the node's own part.
// It reports whether the split divides the node: both sides have sums other than 0 and obey the rule.
func NodeGain[G Grad, H Hess](f *Feature[G, H], r *Rule, left Sums[G, H], part, l2 float64) (value float64, divides, unproven bool) {
	if left.Grad == 0 && left.Hess == 0 || left.Grad == f.Total.Grad && left.Hess == f.Total.Hess {
		return 0, false, false
	}
	value, unproven = gain(f, r, left, l2, Refused)
	if !(value >= 0) {
		return 0, false, false
	}
	return value - part, true, unproven
}

// Clear makes room for so many splits, which nothing has gained by yet.
func (l *LevelGains) Clear(splits int) {
	l.Gain = slices.Grow(l.Gain[:0], splits)[:splits]
	l.Unproven = slices.Grow(l.Unproven[:0], splits)[:splits]
	clear(l.Gain)
	clear(l.Unproven)
}

// nodeGain is what NodeGain returns.
type nodeGain struct {
	value    float64
	unproven bool
}

// add adds a node's gain by one split. A bound counts for no less than nothing, because the split may not divide the node.
func (l *LevelGains) add(split int, n nodeGain) {
	if n.unproven {
		n.value = max(n.value, 0)
		l.Unproven[split] = true
	}
	l.Gain[split] += n.value
}

// AddNumeric adds the gains of a node by the splits of a numeric feature, of those at one code only where code ≥ 0. Where the feature has no
// missing code, those without it on the left are left out: the others are the same.
func AddNumeric[G Grad, H Hess](l *LevelGains, f *Feature[G, H], r *Rule, part float64, code int) {
	if whole, ok := any(f).(*Feature[int64, uint64]); ok && code < 0 && f.Count == nil && r.Plain() {
		addPlain(l, whole, r, part)
		return
	}
	missing, anyMissing := f.missing()
	twice := len(f.Grad) > f.Regular
	var left Sums[G, H]
	last, lastMissing := nodeGain{}, nodeGain{}
	stale := true // sums have changed since the last gains
	for c := range f.Regular {
		if at := f.at(c); at != (Sums[G, H]{}) {
			left, stale = left.plus(at), true
		}
		if code >= 0 && c != code {
			continue
		}
		if stale {
			last.value, _, last.unproven = NodeGain(f, r, left, part, r.L2)
			if lastMissing = last; anyMissing {
				lastMissing.value, _, lastMissing.unproven = NodeGain(f, r, left.plus(missing), part, r.L2)
			}
			stale = false
		}
		if l.add(2*c, lastMissing); twice {
			l.add(2*c+1, last)
		}
	}
}

// addPlain is AddNumeric for integer sums under a plain rule, without numbers of rows.
//
// Bound: two divisions a split, which those of neighbouring codes overlap; 3 ns with all around it.
func addPlain(l *LevelGains, f *Feature[int64, uint64], r *Rule, part float64) {
	missing, _ := f.missing()
	grad, hess := f.Grad[:f.Regular], f.Hess[:f.Regular]
	n := plainNode{r, part, f.Total.Grad, int64(f.Total.Hess), int64(r.LeastSide), int64(r.ProofHess)}
	n.add(l.Gain, l.Unproven, grad, hess, missing.Grad, int64(missing.Hess))
	if len(f.Grad) > f.Regular {
		n.add(l.Gain[1:], l.Unproven[1:], grad, hess, 0, 0)
	}
}

// plainNode is a node that addPlain adds.
type plainNode struct {
	r                    *Rule
	part                 float64
	totalGrad, totalHess int64
	least, proof         int64
}

// add adds the gains of every second split, with some sums on the left from the beginning.
func (n plainNode) add(gains []float64, unproven []bool, grad []int64, hess []uint64, leftGrad, leftHess int64) {
	hess = hess[:len(grad)]
	gradScale, hessScale, l2, minChild := n.r.GradScale, n.r.HessScale, n.r.L2, n.r.MinChild
	shrinks := n.r.L1 != 0
	for c, g := range grad {
		leftGrad += g
		leftHess += int64(hess[c])
		rightGrad, rightHess := n.totalGrad-leftGrad, n.totalHess-leftHess
		bound := leftHess <= n.proof || rightHess <= n.proof
		if bound && (leftHess < n.least || rightHess < n.least || leftHess == 0 && leftGrad == 0 || rightHess == 0 && rightGrad == 0) {
			continue
		}
		hl := float64(float64(leftHess) * hessScale)
		hr := float64(float64(rightHess) * hessScale)
		if hl < minChild || hr < minChild {
			continue
		}
		gl := float64(float64(leftGrad) * gradScale)
		gr := float64(float64(rightGrad) * gradScale)
		if shrinks {
			gl, gr = n.r.Shrink(gl), n.r.Shrink(gr)
		}
		gain := gl*gl/(hl+l2) + gr*gr/(hr+l2)
		if !(gain >= 0) {
			continue
		}
		gain -= n.part
		if bound {
			gain = max(gain, 0)
			unproven[2*c] = true
		}
		gains[2*c] += gain
	}
}

// List numbers the splits of a categorical feature, whose sums over all nodes of the level are given, and makes room for
// their gains: those that Categorical tries.
func (l *LevelGains) List(f *Feature[float64, float64], r *Rule, c *CatRule, s *CatScratch) {
	l.list = append(l.list[:0], levelSplit{MissingOnly, 0, true})
	if !f.groups(c.OneHotMax) {
		for code := range f.Regular {
			if f.Hess[code] > 0 && (c.Draw == 0 || code == int(c.Draw%uint64(f.Regular))) {
				l.list = append(l.list, levelSplit{OneLevel, code, true}, levelSplit{OneLevel, code, false})
			}
		}
		l.Clear(len(l.list))
		return
	}
	orderLevels(f, r, c, s)
	l.from, l.back = append(l.from[:0], s.low...), append(l.back[:0], s.high...)
	slices.Reverse(l.back)
	l.prefixes(f, c, FromLow, l.from)
	l.prefixes(f, c, FromHigh, l.back)
	l.Clear(len(l.list))
}

func (l *LevelGains) prefixes(f *Feature[float64, float64], c *CatRule, grouping Grouping, order []uint32) {
	group, drawn := 0.0, 0
	if c.Draw != 0 && len(order) > 0 {
		drawn = 1 + int(c.Draw%uint64(len(order)))
	}
	for i, code := range order {
		if group += estimate(f.Hess[code], f.Total.Hess, c.NodeRows); group < c.MinPerGroup {
			continue
		}
		if group = 0; i+1 < drawn {
			continue
		}
		l.list = append(l.list, levelSplit{grouping, i + 1, true}, levelSplit{grouping, i + 1, false})
		if drawn > 0 {
			return
		}
	}
}

// AddCategorical adds the gains of a node by the splits that List has numbered.
func AddCategorical[G Grad, H Hess](l *LevelGains, f *Feature[G, H], r *Rule, c *CatRule, part float64) {
	missing, anyMissing := f.missing()
	var left Sums[G, H]
	grouping, size := MissingOnly, 0
	for i, s := range l.list {
		l2 := r.L2
		switch s.grouping {
		case OneLevel:
			left = f.at(s.code)
		case FromLow, FromHigh:
			order := l.from
			if s.grouping == FromHigh {
				order = l.back
			}
			if s.grouping != grouping {
				grouping, size, left = s.grouping, 0, Sums[G, H]{}
			}
			for ; size < s.code; size++ {
				left = left.plus(f.at(int(order[size])))
			}
			l2 += c.L2
		}
		all := left
		if s.missingLeft && anyMissing {
			all = left.plus(missing)
		}
		var n nodeGain
		n.value, _, n.unproven = NodeGain(f, r, all, part, l2)
		l.add(i, n)
	}
}

// Best returns the number of the split that counts for most, −1 if none of those that gain more than floor counts for more than 0: of
// equal ones the lower code, or the lexicographically lower set, and on it the missing code on the left. worth says what a split counts for,
// no more the less it gains; nil for its gain.
func (l *LevelGains) Best(floor float64, worth func(split int, gain float64) float64, categorical bool, s *CatScratch) (split int, score float64) {
	split = -1
	for i, gain := range l.Gain {
		if !(gain > floor) {
			continue
		}
		if worth != nil {
			if gain = worth(i, gain); !(gain > 0) {
				continue
			}
		}
		if split < 0 || gain > score || gain == score && categorical && l.lower(i, split, s) {
			split, score = i, gain
		}
	}
	return split, score
}

// lower reports whether a split's set comes before another's.
func (l *LevelGains) lower(split, other int, s *CatScratch) bool {
	s.a, s.b = l.Set(s.a[:0], split), l.Set(s.b[:0], other)
	return slices.Compare(s.a, s.b) < 0
}

// Set appends the ascending codes that a categorical split sends left, the missing one excepted.
func (l *LevelGains) Set(dst []uint32, split int) []uint32 {
	from := len(dst)
	switch s := l.list[split]; s.grouping {
	case OneLevel:
		dst = append(dst, uint32(s.code))
	case FromLow:
		dst = append(dst, l.from[:s.code]...)
	case FromHigh:
		dst = append(dst, l.back[:s.code]...)
	}
	slices.Sort(dst[from:])
	return dst
}

// Grouping returns how a categorical split's set is made, and the side of its missing rows.
func (l *LevelGains) Grouping(split int) (grouping Grouping, missingLeft bool) {
	return l.list[split].grouping, l.list[split].missingLeft
}

// LeftOf returns the sums that go left of a node: of the codes that a slice has 1 for, and of the missing one with missingLeft.
func (f *Feature[G, H]) LeftOf(goesLeft []uint8, missingLeft bool) (left Sums[G, H]) {
	for c := range f.Regular {
		if goesLeft[c] != 0 {
			left = left.plus(f.at(c))
		}
	}
	if missing, any := f.missing(); any && missingLeft {
		left = left.plus(missing)
	}
	return left
}
