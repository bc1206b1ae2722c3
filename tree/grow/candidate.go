package grow

import (
	"boost/gradients"
	"boost/internal/kernel/scan"
)

// candidate is the best split of a node on one feature.
type candidate struct {
	found       bool
	gain        float64 // over the unsplit node
	score       float64 // what the gain counts for: candidates are compared by it
	feature     int
	code        int // numeric: last code on the left; categorical: see grouping
	grouping    scan.Grouping
	categorical bool
	missingLeft bool
	forced      bool // the split that Config.Forced has for the node
	unproven    bool // gain is an upper bound: a side may lack rows (docs/architecture.md, Splits)
	counted     bool // found with a count of the node's rows
	left        sums
}

// scoreOf returns what the candidate counts for, none where it is none.
func (c *candidate) scoreOf() float64 {
	if !c.found {
		return none
	}
	return c.score
}

// grouped reports whether the split puts levels together by their statistic, which costs
// categorical.l2.
func (c *candidate) grouped() bool {
	return c.categorical && (c.grouping == scan.FromLow || c.grouping == scan.FromHigh)
}

// feature makes the candidate of one feature.
func (q *search) feature(worker, f int) {
	c, w := &q.candidates[f], &q.workers[worker]
	c.found, q.isBound[f] = false, false
	gain := q.find(worker, f, nil, w.bestGain[q.side], c)
	// One of a node that goes without some features may not be allowed. One that counts for less than it gains may beat others that gain more.
	if q.scores[f] = c.scoreOf(); !c.found || c.unproven || q.restricts() || q.worth != nil {
		return
	}
	if q.reuse != nil { // no split counts for more than it gains: one that gains less than this counts for less
		gain = q.part + c.score
	}
	w.bestGain[q.side] = max(w.bestGain[q.side], lessRoundings(gain))
}

// lessRoundings takes a little off a gain: those that differ by roundings may be equal once the node's part is taken off.
func lessRoundings(gain float64) float64 { return gain - float64(gain/(1<<48)) }

// find finds the best split of one feature, and returns its gain before the node's part is taken
// off. counts holds exact numbers of rows per code, or is nil. Splits that gain less than least may be
// left out.
//
// Sums are kept in one of several ways; the same rule and the same order of candidates decide for all.
func (q *search) find(worker, f int, counts []uint32, least float64, c *candidate) (gain float64) {
	n, from, to := q.node, int(q.offsets[f]), int(q.offsets[f+1])
	sides := q.sides(worker, f)
	if q.storage.Mode() == gradients.F32 {
		return searchCodes(q, worker, f, &scan.Feature[float64, float64]{
			Grad: n.hist.GradF[from:to], Hess: n.hist.HessF[from:to], Count: n.hist.Count[from:to],
			Total: scan.Sums[float64, float64]{Grad: n.total.gradF, Hess: n.total.hessF, Rows: uint64(n.rows)},
			Sides: sides,
		}, c)
	}
	h := scan.Feature[int64, uint64]{Count: counts, Least: least, Total: q.codeTotal(), Sides: sides}
	switch {
	case q.packs() && q.rule.Limits == nil:
		h.Words, h.Node = n.hist.Words(from, to), &q.packed
	case counts == nil && sides == nil && n.hist.IsSparse() && q.shapes[f].numeric && !q.config.Params.ExtraTrees:
		return q.findTouched(worker, f, &h, c)
	default:
		var rows []uint32
		if h.Grad, h.Hess, rows = q.slots(worker, n, f); counts == nil {
			h.Count = rows
		}
	}
	return searchCodes(q, worker, f, &h, c)
}

// codeTotal returns the node's totals, in integer modes.
func (q *search) codeTotal() scan.Sums[int64, uint64] {
	n := q.node
	return scan.Sums[int64, uint64]{Grad: n.total.grad, Hess: n.total.hess, Rows: uint64(n.rows)}
}

