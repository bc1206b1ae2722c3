package grow

import (
	"math"
	"slices"

	"boost/binning"
	"boost/gradients"
	"boost/internal/kernel/hist"
	"boost/internal/kernel/scan"
)

// candidate is the best split of a leaf on one feature.
type candidate struct {
	found       bool
	gain        float64 // over the unsplit leaf
	score       float64 // what the gain counts for: candidates are compared by it
	feature     int
	code        int // numeric: last code on the left; categorical: see grouping
	grouping    scan.Grouping
	categorical bool
	missingLeft bool
	unproven    bool // gain is an upper bound: a side may lack rows (docs/architecture.md, Splits)
	counted     bool // found with a count of the leaf's rows
	left        sums
}

// scoreOf returns what the candidate counts for, none where it is none.
func (c *candidate) scoreOf() float64 {
	if !c.found {
		return none
	}
	return c.score
}

// grouped says that the split puts levels together by their statistic, which costs
// categorical.l2.
func (c *candidate) grouped() bool {
	return c.categorical && (c.grouping == scan.FromLow || c.grouping == scan.FromHigh)
}

// searchScratch is one worker's memory in a search.
type searchScratch struct {
	cat                    scan.CatScratch
	gains                  []float64 // of features of two codes
	bounds                 []float32 // of gains of numeric features
	numeric, flags, others []int     // features that are bounded, those of them that have two codes, and others
	at                     []uint32  // words of flags
	// had is the largest gain of a split of each sibling that the worker has found and that
	// surely leaves both sides enough rows: what gains less is not the best, and not looked for.
	// Workers differ in what they leave out, but never in a split that may be chosen.
	had [2]float64
	// Sums of one feature in a direct search, or of its codes in a search of few.
	grad  []int64
	hess  []uint64
	count []uint32
	codes []uint32
	// Packed sums, taken apart.
	splitGrad []int64
	splitHess []uint64
}

const (
	// featureChunk is the number of features that a worker searches at a time: more where
	// they have few codes, up to chunkCodes in all and as long as each worker has
	// chunksPerWorker chunks.
	featureChunk    = 4
	chunkCodes      = 2048
	chunksPerWorker = 32
	// smallSearch is the number of codes below which waking workers costs more than they
	// save.
	smallSearch = 12_000
	// smallTiles is the same for the updates of a histogram that is made on the way, where
	// searching a code counts as so many of them.
	smallTiles     = 30_000
	updatesPerCode = 4
	// leastFlags is the number of features that searchFlags pays for.
	leastFlags = 8
)

// smallShare is smallTiles where workers that spin take part. It is a variable for tests.
var smallShare = 6_000

// search begins to fill in the missing histogram of the current siblings, and the tiles that are
// left of the other, and to find the best split of each feature in each. alone says that tiles
// are not worth waking workers.
func (g *splitter) search(tiles int, alone bool) pass {
	for s := range g.nSiblings {
		if g.allowed[s] = g.active; g.sampler.samplesNodes() {
			g.sampled[s] = g.sampler.node(g.active, g.round, g.output, g.nodes[g.siblings[s]].depth, g.drawOf(s), g.sampled[s])
			g.allowed[s] = g.sampled[s]
		}
	}
	for s, at := range g.siblings[:g.nSiblings] {
		l := &g.nodes[at]
		g.prepare(s)
		g.packed[s].Prepare(l.rule, scan.Sums[int64, uint64]{Grad: l.total.grad, Hess: l.total.hess})
	}
	for w := range g.workers {
		g.workers[w].had = [2]float64{}
	}
	if g.tiles = tiles; tiles > 0 {
		return pass{n: tiles, task: (*tileTask)(g), alone: alone, then: (*splitter).finishSearch}
	}
	codes, n := g.nSiblings*g.codes, len(g.active)
	g.chunk = max(featureChunk, min(n/(chunksPerWorker*g.pool.Threads()), chunkCodes*n*g.nSiblings/max(codes, 1)))
	small := smallSearch
	if g.crew != nil {
		small = smallShare / updatesPerCode
	}
	return pass{n: (n + g.chunk - 1) / g.chunk, task: (*searchTask)(g), alone: codes < small, then: (*splitter).finishSearch}
}

