package histogram

import (
	"slices"
	"unsafe"

	"boost/internal/kernel/hist"
)

// Poison fills the memory of the integer sums of n slots, of both kinds, with what must not be seen
// again; of sums that keep to the slots that their rows touch these.
func (h *Histogram) Poison(n int) {
	if !h.IsSparse() {
		word := hist.Join(-77, 77)
		h.Grad, h.Hess = slices.Repeat([]int64{int64(word)}, n), slices.Repeat([]uint64{77}, n)
		h.words = unsafe.Slice((*uint64)(unsafe.Pointer(&h.Grad[0])), n)
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

// KeepWide makes histograms of more than so many rows keep sums in two arrays, -1 all of them, and
// returns what takes that back.
func KeepWide(rows int) (restore func()) {
	before := wordRows
	wordRows = rows
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