// searchCodes makes a candidate of the best split of a feature by its kind, and returns its gain.
func searchCodes[G scan.Grad, H scan.Hess](q *search, worker, f int, h *scan.Feature[G, H], c *candidate) (gain float64) {
	var split scan.Split[G, H]
	var grouping scan.Grouping
	h.Regular = int(q.config.Features[f].Regular)
	if q.splitter.limits != nil {
		h.Direction = q.splitter.limits.directions[f]
	}
	switch {
	case q.shapes[f].numeric && q.config.Params.ExtraTrees:
		code := [...]uint32{uint32(q.drawCut(f) % uint64(max(1, h.Regular-1)))}
		split = scan.Among(h, &q.rule, code[:])
	case q.shapes[f].numeric:
		split = scan.Numeric(h, &q.rule)
	default:
		rule := q.catRule(q.node)
		if q.config.Params.ExtraTrees {
			rule.Draw = q.drawCut(f)
		}
		split, grouping = scan.Categorical(h, &q.rule, &rule, &q.workers[worker].cat)
	}
	fill(q, c, f, split, grouping)
	preferUsed(q, f, h, c)
	c.counted = h.Count != nil || h.Sides != nil // both sides of missing rows have been looked at
	return split.Gain
}

// findTouched is find for a numeric feature of which few slots are not 0: it
// searches these, the first and the last of the present values', and the missing code's.
// A code without rows repeats the candidate before it, which wins the tie; only the
// first has none before it (see scan.Numeric).
func (q *search) findTouched(worker, f int, h *scan.Feature[int64, uint64], c *candidate) (gain float64) {
	w, regular, histogram := &q.workers[worker], q.config.Features[f].Regular, q.node.hist
	w.codes = append(w.codes[:0], 0)
	from := int(q.offsets[f])
	w.codes = histogram.Touched(from+1, from+int(regular)-1, w.codes)
	for i := range w.codes[1:] {
		w.codes[1+i]++ // counted from the second code
	}
	if regular > 1 {
		w.codes = append(w.codes, regular-1)
	}
	if h.Regular = len(w.codes); q.splitter.limits != nil {
		h.Direction = q.splitter.limits.directions[f]
	}
	slots := int(q.offsets[f+1]) - from
	if int(regular) < slots {
		w.codes = append(w.codes, regular)
	}
	if len(w.grad) < len(w.codes) {
		w.grad, w.hess = make([]int64, slots), make([]uint64, slots)
	}
	for i, code := range w.codes {
		w.grad[i], w.hess[i] = histogram.At(from + int(code))
	}
	h.Grad, h.Hess = w.grad[:len(w.codes)], w.hess[:len(w.codes)]
	split := scan.Numeric(h, &q.rule)
	if split.Found {
		split.Code = int(w.codes[split.Code])
	}
	fill(q, c, f, split, 0)
	if q.reuse != nil { // used codes need not be among those that are not 0
		h.Grad, h.Hess = q.slotSums(worker, q.node, from, from+slots)
		h.Regular = int(regular)
		preferUsed(q, f, h, c)
	}
	return split.Gain
}

// catL2 returns the further L2 penalty of sets of levels.
func (g *Grower) catL2() float64 { return float64(g.config.Params.CatL2 * g.hessian) }

func (g *Grower) catRule(n *node) scan.CatRule {
	p := &g.config.Params
	return scan.CatRule{
		OneHotMax: p.OneHotMax, Smooth: float64(p.Smooth * g.hessian), L2: g.catL2(), MaxPerSide: p.MaxPerSide,
		MinPerGroup: p.MinPerGroup, NodeRows: uint64(n.rows),
	}
}