// drawOf returns the number by which columns are drawn for a sibling, where they are drawn for every
// node: it counts the tree's splits, of which others may make more only where they are not.
func (g *splitter) drawOf(sibling int) int {
	if g.larger < 0 || g.config.Params.ColNode >= 1 { // the root, or no draw
		return 0
	}
	return 2*(len(g.made.Feature)+1) + sibling
}

// finishSearch chooses the best split of each of the current siblings, and goes on with the best
// leaf of all.
func (g *splitter) finishSearch() pass {
	if g.tiles > 0 {
		g.builder.EndTiles()
	}
	if g.verifying() {
		if g.failed = g.verifyFeatures(); g.failed != nil {
			return pass{}
		}
	}
	for s := range g.nSiblings {
		l := &g.nodes[g.siblings[s]]
		g.choose(s, l)
		if !l.best.found {
			g.hists.Put(l.hist)
			l.hist = nil
		}
	}
	return g.goOn()
}

// none is the score of a feature without a candidate.
const none = -1.0

// searchOne makes the candidate of one feature.
func (g *splitter) searchOne(worker, sibling int, l *node, f int) {
	c, had := &g.candidates[sibling][f], g.workers[worker].had[sibling]
	c.found, g.isBound[sibling][f] = false, false
	var gain float64
	if g.packs(sibling, l) {
		gain = g.searchWords(worker, sibling, l, f, nil, had, c)
	} else {
		gain = g.searchFeature(worker, l, f, nil, had, c)
	}
	g.see(worker, sibling, l, f, gain, c)
}

// searchWords is searchFeature in a node that packs.
func (g *splitter) searchWords(worker, sibling int, l *node, f int, counts []uint32, least float64, c *candidate) (gain float64) {
	h := scan.Feature[int64, uint64]{
		Words: l.hist.Words(int(g.offsets[f]), int(g.offsets[f+1])), Node: &g.packed[sibling], Count: counts, Least: least,
		Total: scan.Sums[int64, uint64]{Grad: l.total.grad, Hess: l.total.hess, Rows: uint64(l.rows)},
	}
	split, grouping := searchCodes(g, worker, l, f, &h)
	fill(g, c, l, f, split, grouping)
	return split.Gain
}

// see takes note of the candidate of a feature, if it is one, and of its gain before the leaf's part
// is taken off.
func (g *splitter) see(worker, sibling int, l *node, f int, gain float64, c *candidate) {
	if g.scores[sibling][f] = c.scoreOf(); !c.found || c.unproven || g.sampler.samplesNodes() { // it may not be allowed
		return
	}
	if g.reuse != nil { // no split counts for more than it gains: one that gains less than this counts for less
		gain = l.part + c.score
	}
	had := &g.workers[worker].had[sibling]
	*had = max(*had, lessRoundings(gain))
}

// lessRoundings takes a little off a gain: those that differ by roundings may be equal once the leaf's part is taken off.
func lessRoundings(gain float64) float64 { return gain - float64(gain/(1<<48)) }

// packs reports whether the sums of a node are packed, and numeric features of it are bounded by these.
func (g *splitter) packs(sibling int, l *node) bool {
	return l.hist.InWords() && g.reuse == nil && g.packed[sibling].Ready() && !l.hist.IsSparse()
}

// bound sets the scores of the numeric features among some, of a node that packs, to bounds of their gains, without
// candidates. It returns the one of the highest bound, if any, and the others.
func (g *splitter) bound(worker, sibling int, l *node, features []int) (best int, others []int) {
	w, packed, words := &g.workers[worker], &g.packed[sibling], l.hist.Words(0, int(g.offsets[len(g.shapes)]))
	numeric, flags, at := w.numeric[:0], w.flags[:0], w.at[:0]
	others = w.others[:0]
	for _, f := range features {
		switch s := &g.shapes[f]; {
		case s.flags > 0:
			flags, at = append(flags, f), append(at, g.spans[f].From)
		case s.numeric:
			numeric = append(numeric, f)
		default:
			others = append(others, f)
		}
	}
	w.numeric, w.flags, w.at, w.others = numeric, flags, at, others
	scores, isBound := g.scores[sibling], g.isBound[sibling]
	floor := max(0, g.config.Params.MinGain)
	best, most := -1, floor
	score := func(f int, gain float64) {
		scores[f], isBound[f] = none, true
		if gain > floor {
			scores[f] = gain
			if gain > most {
				best, most = f, gain
			}
		}
	}
	packed.Bounds(w.bounds, words, g.spans, numeric)
	for i, f := range numeric {
		score(f, packed.Gain(w.bounds[i]))
	}
	packed.Flags(w.gains, words, at)
	for i, f := range flags {
		score(f, w.gains[i]-l.part)
	}
	return best, others
}

