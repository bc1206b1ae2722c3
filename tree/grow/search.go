package grow

import (
	"math"

	"boost/internal/kernel/hist"
	"boost/internal/kernel/scan"
)

// search is the search of one node for its best split. Each feature that it may be split on gets a
// candidate, or a bound of what one would gain; choose works off these scores from the highest.
type search struct {
	*splitter
	side int // 0 for the root and the left child, 1 for the right one
	at   int
	node *node

	rule       scan.Rule   // that a split must obey
	free       scan.Rule   // the same without limits of values, which packed sums are searched by
	part       float64     // the node's own part of a gain
	packed     scan.Packed // its packed sums
	bounds     scan.Limits // memory of the rule's
	near       []neighbour // that bound the node, in the advanced method
	allowed    []int       // features
	drawn      []int       // memory of allowed
	candidates []candidate // by feature
	scores     []float64   // of the candidates, by feature; none without one
	isBound    []bool      // the score is a bound, and the candidate still to be made
}

// none is the score of a feature without a candidate.
const none = -1.0

// searchScratch is one worker's memory in a search.
type searchScratch struct {
	cat                    scan.CatScratch
	gains                  []float64 // of features of two codes
	bounds                 []float32 // of gains of numeric features
	numeric, flags, others []int     // features that are bounded, those of them that have two codes, and others
	at                     []uint32  // words of flags
	// bestGain is the largest gain of a split of each side that the worker has found and that
	// surely leaves both children enough rows: what gains less is not the best, and not looked for.
	// Workers differ in what they leave out, but never in a split that may be chosen.
	bestGain [2]float64
	// Sums of one feature in a sparse search, or of its codes in a search of touched slots.
	grad  []int64
	hess  []uint64
	count []uint32
	codes []uint32
	sides scan.Sides // memory of a feature's
	// Packed sums, unpacked.
	unpackedGrad []int64
	unpackedHess []uint64
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
)

// smallShare is smallTiles where workers that spin take part. It is a variable for tests.
var smallShare = 6_000

// search begins to fill in the missing histogram of the children, and the tiles that are
// left of the other, and to find the best split of each feature in each. alone reports whether tiles
// are not worth waking workers.
func (s *split) search(alone bool) pass {
	if s.levels != nil {
		return s.levels.complete(s, alone)
	}
	for i := range s.searching {
		q := &s.searching[i]
		if q.allowed = s.active; s.sampler.SamplesNodes() {
			q.drawn = s.sampler.Node(s.active, s.round, s.output, q.node.depth, q.node.path, q.drawn)
			q.allowed = q.drawn
		}
		if s.restricted() {
			q.drawn = s.restrict(append(q.drawn[:0], q.allowed...), q.node)
			q.allowed = q.drawn
		}
		if s.shares != nil {
			q.drawn = s.shares.keep(append(q.drawn[:0], q.allowed...))
			q.allowed = q.drawn
		}
	}
	for i := range s.searching {
		q := &s.searching[i]
		q.prepare()
		q.packed.Prepare(&q.free, scan.Sums[int64, uint64]{Grad: q.node.total.grad, Hess: q.node.total.hess})
	}
	for w := range s.workers {
		s.workers[w].bestGain = [2]float64{}
	}
	if s.tiles > 0 {
		return pass{n: s.tiles, task: (*tileTask)(s), alone: alone, then: (*split).finishSearch}
	}
	codes, n := len(s.searching)*s.codes, len(s.searched())
	s.chunk = max(featureChunk, min(n/(chunksPerWorker*s.pool.Threads()), chunkCodes*n*len(s.searching)/max(codes, 1)))
	small := smallSearch
	if s.crew != nil {
		small = smallShare / updatesPerCode
	}
	return pass{n: (n + s.chunk - 1) / s.chunk, task: (*searchTask)(s), alone: codes < small, then: (*split).finishSearch}
}

// finishSearch chooses the best split of each node that is searched.
func (s *split) finishSearch() pass {
	if s.tiles > 0 {
		s.builder.EndTiles()
	}
	if s.verifying() {
		if s.err = s.verifyFeatures(); s.err != nil {
			return pass{}
		}
	}
	if s.shares != nil {
		return s.tellTops()
	}
	for i := range s.searching {
		if s.levels == nil {
			s.searching[i].choose()
		}
	}
	return s.endSearch()
}

// endSearch drops the sums of nodes that cannot be split.
func (s *split) endSearch() pass {
	for i := range s.searching {
		if n := s.searching[i].node; !n.best.found && !s.levels.keeps(n) {
			s.hists.Put(n.hist)
			n.hist = nil
		}
	}
	return pass{}
}

// searchTask subtracts and searches a chunk of the active features.
type searchTask split

func (t *searchTask) Run(worker, chunk int) {
	s := (*split)(t)
	features := s.searched()[chunk*s.chunk:]
	s.searchFeatures(worker, features[:min(s.chunk, len(features))])
}

// tileTask makes a tile of a histogram, and subtracts and searches its features.
type tileTask split

func (t *tileTask) Run(worker, tile int) {
	s := (*split)(t)
	s.searchFeatures(worker, s.builder.Tile(worker, tile))
}

