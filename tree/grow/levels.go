package grow

import (
	"slices"
	"unsafe"

	"boost/gradients"
	"boost/internal/kernel/scan"
	"boost/internal/rng"
	"boost/parallel"
	"boost/tree/colsample"
)

// levels grows symmetric trees: all nodes of a level are divided by the same split, the one whose gains in the nodes add up to most.
// A node that the split cannot divide, because a side would have too few rows or too little hessian, or break a constraint, gains nothing by
// it and stays as it is until a level whose split can.
//
// Nodes get their histograms as in other trees (split), but no best splits of their own. When all nodes of a level have theirs, the
// level is searched by all workers, feature by feature: next.
//
// Memory: what prepares the search of each node of a level, and per worker two gains for each code of a feature.
type levels struct {
	*Grower
	sampler   colsample.Sampler // with memory of its own
	depth     int               // levels that are searched
	searching bool
	nodes     []search // of the level
	nNodes    int
	rows      int           // of these
	features  []int         // that the level may be split on
	found     []levelSplit  // by feature
	divided   []int32       // nodes that the last split divides
	firstOf   int           // number of the first split of the last level
	scratch   []levelMemory // by worker
	set       []uint32      // codes of the last candidate that go left, where it is categorical
	goesLeft  []uint8       // 1 for each code of it that goes left
}

// levelSplit is the best split of a level on one feature.
type levelSplit struct {
	number   int // see scan.LevelGains; −1: there is none
	score    float64
	unproven bool // the score is a bound
	counted  bool // rows have been counted
}

// levelMemory is one worker's memory in the search of a level.
type levelMemory struct {
	gains      scan.LevelGains
	cat        scan.CatScratch
	grad, hess []float64 // of a categorical feature's codes over all nodes
}

func newLevels(g *Grower) *levels {
	return &levels{
		Grower: g, sampler: g.columns, nodes: make([]search, g.config.levelNodes()), found: make([]levelSplit, len(g.config.Features)),
		scratch: make([]levelMemory, g.config.Pool.Threads()),
	}
}

// levelNodes returns the most nodes of a level that is searched.
func (c *Config) levelNodes() int { return c.keptHistograms() }

// levelsBytes is what levels take.
func (c *Config) levelsBytes(threads int) int64 {
	widest := 0
	for f := range c.Matrix.NFeatures() {
		widest = max(widest, int(c.Matrix.FeatureInfo(f).NBins))
	}
	return int64(c.levelNodes())*int64(unsafe.Sizeof(search{})) + int64(c.Matrix.NFeatures())*int64(unsafe.Sizeof(levelSplit{})+3*8) +
		int64(threads)*int64(widest)*(4*9+2*8+2*40)
}

// begin makes ready for a tree.
func (l *levels) begin() {
	if l != nil {
		l.depth, l.searching, l.divided, l.firstOf = 0, false, l.divided[:0], 0
	}
}

// keeps reports whether a node's histogram is kept for the search of its level.
func (l *levels) keeps(n *node) bool { return l != nil && l.canSplit(n) }

// complete begins to subtract what is missing of the histograms of two children; they are searched later.
func (l *levels) complete(s *split, alone bool) pass {
	switch n := len(s.active); {
	case s.tiles > 0:
		return pass{n: s.tiles, task: (*tileTask)(s), alone: alone, then: (*split).finishSearch}
	case s.larger == noNode || s.subtracted:
		return pass{alone: true, then: (*split).finishSearch}
	default:
		s.chunk = (n + s.pool.Threads() - 1) / s.pool.Threads()
		return pass{n: (n + s.chunk - 1) / s.chunk, task: (*searchTask)(s), alone: s.codes < smallSearch, then: (*split).finishSearch}
	}
}

// next ends the search of a level or begins that of the next one, by a pass of n indices. There are none where the nodes of the level
// are to be divided, or the tree is grown.
func (l *levels) next() (n int, task parallel.Task) {
	if l.searching {
		l.searching = false
		l.choose()
		return 0, nil
	}
	l.settleMissing()
	if l.err != nil || l.depth >= l.config.Params.MaxDepth {
		return 0, nil
	}
	l.nNodes = 0
	for _, at := range l.leaves {
		if n := &l.Grower.nodes[at]; n.hist != nil && l.canSplit(n) {
			l.prepare(int(at), n)
		}
	}
	if l.nNodes == 0 {
		return 0, nil
	}
	l.features = l.sampler.Node(l.active, l.round, l.output, l.depth, uint64(l.depth), l.features)
	l.rows = 0
	for i := range l.nNodes {
		l.rows += l.nodes[i].node.rows
		l.features = l.restrict(l.features, l.nodes[i].node)
	}
	l.searching = true
	if l.nNodes*l.slotsOf(l.features) >= smallSearch/levelCost {
		return len(l.features), (*levelTask)(l)
	}
	for _, f := range l.features {
		l.search(0, f, false)
	}
	l.searching = false
	l.choose()
	return 0, nil
}