// fewLevels is the most codes of a feature of which Shares is looked at: of many, chance alone makes its bound too high.
const fewLevels = 32

// mayGain returns those of some categorical features of a node that packs whose splits may gain as much as is had already.
func (g *splitter) mayGain(worker, sibling int, l *node, features []int) (kept []int) {
	w := &g.workers[worker]
	had := w.had[sibling]
	if had <= 0 {
		return features
	}
	few := w.numeric[:0]
	for _, f := range features {
		if g.spans[f].Regular <= fewLevels {
			few = append(few, f)
		}
	}
	w.numeric = few
	g.packed[sibling].Shares(w.gains, l.hist.Words(0, int(g.offsets[len(g.shapes)])), g.spans, few)
	kept = features[:0]
	for _, f := range features {
		if len(few) > 0 && f == few[0] {
			gain := w.gains[len(w.numeric)-len(few)]
			if few = few[1:]; gain < had {
				g.scores[sibling][f], g.isBound[sibling][f] = none, false
				continue
			}
		}
		kept = append(kept, f)
	}
	return kept
}

// flags returns how many of the features, from the first on, are numeric ones of two codes
// without a missing one and follow each other: as many at most as have chunkCodes.
func (g *splitter) flags(features []int) int {
	first := features[0]
	n := min(g.shapes[first].flags, len(features), chunkCodes/2)
	for n > 0 && features[n-1] != first+n-1 {
		n--
	}
	return n
}

// searchFlags finds the best splits of features of two codes whose sums follow each other:
// of as many as may be the best of them. A split that surely has rows on both sides beats all
// that gain less.
func (g *splitter) searchFlags(worker, sibling int, l *node, features []int) {
	scores := g.scores[sibling]
	at := int(g.offsets[features[0]])
	gains := g.workers[worker].gains[:len(features)]
	grad, hess := g.slotSums(worker, l, at, at+2*len(gains))
	total := scan.Sums[int64, uint64]{Grad: l.total.grad, Hess: l.total.hess}
	scan.Flags(gains, grad, hess, total, l.rule)
	best, bar := len(gains), float64(scan.Refused)
	if !g.sampler.samplesNodes() { // else the best one may be out
		for i, gain := range gains {
			if gain > bar && g.rule.Proven(scan.Sums[int64, uint64]{Hess: hess[2*i]}, total) {
				best, bar = i, gain
			}
		}
	}
	for i, f := range features {
		scores[f] = none
		if gain := gains[i]; gain > bar || gain == bar && i <= best && gain > scan.Refused {
			g.searchOne(worker, sibling, l, f)
		}
	}
}

// slotsOf returns how many codes the features have.
func (g *Grower) slotsOf(features []int) int {
	n := 0
	for _, f := range features {
		n += int(g.offsets[f+1] - g.offsets[f])
	}
	return n
}

// searchTask subtracts and searches a chunk of the active features.
type searchTask splitter

func (t *searchTask) Run(worker, chunk int) {
	g := (*splitter)(t)
	features := g.active[chunk*g.chunk:]
	g.searchFeatures(worker, features[:min(g.chunk, len(features))])
}

// tileTask makes a tile of a histogram, and subtracts and searches its features.
type tileTask splitter

func (t *tileTask) Run(worker, tile int) {
	g := (*splitter)(t)
	g.searchFeatures(worker, g.builder.Tile(worker, tile))
}

// searchFeatures subtracts and searches some of the active features.
func (g *splitter) searchFeatures(worker int, features []int) {
	if g.larger >= 0 && !g.subtracted {
		g.subtract(features)
	}
	for s := range g.nSiblings {
		l := &g.nodes[g.siblings[s]]
		if !g.canSplit(l) {
			for _, f := range features {
				g.scores[s][f] = none
			}
			continue
		}
		g.searchSibling(worker, s, l, features)
	}
}

