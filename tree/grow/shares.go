package grow

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"boost/internal/comm"
	"boost/internal/comm/ahead"
	"boost/internal/kernel/scan"
)

// shares spreads the search of a tree's nodes over the ranks: each has the sums of all rows for some of the features, one after the
// other, and finds their candidates. The best of all ranks is the one that a rank with all features would choose: the highest
// score, of the lowest feature among equal ones.
type shares struct {
	parts    []comm.Part // by rank, the slots of its features
	features []int       // of this rank, of the tree's active ones
	ahead    ahead.Sender
}

// top is the candidate of all ranks that has the highest score.
type top struct {
	candidate
	rank               int
	exact              bool // it is the split; else rows have to be counted
	missingAddsNothing bool
	set                []uint32 // of an exact categorical one
}

// leastShared is the number of slots from which ranks that have the same rows share the search: each finds the best of fewer sooner.
const leastShared = 2048

// sharesSearch reports whether ranks may share the search of so many slots.
func (c *Config) sharesSearch(slots uint32) bool {
	return c.Searchers.Shared() && c.Params.Growth != Symmetric && len(c.Forced) == 0 && (slots >= leastShared || c.Ranks.Shared())
}

// Searched returns the features that are searched here, those from lo on before hi: all, unless other ranks have the same rows.
func (c *Config) Searched() (lo, hi int) {
	offsets := c.Matrix.Offsets()
	if n := len(offsets) - 1; c.Ranks.Shared() || !c.sharesSearch(offsets[n]) {
		return 0, n
	}
	border := func(rank int) int {
		f, _ := slices.BinarySearch(offsets, uint32(int(offsets[len(offsets)-1])*rank/c.Searchers.Size()))
		return f
	}
	return border(c.Searchers.Rank()), border(c.Searchers.Rank() + 1)
}

// share gives each rank its features of a tree.
func (g *Grower) share() {
	if g.shares = nil; !g.config.sharesSearch(uint32(g.codes)) {
		return
	}
	s, ranks := &g.ofRanks, g.config.Searchers
	if g.shares = s; !g.config.Ranks.Shared() {
		lo, hi := g.config.Searched()
		s.features = slices.DeleteFunc(append(s.features[:0], g.active...), func(f int) bool { return f < lo || f >= hi })
		return
	}
	s.parts, s.features = append(s.parts[:0], comm.Part{}), s.features[:0]
	next := func(slot int) { // another rank's part begins
		s.parts[len(s.parts)-1].To = slot
		s.parts = append(s.parts, comm.Part{From: slot})
	}
	codes := 0
	for _, f := range g.active {
		for len(s.parts) < ranks.Size() && codes >= g.codes*len(s.parts)/ranks.Size() {
			next(int(g.offsets[f]))
		}
		if len(s.parts)-1 == ranks.Rank() {
			s.features = append(s.features, f)
		}
		codes += int(g.offsets[f+1] - g.offsets[f])
	}
	all := int(g.offsets[len(g.offsets)-1])
	for len(s.parts) < ranks.Size() {
		next(all)
	}
	s.parts[len(s.parts)-1].To = all
	s.ahead.Share(ranks, g.offsets, s.parts)
}

// searched returns the features that this rank searches.
func (g *Grower) searched() []int {
	if g.shares != nil {
		return g.shares.features
	}
	return g.active
}

// keep keeps those of the features that this rank searches.
func (s *shares) keep(features []int) []int {
	return slices.DeleteFunc(features, func(f int) bool {
		_, own := slices.BinarySearch(s.features, f)
		return !own
	})
}

// tellTops says which candidates of the nodes that are searched have the highest scores at this rank, for all ranks to choose.
func (s *split) tellTops() pass {
	s.message = s.message[:0]
	for i := range s.searching {
		s.message = s.searching[i].tell(s.message)
	}
	return pass{exchange: exchangeTops, then: (*split).hearTops}
}

// readTops takes what a rank says of the nodes that are searched off what it says of several splits, and returns the rest.
func (s *split) readTops(rank int, theirs []byte) (rest []byte) {
	for i := range s.searching {
		t, err := top{}, error(nil)
		if theirs, err = t.read(theirs); err != nil {
			s.config.Searchers.Fail(&comm.Error{Rank: rank, Text: err.Error()})
		}
		if t.rank = rank; rank == 0 || t.scoreOf() > s.tops[i].scoreOf() {
			s.tops[i] = t
		}
	}
	return theirs
}

