package histogram

import (
	"boost/gradients"
	"boost/internal/kernel/hist"
)

// Total holds the sums of the codes of all rows of a node.
type Total struct {
	Grad int64
	Hess uint64
}

// TotalOf adds up the codes of the rows of a node, in an integer mode.
func TotalOf(st *gradients.Storage, runs []Run) Total {
	var t Total
	for i := range runs {
		grad, hess := st.Total(runs[i].First, runs[i].Entries)
		t.Grad += grad
		t.Hess += hess
	}
	return t
}

// unpackSums adds a group's packed sums to the slots of its features, and clears them. Fresh slots have undefined
// contents and are set instead. The slot of a feature's default bin is left to fillDefaults.
func (b *build) unpackSums(u int, packed []uint64, fresh bool) {
	if b.flags[u] != nil {
		b.unpackFlags(u, packed, fresh)
		return
	}
	if group := &b.featureGroups[u]; len(group.Features) > 1 {
		if fresh {
			b.clearGroup(u)
		}
		for _, f := range group.Features {
			first, lo, defaultSlot, hi := b.bundled(f)
			part := packed[first : first+hi-lo-1]
			b.dst.take(lo, part[:defaultSlot-lo], false)
			b.dst.take(defaultSlot+1, part[defaultSlot-lo:], false)
		}
		packed[0] = 0
		return
	}
	lo, _ := b.bins(b.featureGroups[u].Features[0])
	b.dst.take(lo, packed, fresh)
}

// take adds packed sums to the slots from lo on, or sets fresh slots to them, and clears the packed sums.
func (h *Histogram) take(lo int, packed []uint64, fresh bool) {
	hi := lo + len(packed)
	switch {
	case h.inWords && fresh:
		hist.Move(h.words[lo:hi], packed)
	case h.inWords:
		hist.Merge(h.words[lo:hi], packed)
	case fresh:
		hist.UnpackTo(h.Grad[lo:hi], h.Hess[lo:hi], packed)
	default:
		hist.Unpack(h.Grad[lo:hi], h.Hess[lo:hi], packed)
	}
}

// unpackFlags is unpackSums for a bundle of features of two codes.
func (b *build) unpackFlags(u int, packed []uint64, fresh bool) {
	grad, hess, flags := b.dst.Grad, b.dst.Hess, b.flags[u]
	packed[0] = 0
	packed = packed[1 : 1+len(flags)]
	if b.dst.inWords {
		words := b.dst.words
		for i, f := range flags {
			slot := f.otherSlot()
			if fresh {
				words[slot] = 0
			}
			words[slot] += packed[i]
			packed[i] = 0
		}
		return
	}
	if fresh {
		for i, f := range flags {
			slot := f.otherSlot()
			grad[slot], hess[slot] = hist.SplitWord(packed[i])
			packed[i] = 0
		}
		return
	}
	for i, f := range flags {
		slot := f.otherSlot()
		g, h := hist.SplitWord(packed[i])
		grad[slot] += g
		hess[slot] += h
		packed[i] = 0
	}
}

// addWide is unpackSums for sums in two arrays, which it leaves as they are.
func (b *build) addWide(u int, grad []int64, hess []uint64) {
	if group := &b.featureGroups[u]; len(group.Features) > 1 {
		for _, f := range group.Features {
			first, lo, defaultSlot, hi := b.bundled(f)
			end, cut := first+hi-lo-1, first+defaultSlot-lo
			add(b.dst.Grad[lo:defaultSlot], grad[first:cut])
			add(b.dst.Hess[lo:defaultSlot], hess[first:cut])
			add(b.dst.Grad[defaultSlot+1:hi], grad[cut:end])
			add(b.dst.Hess[defaultSlot+1:hi], hess[cut:end])
		}
		return
	}
	lo, hi := b.bins(b.featureGroups[u].Features[0])
	add(b.dst.Grad[lo:hi], grad)
	add(b.dst.Hess[lo:hi], hess)
}

// unpackSlots is unpackSums for two-word sums.
func (b *build) unpackSlots(u int, s sums[hist.Slot[int64, uint64]]) {
	slots := s.slots
	part := func(lo, hi int, slots []hist.Slot[int64, uint64]) {
		drain(b.dst.Grad[lo:hi], b.dst.Hess[lo:hi], nil, sums[hist.Slot[int64, uint64]]{slots, nil})
	}
	if group := &b.featureGroups[u]; len(group.Features) > 1 {
		for _, f := range group.Features {
			first, lo, defaultSlot, hi := b.bundled(f)
			end, cut := first+hi-lo-1, first+defaultSlot-lo
			part(lo, defaultSlot, slots[first:cut])
			part(defaultSlot+1, hi, slots[cut:end])
		}
		slots[0] = hist.Slot[int64, uint64]{}
		return
	}
	lo, hi := b.bins(b.featureGroups[u].Features[0])
	var count []uint32
	if s.counts != nil {
		count = b.dst.Count[lo:hi]
	}
	drain(b.dst.Grad[lo:hi], b.dst.Hess[lo:hi], count, s)
}

// fillDefaults fills the slots of default bins: the node's total less the sums of the feature's other codes. Integers
// make this exact.
func (b *build) fillDefaults(u int) {
	if !b.hasDefaults {
		return
	}
	if b.dst.inWords {
		b.fillDefaultWords(u)
		return
	}
	if b.flags[u] != nil {
		grad, hess := b.dst.Grad, b.dst.Hess
		for _, f := range b.flags[u] {
			defaultSlot, other := f.defaultSlot(), f.otherSlot()
			grad[defaultSlot], hess[defaultSlot] = b.total.Grad-grad[other], b.total.Hess-hess[other]
		}
		return
	}
	for _, f := range b.featureGroups[u].Features {
		code, ok := b.matrix.DefaultBin(f)
		if !ok {
			return
		}
		lo, hi := b.bins(f)
		left := b.total
		for slot := lo; slot < hi; slot++ {
			left.Grad -= b.dst.Grad[slot]
			left.Hess -= b.dst.Hess[slot]
		}
		b.dst.Grad[lo+int(code)], b.dst.Hess[lo+int(code)] = left.Grad, left.Hess
	}
}

// fillDefaultWords is fillDefaults for packed sums, which add up as their parts do.
func (b *build) fillDefaultWords(u int) {
	words, total := b.dst.words, hist.Join(b.total.Grad, b.total.Hess)
	if b.flags[u] != nil {
		for _, f := range b.flags[u] {
			words[f.defaultSlot()] = total - words[f.otherSlot()]
		}
		return
	}
	for _, f := range b.featureGroups[u].Features {
		code, ok := b.matrix.DefaultBin(f)
		if !ok {
			return
		}
		lo, hi := b.bins(f)
		words[lo+int(code)] = total - hist.Sum(words[lo:hi])
	}
}