// searchSibling searches some of the active features of a node: first those that are searched many at a time, then the
// others, by what is known then.
func (g *splitter) searchSibling(worker, sibling int, l *node, features []int) {
	if g.packs(sibling, l) {
		best, others := g.bound(worker, sibling, l, features)
		if len(others) > 0 && best >= 0 && l.rule.Provable(l.total.hess) {
			g.searchOne(worker, sibling, l, best) // what gains less need not be looked at
		}
		features = g.mayGain(worker, sibling, l, others)
	}
	// Sums of two codes are searched together where they are integers without counts.
	flags := !g.storage.Counts() && !l.hist.IsSparse() && g.reuse == nil && l.rule.Plain()
	for len(features) > 0 {
		n := 1
		if flags && g.shapes[features[0]].flags >= leastFlags {
			n = max(n, g.flags(features))
		}
		if n >= leastFlags {
			g.searchFlags(worker, sibling, l, features[:n])
		} else {
			n = 1
			g.searchOne(worker, sibling, l, features[0])
		}
		features = features[n:]
	}
}

// subtract takes the smaller sibling's sums of the features away from what are still their
// parent's: of features whose slots follow each other in one go.
func (g *splitter) subtract(features []int) {
	from, what := g.nodes[g.larger].hist, g.nodes[g.smaller].hist
	for i := 0; i < len(features); {
		lo := features[i]
		hi := lo + 1
		for i++; i < len(features) && features[i] == hi; i++ {
			hi++
		}
		from.SubtractRange(what, g.storage, int(g.offsets[lo]), int(g.offsets[hi]))
	}
}

// mostLeast is the most rows of a node whose least hessian is looked for: of many rows it is too small to
// be of use.
const mostLeast = 16_384

// prepare settles what all features of a sibling's search have in common.
func (g *splitter) prepare(sibling int) {
	at := g.siblings[sibling]
	l, rule := &g.nodes[at], &g.rules[sibling]
	*rule, l.rule = g.rule, rule
	if g.storage.OneWord() && !rule.EqualHess && rule.MinRows > 1 && l.rows <= mostLeast {
		least := uint64(math.MaxUint16)
		for _, run := range g.rows.runs(at) {
			least = min(least, hist.LeastHess(run.Entries))
		}
		rule.LeastSide = rule.MinRows * least
	}
	grad, hess := g.value(l.total)
	l.part = rule.Part(grad, hess, rule.L2)
}

// searchFeature finds the best split of one feature, and returns its gain before the leaf's
// part is taken off. counts holds exact numbers of rows per code, or is nil: then splits of a
// numeric feature that gain less than least are left out.
func (g *splitter) searchFeature(worker int, l *node, f int, counts []uint32, least float64, c *candidate) (gain float64) {
	from, to := g.offsets[f], g.offsets[f+1]
	if g.storage.Mode() == gradients.F32 {
		total := scan.Sums[float64, float64]{Grad: l.total.gradF, Hess: l.total.hessF, Rows: uint64(l.rows)}
		h := scan.Feature[float64, float64]{
			Grad: l.hist.GradF[from:to], Hess: l.hist.HessF[from:to], Count: l.hist.Count[from:to], Total: total,
		}
		split, grouping := searchCodes(g, worker, l, f, &h)
		fill(g, c, l, f, split, grouping)
		preferUsed(g, l, f, &h, c)
		return split.Gain
	}
	if counts == nil && g.direct == nil && l.hist.IsSparse() && g.config.Features[f].Kind != binning.Categorical {
		return g.searchTouched(worker, l, f, least, c)
	}
	grad, hess, rows := g.slots(worker, l, f)
	if counts == nil {
		counts = rows
	}
	return g.searchSlots(worker, l, f, grad, hess, counts, least, c)
}