// searchFeatures subtracts and searches some of the active features.
func (s *split) searchFeatures(worker int, features []int) {
	if s.larger != noNode && !s.subtracted {
		s.subtract(features)
	}
	if s.levels != nil { // they are searched with all nodes of the level
		return
	}
	for i := range s.searching {
		q := &s.searching[i]
		if !s.canSplit(q.node) {
			for _, f := range features {
				q.scores[f] = none
			}
			continue
		}
		q.features(worker, features)
	}
}

// mostLeast is the most rows of a node whose least hessian is looked for: of many rows it is too small to
// be of use.
const mostLeast = 16_384

// prepare computes what the search of all features has in common.
func (q *search) prepare() {
	q.rule = q.splitter.rule
	if rule := &q.rule; !q.config.Ranks.Shared() && q.storage.OneWord() && !rule.EqualHess && rule.MinRows > 1 && q.node.rows <= mostLeast {
		least := uint64(math.MaxUint16)
		for _, run := range q.rows.runs(q.at) {
			least = min(least, hist.LeastHess(run.Entries))
		}
		rule.LeastSide = rule.MinRows * least
	}
	grad, hess := q.value(q.node.total)
	q.part = q.rule.Part(grad, hess, q.rule.L2)
	if q.free = q.rule; q.splitter.limits != nil {
		q.rule.Limits = q.splitter.limits.of(q, grad, hess)
	}
}

// restricts reports whether a node may go without some of its tree's features, so that the best of all need not be the node's.
func (s *splitter) restricts() bool {
	return s.sampler.SamplesNodes() || s.restricted()
}

// features searches some of the active features: first those that are searched many at a time, then the
// others, by what is known then.
func (q *search) features(worker int, features []int) {
	if q.packs() {
		best, others := q.bound(worker, features)
		if len(others) > 0 && best >= 0 && q.rule.Provable(q.node.total.hess) {
			q.feature(worker, best) // what gains less need not be looked at
		}
		features = q.mayGain(worker, others)
	}
	// Sums of two codes are searched together where they are integers without counts.
	flags := !q.storage.Counts() && !q.node.hist.IsSparse() && q.reuse == nil && q.worth == nil && q.rule.Plain()
	for len(features) > 0 {
		n := 1
		if flags && q.shapes[features[0]].flags >= leastFlags {
			n = max(n, q.flagRun(features))
		}
		if n >= leastFlags {
			q.flags(worker, features[:n])
		} else {
			n = 1
			q.feature(worker, features[0])
		}
		features = features[n:]
	}
}

// choose sets the node's best split from the candidates of its features.
func (q *search) choose() {
	if q.takeForced() {
		return
	}
	best := q.settled()
	if best < 0 {
		q.node.best = candidate{}
		return
	}
	q.take(&q.candidates[best])
}

// settled returns the feature whose candidate is best, the first among equal ones, -1 where there is none. It counts the node's rows where
// that needs it.
func (q *search) settled() int {
	for {
		best, exact := q.highest()
		if exact {
			return best
		}
		q.settle(best, q.count(best))
	}
}

// highest returns the feature whose candidate has the highest score, the first among equal ones, -1 where there is none. A score that
// is a bound, or whose candidate's sides may lack rows, is no less than the feature's gain: such scores are worked off from the highest,
// until the best of all is exact, or the node's rows have to be counted for it.
func (q *search) highest() (best int, exact bool) {
	scores, isBound := q.scores, q.isBound
	for {
		best, most, next := -1, none, none
		for _, f := range q.allowed {
			if scores[f] > most {
				best, most, next = f, scores[f], most
			} else if scores[f] > next {
				next = scores[f]
			}
		}
		if best < 0 {
			return -1, true
		}
		for first := true; first || scores[best] > next; first = false {
			switch {
			case isBound[best] && q.rule.Provable(q.node.total.hess):
				q.feature(0, best)
			case isBound[best] || q.candidates[best].unproven:
				return best, false
			default:
				return best, true
			}
		}
	}
}

// settle makes the candidate of a feature, given how many of the node's rows have each code, an exact one.
func (q *search) settle(f int, counts []uint32) {
	c := &q.candidates[f]
	q.isBound[f] = false
	q.find(0, f, counts, 0, c)
	q.scores[f] = c.scoreOf()
}

// take makes a candidate the node's best split.
func (q *search) take(c *candidate) {
	n := q.node
	n.best = *c
	q.taken(q.missingAddsNothing(c))
	if c.categorical && q.sparse != nil && !c.forced { // the sums may go before the node is split
		n.set = append(n.set[:0], q.categories(n, c)...)
	}
}

// taken notes what follows from the node's best split, and from whether the sums of its missing code are 0.
func (q *search) taken(missingAddsNothing bool) {
	n := q.node
	if q.splitter.limits != nil && q.splitter.limits.boxes != nil {
		q.keepValues()
	}
	n.missingSumIsZero = missingAddsNothing
	n.noMissing = n.missingSumIsZero && q.rule.LeastSide > 0
}

// missingAddsNothing reports whether a candidate's feature has a missing code whose sums are 0 in the node.
func (q *search) missingAddsNothing(c *candidate) bool {
	return q.config.Features[c.feature].HasMissing && q.missingIsZero(q.node, c.feature)
}