// levelCost is how many times as long a code takes here as in the search of a node by itself.
const levelCost = 2

func (l *levels) prepare(at int, n *node) {
	q := &l.nodes[l.nNodes]
	*q = search{splitter: l.all, at: at, node: n}
	q.prepare()
	l.nNodes++
}

// levelTask searches a level, feature by feature.
type levelTask levels

func (t *levelTask) Run(worker, i int) {
	l := (*levels)(t)
	l.search(worker, l.features[i], false)
}

// search finds the best split of the level on a feature. With counts, rows are counted where they are not.
func (l *levels) search(worker, f int, counts bool) {
	w, feature := &l.scratch[worker], &l.config.Features[f]
	draw, code := l.draw(f), -1
	var rule scan.CatRule
	if l.shapes[f].numeric {
		w.gains.Clear(2 * int(feature.Regular))
		if draw > 0 {
			code = int(draw % uint64(max(1, feature.Regular-1)))
		}
	} else {
		rule = l.list(worker, f, draw)
	}
	for i := range l.nNodes {
		q := &l.nodes[i]
		if l.storage.Mode() == gradients.F32 {
			addLevelGains(w, q, q.floats(f), l.shapes[f].numeric, code, &rule)
			continue
		}
		addLevelGains(w, q, q.integers(worker, f, counts), l.shapes[f].numeric, code, &rule)
	}
	found := levelSplit{counted: counts}
	found.number, found.score = w.gains.Best(max(0, l.config.Params.MinGain), l.weigh(f), !l.shapes[f].numeric, &w.cat)
	found.unproven = found.number >= 0 && w.gains.Unproven[found.number]
	l.found[f] = found
}

// weigh returns what a split of a feature counts for, nil where that is its gain.
func (l *levels) weigh(f int) func(split int, gain float64) float64 {
	if l.reuse == nil && l.worth == nil {
		return nil
	}
	rowCost := 0.0
	if l.worth != nil {
		for i := range l.nNodes {
			rowCost += l.rowCost(f, l.nodes[i].at)
		}
	}
	return func(split int, gain float64) float64 {
		if l.worth != nil {
			gain = l.worth.Of(f, gain, l.depth, l.rows, rowCost)
		}
		if l.reuse != nil {
			gain = float64(gain * l.reuse.Share(f, split/2, !l.shapes[f].numeric))
		}
		return gain
	}
}

// draw draws a number above 0 for the split of a feature that is tried, 0 where all are.
func (l *levels) draw(f int) uint64 {
	if !l.config.Params.ExtraTrees {
		return 0
	}
	key := rng.Key(l.config.Seed, rng.RandomCuts, uint64(l.round), uint64(l.output))
	return rng.Draw(rng.Mix(key^uint64(l.depth+1)), uint64(f))>>1 + 1
}

// addLevelGains adds what a node gains by the splits of a feature.
func addLevelGains[G scan.Grad, H scan.Hess](w *levelMemory, q *search, h scan.Feature[G, H], numeric bool, code int, rule *scan.CatRule) {
	if numeric {
		scan.AddNumeric(&w.gains, &h, &q.rule, q.part, code)
		return
	}
	scan.AddCategorical(&w.gains, &h, &q.rule, rule, q.part)
}

// floats returns the node's sums of a feature in mode F32.
func (q *search) floats(f int) scan.Feature[float64, float64] {
	n, from, to := q.node, int(q.offsets[f]), int(q.offsets[f+1])
	return scan.Feature[float64, float64]{
		Grad: n.hist.GradF[from:to], Hess: n.hist.HessF[from:to], Count: n.hist.Count[from:to],
		Regular: int(q.config.Features[f].Regular), Direction: q.direction(f),
		Total: scan.Sums[float64, float64]{Grad: n.total.gradF, Hess: n.total.hessF, Rows: uint64(n.rows)},
	}
}

// integers returns the node's sums of a feature in the other modes, with numbers of rows where these are kept or asked for.
func (q *search) integers(worker, f int, counts bool) scan.Feature[int64, uint64] {
	h := scan.Feature[int64, uint64]{Regular: int(q.config.Features[f].Regular), Direction: q.direction(f), Total: q.codeTotal()}
	if h.Grad, h.Hess, h.Count = q.slots(worker, q.node, f); counts && h.Count == nil {
		h.Count = q.count(f)
	}
	return h
}

// direction returns the feature's direction.
func (q *search) direction(f int) int8 {
	if q.splitter.limits == nil {
		return 0
	}
	return q.splitter.limits.directions[f]
}