// searchTouched is searchSlots for a numeric feature of which few slots are not 0: it
// searches these, the first and the last of the present values', and the missing code's.
// A code without rows repeats the candidate before it, which wins the tie; only the
// first has none before it (see scan.Numeric).
func (g *splitter) searchTouched(worker int, l *node, f int, least float64, c *candidate) (gain float64) {
	w, regular := &g.workers[worker], g.config.Features[f].Regular
	w.codes = append(w.codes[:0], 0)
	from := int(g.offsets[f])
	w.codes = l.hist.Touched(from+1, from+int(regular)-1, w.codes)
	for i := range w.codes[1:] {
		w.codes[1+i]++ // counted from the second code
	}
	if regular > 1 {
		w.codes = append(w.codes, regular-1)
	}
	n := len(w.codes)
	slots := int(g.offsets[f+1]) - from
	if int(regular) < slots {
		w.codes = append(w.codes, regular)
	}
	if len(w.grad) < len(w.codes) {
		w.grad, w.hess = make([]int64, slots), make([]uint64, slots)
	}
	for i, code := range w.codes {
		w.grad[i], w.hess[i] = l.hist.At(from + int(code))
	}
	h := scan.Feature[int64, uint64]{
		Grad: w.grad[:len(w.codes)], Hess: w.hess[:len(w.codes)], Regular: n, Least: least,
		Total: scan.Sums[int64, uint64]{Grad: l.total.grad, Hess: l.total.hess, Rows: uint64(l.rows)},
	}
	split := scan.Numeric(&h, l.rule)
	if split.Found {
		split.Code = int(w.codes[split.Code])
	}
	fill(g, c, l, f, split, 0)
	if g.reuse != nil { // used codes need not be among those that are not 0
		h.Grad, h.Hess = g.slotSums(worker, l, from, from+slots)
		h.Regular = int(regular)
		preferUsed(g, l, f, &h, c)
	}
	return split.Gain
}

// searchSlots is searchFeature for integer sums.
func (g *splitter) searchSlots(worker int, l *node, f int, grad []int64, hess []uint64, counts []uint32, least float64, c *candidate) (gain float64) {
	h := scan.Feature[int64, uint64]{
		Grad: grad, Hess: hess, Count: counts, Least: least,
		Total: scan.Sums[int64, uint64]{Grad: l.total.grad, Hess: l.total.hess, Rows: uint64(l.rows)},
	}
	split, grouping := searchCodes(g, worker, l, f, &h)
	fill(g, c, l, f, split, grouping)
	preferUsed(g, l, f, &h, c)
	c.counted = counts != nil
	return split.Gain
}

// slots returns the sums of a leaf by codes of a feature, in integer modes, with numbers
// of rows where these are kept. A direct search always has them, in the worker's scratch.
func (g *splitter) slots(worker int, l *node, f int) (grad []int64, hess []uint64, count []uint32) {
	if g.direct == nil {
		from, to := g.offsets[f], g.offsets[f+1]
		if g.storage.Counts() {
			count = l.hist.Count[from:to]
		}
		grad, hess = g.slotSums(worker, l, int(from), int(to))
		return grad, hess, count
	}
	at, _ := slices.BinarySearch(l.sums.Features, int32(f))
	grad, hess, count, _ = g.directSlots(worker, l, at)
	return grad, hess, count
}

// slotSums returns the integer sums of a leaf's slots, in the worker's scratch where they are packed.
func (g *splitter) slotSums(worker int, l *node, from, to int) ([]int64, []uint64) {
	w := &g.workers[worker]
	if n := to - from; l.hist.InWords() && len(w.splitGrad) < n {
		n = max(n, g.widest)
		w.splitGrad, w.splitHess = make([]int64, n), make([]uint64, n)
	}
	return l.hist.Sums(from, to, w.splitGrad, w.splitHess)
}

// searchCodes searches the histogram of one feature by the feature's kind.
func searchCodes[G scan.Grad, H scan.Hess](g *splitter, worker int, l *node, f int, h *scan.Feature[G, H]) (scan.Split[G, H], scan.Grouping) {
	feature := &g.config.Features[f]
	h.Regular = int(feature.Regular)
	if feature.Kind == binning.Categorical {
		rule := g.catRule(l)
		return scan.Categorical(h, l.rule, &rule, &g.workers[worker].cat)
	}
	return scan.Numeric(h, l.rule), 0
}

func (g *splitter) catRule(l *node) scan.CatRule {
	p := &g.config.Params
	return scan.CatRule{
		OneHotMax: p.OneHotMax, Smooth: p.Smooth, L2: p.CatL2, MaxPerSide: p.MaxPerSide,
		MinPerGroup: p.MinPerGroup, NodeRows: uint64(l.rows),
	}
}

