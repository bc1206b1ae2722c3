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
		run := &runs[i]
		if st.OneWord() {
			grad, hess := hist.Total(run.Entries)
			t.Grad += grad
			t.Hess += hess
			continue
		}
		v := wideValues(st, run.Block)
		for _, e := range run.Entries {
			t.Grad += int64(v.grad[hist.Row(e)])
			t.Hess += uint64(v.hess[hist.Row(e)])
		}
	}
	return t
}

// deliver adds a unit's packed sums to the slots of its features, which have undefined
// contents if they are fresh, and clears them. The slot of a feature's rest code is left for restore.
func (b *Builder) deliver(u int, packed []uint64, fresh bool) {
	grad, hess := b.dst.Grad, b.dst.Hess
	if unit := &b.units[u]; len(unit.Features) > 1 {
		if fresh {
			b.begin(u)
		}
		for _, f := range unit.Features {
			first, lo, rest, hi := b.bundled(f)
			part := packed[first : first+hi-lo-1]
			if len(part) == 1 { // a flag, as of one-hot columns, of which there are thousands
				slot := lo + (lo + 1 - rest)
				grad[slot] += int64(part[0]) >> 32
				hess[slot] += part[0] & 0xffffffff
				part[0] = 0
				continue
			}
			hist.Unpack(grad[lo:rest], hess[lo:rest], part[:rest-lo])
			hist.Unpack(grad[rest+1:hi], hess[rest+1:hi], part[rest-lo:])
		}
		packed[0] = 0
		return
	}
	lo, hi := b.bins(b.units[u].Features[0])
	if fresh {
		hist.UnpackTo(grad[lo:hi], hess[lo:hi], packed)
		return
	}
	hist.Unpack(grad[lo:hi], hess[lo:hi], packed)
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
// the node's total. Integers make this exact (SEEDS S1.6).
func (b *Builder) restore(u int) {
	if !b.rests {
		return
	}
	for _, f := range b.units[u].Features {
		code, ok := b.matrix.Rest(f)
		if !ok {
			return
		}
		lo, hi := b.bins(f)
		rest := b.total
		if hi-lo == 2 {
			own, other := lo+int(code), lo+1-int(code)
			b.dst.Grad[own], b.dst.Hess[own] = rest.Grad-b.dst.Grad[other], rest.Hess-b.dst.Hess[other]
			continue
		}
		for slot := lo; slot < hi; slot++ {
			rest.Grad -= b.dst.Grad[slot]
			rest.Hess -= b.dst.Hess[slot]
		}
		b.dst.Grad[lo+int(code)], b.dst.Hess[lo+int(code)] = rest.Grad, rest.Hess
	}
}