// list lists the splits of a categorical feature. Levels of categories are put in order by their sums over all nodes: by what is left
// of their gradients once each node has the value of a leaf.
func (l *levels) list(worker, f int, draw uint64) scan.CatRule {
	w, regular := &l.scratch[worker], int(l.config.Features[f].Regular)
	w.grad, w.hess = append(w.grad[:0], make([]float64, regular)...), append(w.hess[:0], make([]float64, regular)...)
	pooled := scan.Feature[float64, float64]{Grad: w.grad, Hess: w.hess, Regular: regular}
	rows := 0
	for i := range l.nNodes {
		q := &l.nodes[i]
		rows += q.node.rows
		grad, hess := q.value(q.node.total)
		pooled.Total.Hess += hess
		value := q.rule.Value(grad, hess, q.rule.L2)
		if l.storage.Mode() == gradients.F32 {
			addPooled(&pooled, q.floats(f), &q.rule, value)
			continue
		}
		addPooled(&pooled, q.integers(worker, f, false), &q.rule, value)
	}
	rule := l.catRule(&node{rows: rows})
	rule.Draw = draw
	w.gains.List(&pooled, &scan.Rule{GradScale: 1, HessScale: 1}, &rule, &w.cat)
	return rule
}

// addPooled adds a node's sums of a categorical feature at a value of the node.
func addPooled[G scan.Grad, H scan.Hess](pooled *scan.Feature[float64, float64], h scan.Feature[G, H], r *scan.Rule, value float64) {
	for c := range h.Regular {
		hess := float64(float64(h.Hess[c]) * r.HessScale)
		grad := float64(float64(h.Grad[c]) * r.GradScale)
		if h.Count != nil {
			grad += float64(float64(h.Count[c]) * r.GradOffset)
		}
		pooled.Grad[c] += grad + float64(hess*value)
		pooled.Hess[c] += hess
	}
}

// choose makes the best split of the level the best one of each node that it divides.
func (l *levels) choose() {
	l.divided, l.firstOf = l.divided[:0], len(l.made.Feature)
	f := l.bestFeature()
	if f < 0 {
		l.depth = l.config.Params.MaxDepth
		return
	}
	found := l.found[f]
	c := l.candidate(f, found.number)
	l.depth++
	for i := range l.nNodes {
		q := &l.nodes[i]
		if q.dividesBy(&c, l.goesLeft, found.counted) {
			q.take(&c)
			q.node.set = append(q.node.set[:0], l.set...)
			l.divided = append(l.divided, int32(q.at))
			l.frontier.addCandidate(q.at)
			continue
		}
		q.node.depth++
	}
}

// bestFeature returns the feature of the best split, −1 if there is none. Scores that are bounds are worked off from the highest.
func (l *levels) bestFeature() int {
	for {
		best := -1
		for _, f := range l.features {
			if l.found[f].number >= 0 && (best < 0 || l.found[f].score > l.found[best].score) {
				best = f
			}
		}
		if best < 0 || !l.found[best].unproven || l.isExact(best) {
			return best
		}
		l.search(0, best, true)
	}
}

// isExact reports whether the bound of a feature's best split is what it gains. Rows are counted in those nodes only where a side of it may have too few.
func (l *levels) isExact(f int) bool {
	c := l.candidate(f, l.found[f].number)
	for i := range l.nNodes {
		q := &l.nodes[i]
		h := q.integers(0, f, false)
		if _, unproven := setGain(q, &c, &h, l.goesLeft, q.sideL2(&c)); !unproven {
			continue
		}
		bound := max(c.gain, 0)
		h = q.integers(0, f, true)
		if setGain(q, &c, &h, l.goesLeft, q.sideL2(&c)); c.gain != bound {
			return false
		}
	}
	l.found[f].unproven = false
	return true
}

// candidate returns a split of a feature by its number. It says for each node where missing rows go, whether there are any or not.
func (l *levels) candidate(f, number int) candidate {
	c := candidate{found: true, feature: f, counted: true, code: number / 2, missingLeft: number%2 == 0}
	l.set = l.set[:0]
	if !l.shapes[f].numeric {
		l.list(0, f, l.draw(f)) // other features have been searched since
		gains := &l.scratch[0].gains
		c.categorical, c.code = true, 0
		c.grouping, c.missingLeft = gains.Grouping(number)
		l.set = gains.Set(l.set, number)
	}
	l.goesLeft = l.all.codesThatStay(l.set, &c, false)
	return c
}

// settleMissing decides where missing rows go at the splits of the last level if none of its nodes has had any: to the side
// that has more rows in all.
func (l *levels) settleMissing() {
	left, right := 0, 0
	for _, at := range l.divided {
		n := &l.Grower.nodes[at]
		if n.someMissing || !n.recorded {
			return
		}
		left += l.Grower.nodes[n.left].rows
		right += l.Grower.nodes[n.right].rows
	}
	for i := range l.made.MissingLeft[min(l.firstOf, len(l.made.MissingLeft)):] {
		l.made.MissingLeft[l.firstOf+i] = left >= right
	}
	l.divided = slices.Delete(l.divided, 0, len(l.divided))
}