// fill turns a scan's result into a candidate, or says that there is none where the split
// does not gain enough.
func fill[G scan.Grad, H scan.Hess](g *splitter, c *candidate, l *node, f int, s scan.Split[G, H], grouping scan.Grouping) {
	c.found = false
	if !s.Found {
		return
	}
	gain := s.Gain - l.part
	if !(gain > 0 && gain > g.config.Params.MinGain) {
		return
	}
	*c = candidate{
		found: true, gain: gain, feature: f, code: s.Code, grouping: grouping,
		categorical: g.config.Features[f].Kind == binning.Categorical,
		missingLeft: s.MissingLeft, unproven: s.Unproven, left: sumsOf(g, s.Left),
	}
	c.score = gain
	if g.reuse != nil {
		c.score = g.reuse.score(c)
	}
}

// sumsOf translates a scan's sums.
func sumsOf[G scan.Grad, H scan.Hess](g *splitter, s scan.Sums[G, H]) sums {
	if g.storage.Mode() == gradients.F32 {
		return sums{gradF: float64(s.Grad), hessF: float64(s.Hess)}
	}
	out := sums{grad: int64(s.Grad), hess: uint64(s.Hess)}
	if g.storage.Counts() {
		out.rows = int64(s.Rows)
	}
	return out
}

// choose sets the leaf's best split from the candidates of its features. A score that is a bound, or whose
// candidate's sides may lack rows, is no less than the feature's gain: such scores are worked off from the highest,
// some with a count of the leaf's rows, until the best of all is exact.
func (g *splitter) choose(sibling int, l *node) {
	scores, isBound := g.scores[sibling], g.isBound[sibling]
	for {
		best, most, next := -1, none, none
		for _, f := range g.allowed[sibling] {
			if scores[f] > most {
				best, most, next = f, scores[f], most
			} else if scores[f] > next {
				next = scores[f]
			}
		}
		if best < 0 {
			l.best = candidate{}
			return
		}
		c := &g.candidates[sibling][best]
		for first := true; first || scores[best] > next; first = false {
			switch {
			case isBound[best] && l.rule.Provable(l.total.hess):
				g.searchOne(0, sibling, l, best)
			case isBound[best] || c.unproven:
				isBound[best] = false
				g.searchCounted(sibling, l, best, c)
				scores[best] = c.scoreOf()
			default:
				g.take(l, c)
				return
			}
		}
	}
}

// searchCounted searches a feature with a count of the leaf's rows.
func (g *splitter) searchCounted(sibling int, l *node, f int, c *candidate) {
	counts := g.count(g.siblings[sibling], f)
	if !g.shapes[f].numeric || !g.packs(sibling, l) {
		g.searchFeature(0, l, f, counts, 0, c)
		return
	}
	g.searchWords(0, sibling, l, f, counts, 0, c)
	c.counted = true
}

// take makes a candidate the leaf's best split.
func (g *splitter) take(l *node, c *candidate) {
	l.best = *c
	l.nothingMissing = g.config.Features[c.feature].HasMissing && g.missingIsNothing(l, c.feature)
	if c.categorical && g.direct != nil { // the sums may go before the node is split
		l.set = append(l.set[:0], g.categories(l, c)...)
	}
}

// count returns the number of the leaf's rows per code of a feature.
func (g *splitter) count(leaf, f int) []uint32 {
	m := g.config.Matrix
	n := int(g.offsets[f+1] - g.offsets[f])
	unit, codes := -1, n
	if m.ByColumns() {
		unit = m.GroupOf(f)
		codes = int(m.FeatureGroups()[unit].NBins)
	}
	if size := n + max(codes, 16); cap(g.counts) < size {
		g.counts = make([]uint32, size)
	}
	counts := g.counts[:max(codes, 16)]
	clear(counts)
	for _, run := range g.rows.runs(leaf) {
		if len(run.Entries) == 0 {
			continue
		}
		lo, hi := run.First, g.rows.end(run.First)
		var c binning.Column
		if unit >= 0 {
			c = m.GroupColumn(unit).Part(lo, hi)
		} else {
			c = m.Block(f, lo, hi, run.Entries, &g.rows.codes[g.worker])
		}
		switch c.Bits {
		case binning.U4:
			hist.CountNibbles(counts, c.U4(), run.Entries)
		case binning.U8:
			hist.CountColumn(counts, c.U8(), run.Entries)
		case binning.U16:
			hist.CountColumn(counts, c.U16(), run.Entries)
		default:
			hist.CountColumn(counts, c.U32(), run.Entries)
		}
	}
	rest, bundled := m.DefaultBin(f)
	if unit < 0 || !bundled {
		return counts[:n]
	}
	// Rows that have another feature's code, or none, have this one's rest code.
	own, first := g.counts[len(counts):len(counts)+n], counts[m.First(f):]
	copy(own, first[:rest])
	copy(own[rest+1:], first[rest:n-1])
	own[rest] = 0
	own[rest] = uint32(g.nodes[leaf].rows) - sumOf(own)
	return own
}

