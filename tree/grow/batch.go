package grow

import (
	"math"

	"boost/histogram"
	"boost/internal/comm"
	"boost/internal/comm/ahead"
	"boost/parallel"
)

// batch splits several leaves at a time where ranks share the search. What ranks send each other for these goes in one call, so that
// they wait for each other a few times a tree instead of twice a split. A leaf is split ahead of its turn by the rules of
// the frontier, which follow from sums of all ranks: all ranks split the same ones.
//
// A worker splits one leaf after the other up to the next exchange; then that is made for all of them.
type batch struct {
	*Grower
	members []*splitter // nil: leaves are split one after the other
	codes   int         // of a node's rows at all ranks, from which all workers of a rank split it together
	going   []*splitter // those whose split is in progress
	ran     bool        // they wait for an exchange, or are done
	sums    histogram.SharedSums
	hists   []*histogram.Histogram
	numbers []*[histogram.Beside]uint64
	counts  []uint32
	message []byte
}

// exchange is what a split sends other ranks, and gets from them, before it goes on.
type exchange uint8

const (
	noExchange     exchange = iota
	exchangeSums            // of the smaller child, or the root; and how many rows have gone left
	exchangeTops            // the candidates with the highest scores
	exchangeCounts          // numbers of rows by code
)

const (
	// mostBatched is the most leaves of a batch: more are split in vain more often.
	mostBatched = 8
	// batchSlots is the most slots of sums that are sent in batches: to copy more takes longer than to wait. ownSlots is the same where
	// ranks have the same rows and send none, for the memory of leaves that are split ahead.
	batchSlots = ahead.Slots
	ownSlots   = 1 << 19
	// batchCodes is the number of codes of a node's rows at a rank from which all workers of a rank split it together, if a rank has several.
	// It is one of features: columns are laid out by each rank for itself.
	batchCodes = 1 << 20
)

// batches reports whether leaves are split in batches.
func (c *Config) batches() bool {
	offsets := c.Matrix.Offsets()
	slots := offsets[len(offsets)-1]
	few := slots <= batchSlots || slots <= ownSlots && !c.Ranks.Shared()
	return c.sharesSearch(slots) && !c.Params.tightens() && !c.Verify && few
}

func (b *batch) init(g *Grower) {
	if b.Grower = g; !g.config.batches() {
		return
	}
	b.codes = math.MaxInt
	if g.config.Searchers.Any(g.config.Pool.Threads() > 1) {
		b.codes = batchCodes * g.config.Searchers.Size()
	}
	b.members = make([]*splitter, min(mostBatched, g.config.Params.Leaves))
	for i := range b.members {
		b.members[i] = newSplitter(g, parallel.Alone{}, g.config.Strategy)
	}
}

// begin makes the splits of a leaf, and of those that are likely to be split after it, those in progress.
func (b *batch) begin(leaf int) {
	b.going, b.ran = b.going[:0], false
	for at := leaf; at >= 0; at = b.frontier.likely() {
		b.frontier.take(at)
		s := b.members[len(b.going)]
		b.going = append(b.going, s)
		if s.beginSplit(at); len(b.going) == len(b.members) {
			break
		}
	}
	if len(b.going) == 1 {
		b.going = b.going[:0]
		b.all.beginSplit(leaf)
	}
}

// next makes the exchange that the splits in progress wait for, and begins the pass in which they go on; no indices: none is in progress.
func (b *batch) next() (n int, task parallel.Task) {
	if b.ran {
		waiting, kind := b.going[:0], noExchange
		for _, s := range b.going {
			if s.then == nil {
				b.frontier.finished(&s.split)
				continue
			}
			waiting, kind = append(waiting, s), s.wants
		}
		if b.going = waiting; b.frontier.err != nil {
			b.going = b.going[:0]
		}
		b.exchange(kind, b.going)
	}
	b.ran = len(b.going) > 0
	return len(b.going), b
}

// Run goes on with a split up to its next exchange, or its end; it makes batch a parallel.Task.
func (b *batch) Run(worker, index int) {
	s := b.going[index]
	s.seat = worker
	for s.then != nil {
		p := s.then(&s.split)
		s.then = p.then
		if _, divides := p.task.(*splitTask); divides { // in memory of the pool's workers; all else is the splitter's own
			p.run(worker)
		} else {
			p.run(0)
		}
		if s.wants = p.exchange; s.wants != noExchange {
			return
		}
	}
}

// exchange makes an exchange of some splits, which ends all of them where it fails.
func (b *batch) exchange(kind exchange, of []*splitter) {
	if len(of) == 0 {
		return
	}
	ranks := b.config.Searchers
	switch kind {
	case exchangeSums:
		b.addSums(of)
	case exchangeTops:
		b.message = b.message[:0]
		for _, s := range of {
			b.message = append(b.message, s.message...)
		}
		for rank, theirs := range ranks.Gather(b.message) {
			for _, s := range of {
				theirs = s.split.readTops(rank, theirs)
			}
			if len(theirs) > 0 {
				ranks.Fail(&comm.Error{Rank: rank, Text: errTop.Error()})
			}
		}
	case exchangeCounts:
		b.counts = b.counts[:0]
		for _, s := range of {
			b.counts = append(b.counts, s.allCounts...)
		}
		b.config.Ranks.Sum32(b.counts)
		counts := b.counts
		for _, s := range of {
			counts = counts[copy(s.allCounts, counts):]
		}
	}
	for _, s := range of {
		s.split.err = ranks.Err()
	}
}

// addSums adds up over the ranks the sums of the smaller children.
func (b *batch) addSums(of []*splitter) {
	b.hists, b.numbers = b.hists[:0], b.numbers[:0]
	for _, s := range of {
		h := s.split.built
		if s.split.at == noNode {
			h = s.nodes[0].hist
		}
		b.hists, b.numbers = append(b.hists, h), append(b.numbers, &s.split.divided)
	}
	ranks := b.config.Ranks
	switch {
	case b.shares.ahead.Going():
		b.shares.ahead.End()
	case len(of) == 1:
		*b.numbers[0] = b.hists[0].AddShares(ranks, b.storage, b.shares.parts, nil, *b.numbers[0])
	default:
		b.sums.Add(ranks, b.shares.parts, b.hists, b.numbers)
	}
	for _, s := range of {
		if at := s.split.at; at != noNode && s.split.divided[1]>>32 != uint64(ranks.Size()*at) {
			ranks.Fail(errNode)
		}
	}
}
