package histogram

import (
	"slices"

	"boost/internal/kernel/hist"
)

// Poison fills the memory of the integer sums of n slots, of both kinds, with what must not be seen
// again; of sums that keep to the slots that their rows touch these.
func (h *Histogram) Poison(n int) {
	if !h.Partial() {
		h.Grad, h.Hess = slices.Repeat([]int64{-77}, n), slices.Repeat([]uint64{77}, n)
		h.words = slices.Repeat([]uint64{hist.Join(-77, 77)}, n)
		return
	}
	for _, slot := range h.Touched(0, n, nil) {
		if h.inWords {
			h.words[slot] = hist.Join(-77, 77)
		} else {
			h.Grad[slot], h.Hess[slot] = -77, 77
		}
	}
}

// Words returns the number of packed sums.
func (h *Histogram) Words() int { return len(h.words) }

// KeepWide makes histograms of few rows keep sums in two arrays too, and returns what takes that back.
func KeepWide() (restore func()) {
	before := wordRows
	wordRows = -1
	return func() { wordRows = before }
}

// SetLineSlots sets from how many slots on all nodes are made by tiles, and returns what
// takes that back.
func SetLineSlots(n int) (restore func()) {
	before := lineSlots
	lineSlots = n
	return func() { lineSlots = before }
}

// Offer leaves rows of a block to others, as a worker does that has begun an Add.
func (b *Builder) Offer(worker, block int, entries []uint64) {
	b.offers[worker].put(block, entries, false)
}