// fill turns the best split of a feature into a candidate, or into none where the split
// does not gain enough.
func fill[G scan.Grad, H scan.Hess](q *search, c *candidate, f int, s scan.Split[G, H], grouping scan.Grouping) {
	c.found = false
	if !s.Found {
		return
	}
	gain := s.Gain - q.part
	if !(gain > 0 && gain > q.config.Params.MinGain) {
		return
	}
	*c = candidate{
		found: true, gain: gain, feature: f, code: s.Code, grouping: grouping,
		categorical: q.config.Features[f].BySets(),
		missingLeft: s.MissingLeft, unproven: s.Unproven, left: sumsOf(q, s.Left),
	}
	c.score = gain
	if q.worth != nil {
		c.score = q.worth.Of(f, gain, q.node.depth, q.node.rows, q.rowCost(f, q.at))
		c.found = c.score > 0
	}
	if q.reuse != nil {
		c.score = float64(c.score * q.reuse.Share(f, c.code, c.categorical))
	}
}

// sumsOf translates the sums of a split.
func sumsOf[G scan.Grad, H scan.Hess](q *search, s scan.Sums[G, H]) sums {
	if q.storage.Mode() == gradients.F32 {
		return sums{gradF: float64(s.Grad), hessF: float64(s.Hess)}
	}
	out := sums{grad: int64(s.Grad), hess: uint64(s.Hess)}
	if q.storage.Counts() {
		out.rows = int64(s.Rows)
	}
	return out
}

// categories returns the ascending codes that a categorical candidate sends left.
func (s *splitter) categories(n *node, c *candidate) []uint32 {
	from, to := int(s.offsets[c.feature]), int(s.offsets[c.feature+1])
	rule, scratch := s.catRule(n), &s.workers[s.worker].cat
	regular := int(s.config.Features[c.feature].Regular)
	if s.storage.Mode() == gradients.F32 {
		h := scan.Feature[float64, float64]{
			Grad: n.hist.GradF[from:to], Hess: n.hist.HessF[from:to], Regular: regular,
			Total: scan.Sums[float64, float64]{Grad: n.total.gradF, Hess: n.total.hessF},
		}
		return scan.Set(&h, &s.rule, &rule, scratch, scan.Split[float64, float64]{Code: c.code}, c.grouping)
	}
	h := scan.Feature[int64, uint64]{Regular: regular, Total: scan.Sums[int64, uint64]{Grad: n.total.grad, Hess: n.total.hess}}
	if s.sparse == nil && n.hist.InWords() {
		h.Words = n.hist.Words(from, to)
	} else {
		h.Grad, h.Hess, h.Count = s.slots(s.worker, n, c.feature)
	}
	return scan.Set(&h, &s.rule, &rule, scratch, scan.Split[int64, uint64]{Code: c.code}, c.grouping)
}

// dividesBy reports whether a split that sends goesLeft to the left divides the node, and sets its gain and what goes left. Rows are
// counted where that is asked for, or decides.
func (q *search) dividesBy(c *candidate, goesLeft []uint8, counts bool) (divides bool) {
	l2 := q.sideL2(c)
	c.counted = true
	if q.storage.Mode() == gradients.F32 {
		h := q.floats(c.feature)
		divides, _ = setGain(q, c, &h, goesLeft, l2)
		return divides
	}
	h := q.integers(0, c.feature, counts)
	divides, unproven := setGain(q, c, &h, goesLeft, l2)
	if unproven {
		h = q.integers(0, c.feature, true)
		divides, _ = setGain(q, c, &h, goesLeft, l2)
	}
	return divides
}

// setGain sets a candidate's gain in a node and what goes left there.
func setGain[G scan.Grad, H scan.Hess](q *search, c *candidate, h *scan.Feature[G, H], goesLeft []uint8, l2 float64) (divides, unproven bool) {
	left := h.LeftOf(goesLeft, c.missingLeft)
	c.left = sumsOf(q, left)
	c.gain, divides, unproven = scan.NodeGain(h, &q.rule, left, q.part, l2)
	c.score = c.gain
	return divides, unproven
}

// sideL2 returns the L2 penalty of the sides of a candidate.
func (q *search) sideL2(c *candidate) float64 {
	if c.grouped() {
		return q.rule.L2 + q.catL2()
	}
	return q.rule.L2
}
