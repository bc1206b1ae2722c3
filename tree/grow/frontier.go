package grow

import (
	"math"
	"slices"

	"boost/parallel"
)

// frontier decides which node is split next, and by whom.
//
// A tree grows best leaf first: each split is of the leaf that gains most then. How a leaf is
// split follows from its rows alone, so that leaves may be split ahead of their turn, by one
// worker each: the result waits until the leaf is the best one, and is thrown away if the tree has
// all its leaves before. Trees are those of one worker, split by split. Workers that find no leaf take
// part in passes of those that split one (parallel.Crew). Nodes of many rows are
// split by all workers together: there may be no other that is worth it beside them.
type frontier struct {
	*Grower
	solos   []*splitter    // by worker; nil: all nodes are split by all
	loop    *parallel.Loop // of these
	pending []int32        // nodes that may be split and are no splits of the tree yet
	stale   int            // leaves that workers search again
	ahead   int            // of them, those that are busy or expanded
	most    int            // of ahead
	large   int            // rows of a node from which all workers split it together
	least   float64        // score of the split that counts for least of the tree so far
	last    []float64      // by output, that of the tree before; 0 where that has not all its leaves
	bar     float64        // what a node that is split ahead counts for, at least
}

// largeNode is the number of codes of a node's rows, a bundle's counted once, from which all workers split it together.
const largeNode = 1 << 18

// aheadPerThread bounds the nodes that are split ahead of their turn, each of which takes a histogram: twice as many where
// that has no more than smallSlots slots. There are no more of them than leaves either.
const (
	aheadPerThread = 4
	smallSlots     = 8192
)

// shareOfLast is how much a node counts for, at least, to be split ahead of its turn: that share of the split of the tree
// before that counts for least. Trees that follow each other gain nearly the same, so that what counts for less is split
// in vain: one split in five otherwise. The worker that would split it helps the others.
const shareOfLast = 0.7

// splitsAlone reports whether nodes of few rows are split by one worker each. They are not where there are
// so many features that only nodes of a few rows would be, nor where ranks have to split the same node at a time.
func (c *Config) splitsAlone(threads int) bool {
	return threads > 1 && !c.Searchers.Shared() && !c.SparseSums && c.aloneRows() >= 64
}

// aloneRows returns the most rows of a node that a worker splits alone, where a tree has all features.
func (c *Config) aloneRows() int { return largeNode / max(c.columns(), 1) }

// columns returns the number of codes of a row.
func (c *Config) columns() int {
	if c.Matrix.ByColumns() {
		return len(c.Matrix.FeatureGroups())
	}
	return c.Matrix.NFeatures()
}

// mostAhead returns the most nodes that are split ahead of their turn.
func (c *Config) mostAhead(threads int) int {
	most := 0
	switch {
	case c.batches():
		most = 2 * mostBatched
	case c.splitsAlone(threads) && c.smallHistograms():
		most = 2 * aheadPerThread * threads
	case c.splitsAlone(threads):
		most = aheadPerThread * threads
	}
	return min(most, c.Params.Leaves)
}

func (c *Config) smallHistograms() bool {
	offsets := c.Matrix.Offsets()
	return int(offsets[len(offsets)-1]) <= smallSlots
}

// maxNodes returns the most nodes that a tree has, with those that are split ahead in vain.
func (c *Config) maxNodes(threads int) int {
	return 2*c.Params.Leaves - 1 + 2*c.mostAhead(threads)
}

func (f *frontier) init(g *Grower) {
	f.Grower = g
	threads := g.config.Pool.Threads()
	if f.most = g.config.mostAhead(threads); !g.config.splitsAlone(threads) {
		return
	}
	f.solos = make([]*splitter, threads)
	f.loop = parallel.NewLoop(g.config.Pool, f)
	for w := range f.solos {
		f.solos[w] = newSplitter(g, f.loop.Crew(w), g.config.Strategy)
	}
}

// begin makes the frontier ready for a tree.
func (f *frontier) begin() {
	f.pending, f.stale, f.ahead, f.large = f.pending[:0], 0, 0, 0
	f.least = math.Inf(1)
	if len(f.last) <= f.output {
		f.last = append(f.last, make([]float64, f.output+1-len(f.last))...)
	}
	f.bar = shareOfLast * f.last[f.output]
	if f.byDepth() {
		f.bar = math.Inf(-1) // a tree of that shape splits all that there is room for
	}
	if f.batch.members != nil && f.shares != nil && !f.storage.Counts() {
		f.large = f.batch.codes / max(len(f.active), 1)
		for _, s := range f.batch.members {
			s.begin(nil)
		}
	}
	if f.loop == nil {
		return
	}
	f.large = largeNode * f.config.Matrix.NFeatures() / max(f.config.columns()*len(f.active), 1)
	if f.all.builder != nil && f.config.smallHistograms() {
		f.hists.Fill(f.config.keptHistograms()+f.most, f.all.builder, f.storage)
	}
	for _, s := range f.solos {
		s.begin(nil)
	}
}

// end keeps what the next tree is to know of this one.
func (f *frontier) end() {
	if f.last[f.output] = 0; len(f.leaves) == f.config.Params.Leaves {
		f.last[f.output] = f.least
	}
}

