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

// deliver adds a unit's packed sums to the slots of its features, which have undefined
// contents if they are fresh, and clears them. The slot of a feature's rest code is left for restore.
func (b *Builder) deliver(u int, packed []uint64, fresh bool) {
	if b.flags[u] != nil {
		b.deliverFlags(u, packed, fresh)
		return
	}
	if unit := &b.units[u]; len(unit.Features) > 1 {
		if fresh {
			b.begin(u)
		}
		for _, f := range unit.Features {
			first, lo, rest, hi := b.bundled(f)
			part := packed[first : first+hi-lo-1]
			b.dst.take(lo, part[:rest-lo], false)
			b.dst.take(rest+1, part[rest-lo:], false)
		}
		packed[0] = 0
		return
	}
	lo, _ := b.bins(b.units[u].Features[0])
	b.dst.take(lo, packed, fresh)
}

// take adds packed sums to the slots from lo on, or sets these to them if they are fresh, and
// clears the packed ones.
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

// flag is a feature of two codes in a bundle of such: twice its first slot, and its rest code.
type flag uint64

func (f flag) rest() int  { return int(f>>1 + f&1) }
func (f flag) other() int { return int(f>>1 + 1 - f&1) }

// listFlags lists the features of the units that are bundles of nothing but features of two
// codes, as one-hot columns are, of which there are thousands: in the order of their codes in
// the bundle.
func (b *Builder) listFlags() {
	b.flags = make([][]flag, len(b.units))
	for u := range b.units {
		features := b.units[u].Features
		if len(features) < 2 {
			continue
		}
		flags := make([]flag, len(features))
		for _, f := range features {
			first, lo, rest, hi := b.bundled(f)
			if hi-lo != 2 || first < 1 || first > len(flags) {
				flags = nil
				break
			}
			flags[first-1] = flag(2*lo + rest - lo)
		}
		b.flags[u] = flags
	}
}

// deliverFlags is deliver for a bundle of features of two codes.
func (b *Builder) deliverFlags(u int, packed []uint64, fresh bool) {
	grad, hess, flags := b.dst.Grad, b.dst.Hess, b.flags[u]
	packed[0] = 0
	packed = packed[1 : 1+len(flags)]
	if b.dst.inWords {
		words := b.dst.words
		for i, f := range flags {
			slot := f.other()
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
			slot := f.other()
			grad[slot], hess[slot] = hist.SplitWord(packed[i])
			packed[i] = 0
		}
		return
	}
	for i, f := range flags {
		slot := f.other()
		g, h := hist.SplitWord(packed[i])
		grad[slot] += g
		hess[slot] += h
		packed[i] = 0
	}
}

// bundled returns where a feature's codes start in its unit's, and its slots in a flat
// histogram: lo … hi-1, that of the rest code being rest.
func (b *Builder) bundled(f int) (first, lo, rest, hi int) {
	lo, hi = b.bins(f)
	code, _ := b.matrix.Rest(f)
	return int(b.matrix.First(f)), lo, lo + int(code), hi
}

// deliverWide is deliver for sums in two arrays, which it leaves as they are.
func (b *Builder) deliverWide(u int, grad []int64, hess []uint64) {
	if unit := &b.units[u]; len(unit.Features) > 1 {
		for _, f := range unit.Features {
			first, lo, rest, hi := b.bundled(f)
			end, cut := first+hi-lo-1, first+rest-lo
			add(b.dst.Grad[lo:rest], grad[first:cut])
			add(b.dst.Hess[lo:rest], hess[first:cut])
			add(b.dst.Grad[rest+1:hi], grad[cut:end])
			add(b.dst.Hess[rest+1:hi], hess[cut:end])
		}
		return
	}
	lo, hi := b.bins(b.units[u].Features[0])
	add(b.dst.Grad[lo:hi], grad)
	add(b.dst.Hess[lo:hi], hess)
}

// deliverSlots is deliver for two-word sums.
func (b *Builder) deliverSlots(u int, s sums[hist.Slot[int64, uint64]]) {
	slots := s.slots
	part := func(lo, hi int, slots []hist.Slot[int64, uint64]) {
		drain(b.dst.Grad[lo:hi], b.dst.Hess[lo:hi], nil, sums[hist.Slot[int64, uint64]]{slots, nil})
	}
	if unit := &b.units[u]; len(unit.Features) > 1 {
		for _, f := range unit.Features {
			first, lo, rest, hi := b.bundled(f)
			end, cut := first+hi-lo-1, first+rest-lo
			part(lo, rest, slots[first:cut])
			part(rest+1, hi, slots[cut:end])
		}
		slots[0] = hist.Slot[int64, uint64]{}
		return
	}
	lo, hi := b.bins(b.units[u].Features[0])
	var count []uint32
	if s.counts != nil {
		count = b.dst.Count[lo:hi]
	}
	drain(b.dst.Grad[lo:hi], b.dst.Hess[lo:hi], count, s)
}

// restore fills the slots of rest codes: what the other codes of the feature lack of
// the node's total. Integers make this exact (S1.6).
func (b *Builder) restore(u int) {
	if !b.rests {
		return
	}
	if b.dst.inWords {
		b.restoreWords(u)
		return
	}
	if b.flags[u] != nil {
		grad, hess := b.dst.Grad, b.dst.Hess
		for _, f := range b.flags[u] {
			rest, other := f.rest(), f.other()
			grad[rest], hess[rest] = b.total.Grad-grad[other], b.total.Hess-hess[other]
		}
		return
	}
	for _, f := range b.units[u].Features {
		code, ok := b.matrix.Rest(f)
		if !ok {
			return
		}
		lo, hi := b.bins(f)
		rest := b.total
		for slot := lo; slot < hi; slot++ {
			rest.Grad -= b.dst.Grad[slot]
			rest.Hess -= b.dst.Hess[slot]
		}
		b.dst.Grad[lo+int(code)], b.dst.Hess[lo+int(code)] = rest.Grad, rest.Hess
	}
}

// restoreWords is restore for packed sums, which add up as their parts do.
func (b *Builder) restoreWords(u int) {
	words, total := b.dst.words, hist.Join(b.total.Grad, b.total.Hess)
	if b.flags[u] != nil {
		for _, f := range b.flags[u] {
			words[f.rest()] = total - words[f.other()]
		}
		return
	}
	for _, f := range b.units[u].Features {
		code, ok := b.matrix.Rest(f)
		if !ok {
			return
		}
		lo, hi := b.bins(f)
		words[lo+int(code)] = total - hist.Sum(words[lo:hi])
	}
}