// hearTops sets the best splits of the nodes that are searched from the candidates of all ranks, or counts rows of the nodes whose highest
// candidates need it.
func (s *split) hearTops() pass {
	if s.err != nil {
		return pass{}
	}
	counts := s.allCounts[:0]
	for i := range s.searching {
		if q, t := &s.searching[i], &s.tops[i]; !t.exact {
			counts = append(append(counts, q.countOwn(t.feature)...), uint32(t.feature), uint32(q.at))
		}
	}
	if s.allCounts = counts; len(counts) > 0 {
		return pass{exchange: exchangeCounts, then: (*split).settleTops}
	}
	for i := range s.searching {
		q, t := &s.searching[i], &s.tops[i]
		if q.node.best = t.candidate; t.found {
			q.node.set = append(q.node.set[:0], t.set...)
			q.taken(t.missingAddsNothing)
		}
	}
	return s.endSearch()
}

// settleTops makes the candidates exact whose rows all ranks have counted.
func (s *split) settleTops() pass {
	counts := s.allCounts
	for i := range s.searching {
		q, t := &s.searching[i], &s.tops[i]
		if t.exact {
			continue
		}
		n := int(s.offsets[t.feature+1] - s.offsets[t.feature])
		if s.err = cmp.Or(s.err, q.checkCounts(t.feature, counts[n:])); s.err != nil {
			return pass{}
		}
		if t.rank == s.config.Ranks.Rank() {
			q.settle(t.feature, counts[:n:n])
		}
		counts = counts[n+2:]
	}
	return s.tellTops()
}

// checkCounts returns an error where ranks have not counted the same.
func (q *search) checkCounts(f int, sums []uint32) error {
	if size := uint32(q.config.Ranks.Size()); sums[0] != size*uint32(f) || sums[1] != size*uint32(q.at) {
		return errNode
	}
	return nil
}

// said is what a rank says of the best candidate of a node among its features. Codes of a set follow.
type said struct {
	Gain, Score                                  float64
	Grad                                         int64
	Hess                                         uint64
	Rows                                         int64
	Feature, Code, Set                           uint32 // Set: number of codes
	Grouping                                     scan.Grouping
	Found, Exact                                 bool
	Categorical, MissingLeft, Counted, NoMissing bool
}

// tell appends the candidate that has the highest score at this rank.
func (q *search) tell(to []byte) []byte {
	best, exact := q.highest()
	if !exact && !q.config.Ranks.Shared() { // all rows are here
		best, exact = q.settled(), true
	}
	mine := said{Exact: exact}
	var set []uint32
	if best >= 0 {
		c := &q.candidates[best]
		mine.Found, mine.Score, mine.Feature = true, q.scores[best], uint32(best)
		if exact {
			mine.Gain, mine.Code, mine.Grad, mine.Hess, mine.Rows = c.gain, uint32(c.code), c.left.grad, c.left.hess, c.left.rows
			mine.Grouping, mine.Categorical, mine.MissingLeft, mine.Counted = c.grouping, c.categorical, c.missingLeft, c.counted
			mine.NoMissing = q.missingAddsNothing(c)
			if c.categorical {
				set = q.categories(q.node, c)
			}
		}
	}
	mine.Set = uint32(len(set))
	return appendLittle(appendLittle(to, &mine), set)
}

// read takes a candidate off what a rank says, and returns the rest.
func (t *top) read(from []byte) (rest []byte, err error) {
	var its said
	n, err := binary.Decode(from, binary.LittleEndian, &its)
	if from = from[n:]; err != nil || len(from) < 4*int(its.Set) {
		return nil, errTop
	}
	*t = top{exact: its.Exact, missingAddsNothing: its.NoMissing, set: make([]uint32, its.Set), candidate: candidate{
		found: its.Found, gain: its.Gain, score: its.Score, feature: int(its.Feature), code: int(its.Code), grouping: its.Grouping,
		categorical: its.Categorical, missingLeft: its.MissingLeft, counted: its.Counted,
		left: sums{grad: its.Grad, hess: its.Hess, rows: its.Rows},
	}}
	n, err = binary.Decode(from, binary.LittleEndian, t.set)
	return from[n:], err
}

// appendLittle appends numbers of a fixed size.
func appendLittle(to []byte, what any) []byte {
	to, err := binary.Append(to, binary.LittleEndian, what)
	if err != nil {
		panic(err) // it has another field
	}
	return to
}

var (
	errTop  = errors.New("told a candidate that is none: " + comm.Differ)
	errNode = fmt.Errorf("%w: ranks do not split the same node: %s", comm.ErrComm, comm.Differ)
)