func sumOf(counts []uint32) uint32 {
	n := uint32(0)
	for _, c := range counts {
		n += c
	}
	return n
}

// categories returns the ascending codes that a categorical candidate sends left.
func (g *splitter) categories(l *node, c *candidate) []uint32 {
	from, to := g.offsets[c.feature], g.offsets[c.feature+1]
	rule, scratch := g.catRule(l), &g.workers[g.worker].cat
	regular := int(g.config.Features[c.feature].Regular)
	if g.storage.Mode() == gradients.F32 {
		f := scan.Feature[float64, float64]{
			Grad: l.hist.GradF[from:to], Hess: l.hist.HessF[from:to], Regular: regular,
			Total: scan.Sums[float64, float64]{Grad: l.total.gradF, Hess: l.total.hessF},
		}
		return scan.Set(&f, &g.rule, &rule, scratch, scan.Split[float64, float64]{Code: c.code}, c.grouping)
	}
	f := scan.Feature[int64, uint64]{Regular: regular, Total: scan.Sums[int64, uint64]{Grad: l.total.grad, Hess: l.total.hess}}
	if g.direct == nil && l.hist.InWords() {
		f.Words = l.hist.Words(int(from), int(to))
	} else {
		f.Grad, f.Hess, f.Count = g.slots(g.worker, l, c.feature)
	}
	return scan.Set(&f, &g.rule, &rule, scratch, scan.Split[int64, uint64]{Code: c.code}, c.grouping)
}

// table returns where the codes of a leaf's best split go.
func (g *splitter) table(l *node) splitTable {
	best, feature := &l.best, &g.config.Features[l.best.feature]
	if best.categorical && g.direct == nil {
		l.set = append(l.set[:0], g.categories(l, best)...)
	}
	left := g.leftCodes(l, best)
	t := splitTable{matrix: g.config.Matrix, feature: best.feature, left: left, missing: feature.MissingCode()}
	if feature.HasMissing {
		t.gap = hasGap
		if l.nothingMissing {
			// Rows whose codes add up to nothing gain the same on both sides: left first,
			// unless a search that counted them has chosen for a side that needs them.
			t.gap = lookGap
			best.missingLeft = best.missingLeft || !best.counted
		}
		left[t.missing] = 0
		if best.missingLeft {
			left[t.missing] = 1
		}
	}
	return t
}

// leftCodes returns 1 for each code of a present value that a candidate sends left: the node's set
// is its, where it is categorical. There are at least 256 entries.
func (g *splitter) leftCodes(l *node, c *candidate) []uint8 {
	n := max(int(g.offsets[c.feature+1]-g.offsets[c.feature]), 256)
	if len(g.left) < n {
		g.left = make([]uint8, n)
	}
	left := g.left[:n]
	clear(left)
	if c.categorical {
		for _, code := range l.set {
			left[code] = 1
		}
		return left
	}
	for code := range c.code + 1 {
		left[code] = 1
	}
	return left
}

// missingIsNothing says that the sums of a feature's missing code are all zero.
func (g *splitter) missingIsNothing(l *node, f int) bool {
	code := g.config.Features[f].Regular
	if g.storage.Counts() {
		return l.hist.Count[g.offsets[f]+code] == 0
	}
	if g.direct == nil {
		grad, hess := l.hist.At(int(g.offsets[f] + code))
		return grad == 0 && hess == 0
	}
	grad, hess, _ := g.slots(0, l, f)
	return grad[code] == 0 && hess[code] == 0
}