// isLarge reports whether all workers split a node together.
func (f *frontier) isLarge(at int) bool { return f.nodes[at].rows >= f.large }

// addCandidate lists a node that is searched, if it can be split.
func (f *frontier) addCandidate(at int) {
	if f.nodes[at].best.found {
		f.pending = append(f.pending, int32(at))
	}
}

// take marks a node as being split, and gives its children their numbers.
func (f *frontier) take(at int) {
	n := &f.nodes[at]
	n.state = busy
	n.last = len(f.leaves)+1 == f.config.Params.Leaves
	n.left, _ = f.newNode()
	n.right, _ = f.newNode()
	f.nodes[n.left].up, f.nodes[n.right].up = at, at
	f.ahead++
}

// finished takes over what a split has found: the children of a node, or the root.
func (f *frontier) finished(s *split) {
	switch {
	case s.err != nil:
		f.err = s.err
	case s.again:
		f.nodes[s.smaller].state = open
	case s.at == noNode:
		f.addCandidate(0)
	default:
		n := &f.nodes[s.at]
		n.state = expanded
		f.addCandidate(n.left)
		f.addCandidate(n.right)
	}
}

// nextLeaf makes splits of the tree of all best leaves in turn that have been split already, until leaves are to be searched again. It
// returns the node of the leaf that is to be split next, -1 where the tree is grown or has failed.
func (f *frontier) nextLeaf() int {
	for f.err == nil && len(f.leaves) < f.config.Params.Leaves {
		leaf := f.bestLeaf()
		if leaf < 0 {
			return -1
		}
		at := int(f.leaves[leaf])
		n := &f.nodes[at]
		if n.state != expanded || len(f.again) > 0 {
			return at
		}
		f.record(n, leaf)
		f.least = min(f.least, n.best.score)
		i := slices.Index(f.pending, int32(at))
		f.pending = slices.Delete(f.pending, i, i+1)
		f.ahead--
	}
	return -1
}

// Next implements parallel.Source: the node of the best leaf, or one that is likely to be the best later.
func (f *frontier) Next(int) (at int, n parallel.News) {
	if f.stale == 0 {
		if at = f.nextLeaf(); at < 0 {
			return 0, parallel.Ended
		}
	}
	if last := len(f.again) - 1; last >= 0 {
		at = f.again[last]
		f.again = f.again[:last]
		f.nodes[at].state = stale
		f.stale++
		return at, parallel.Piece
	}
	if f.stale > 0 {
		return 0, parallel.Later
	}
	if f.nodes[at].state == open {
		if f.isLarge(at) {
			return 0, parallel.Ended
		}
		f.take(at)
		return at, parallel.Piece
	}
	if at = f.likely(); at < 0 {
		return 0, parallel.Later
	}
	f.take(at)
	return at, parallel.Piece
}

// likely returns the node that would be split first of those that no worker has taken, if the tree
// has room for its split after all others that are known to come before; else -1.
func (f *frontier) likely() int {
	room := f.config.Params.Leaves - len(f.leaves)
	if f.ahead >= f.most {
		return -1
	}
	best, score := -1, 0.0
	for _, at := range f.pending {
		if n := &f.nodes[at]; n.state == open && (best < 0 || f.urgency(n) > score) && !f.isLarge(int(at)) && f.isFree(int(at)) {
			if rank := f.rank(int(at)); best < 0 || rank > score {
				best, score = int(at), rank
			}
		}
	}
	if best < 0 || score < f.bar {
		return -1
	}
	for _, at := range f.pending {
		if int(at) != best && f.rank(int(at)) >= score {
			room--
		}
	}
	if room < 1 {
		return -1
	}
	return best
}

// isFree reports whether no split of another node changes how a node is split: it stands below no split whose sides bound each other's values.
func (f *frontier) isFree(at int) bool {
	l := f.limits
	if l == nil || !l.tightens && l.boxes == nil {
		return true
	}
	for at = f.nodes[at].up; at != noNode && l.boxes == nil; at = f.nodes[at].up {
		if best := &f.nodes[at].best; !best.categorical && l.directions[best.feature] != 0 {
			return false
		}
	}
	return l.boxes == nil // these are compared with those of all leaves of the tree
}

// rank returns the score that decides when a node is split: it is split after the nodes above it
// that are no splits of the tree yet, so its score is no higher than theirs.
func (f *frontier) rank(at int) float64 {
	score := f.urgency(&f.nodes[at])
	for up := f.nodes[at].up; up >= 0 && !f.nodes[up].recorded; up = f.nodes[up].up {
		score = min(score, f.urgency(&f.nodes[up]))
	}
	return score
}

// Run implements parallel.Source.
func (f *frontier) Run(worker, at int) {
	if s := f.solos[worker]; f.nodes[at].state == stale {
		s.searchAlone(at)
	} else {
		s.splitAlone(at)
	}
}

// Done implements parallel.Source.
func (f *frontier) Done(worker, _ int) {
	s := &f.solos[worker].split
	if s.again {
		f.stale--
	}
	f.finished(s)
}
