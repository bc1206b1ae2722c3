package histogram

import (
	"math/bits"

	"boost/binning"
	"boost/gradients"
	"boost/internal/kernel/bin"
	"boost/internal/kernel/hist"
)

// A sparse node has far fewer rows than there are slots, and leaves most slots at 0. Its histogram keeps a bit per slot
// that is set if the slot may differ from 0. Clearing, subtracting and searching it then cost as much as the
// rows, not as much as the slots.

const (
	// manySlots is the number of slots from which histograms keep such bits.
	manySlots = 1 << 15
	// touchedShare: they do so where at most one slot in this many can be touched.
	touchedShare = 4
)

// IsSparseNode reports whether a node with so many rows is sparse: its histogram keeps to the slots that the rows
// touch.
func (b *Builder) IsSparseNode(rows int) bool {
	return b.keepsTouched && rows*len(b.features)*touchedShare <= b.activeSlots
}

// IsSparse reports whether most of the slots are 0 and Touched lists the others.
func (h *Histogram) IsSparse() bool { return h.touched != nil && !h.all }

// resetSparse is reset for a node with few rows, with integer sums.
func (h *Histogram) resetSparse(n int, k kind) {
	h.reserveSums(n, k)
	if h.touched == nil {
		h.touched, h.all = make([]uint64, (n+63)/64), true
	}
	if h.all {
		h.clearSums(0, n)
		clear(h.touched)
		h.all = false
		return
	}
	for i, word := range h.touched {
		for ; word != 0; word &= word - 1 {
			slot := i*64 + bits.TrailingZeros64(word)
			h.clearSums(slot, slot+1)
		}
		h.touched[i] = 0
	}
}

// Touched appends the slots in lo … hi-1 that need not be 0, less lo, to dst, ascending.
func (h *Histogram) Touched(lo, hi int, dst []uint32) []uint32 {
	for i := lo / 64; i*64 < hi; i++ {
		word := h.touched[i]
		if first := lo - i*64; first > 0 {
			word &^= 1<<first - 1
		}
		if end := hi - i*64; end < 64 {
			word &= 1<<end - 1
		}
		for ; word != 0; word &= word - 1 {
			dst = append(dst, uint32(i*64+bits.TrailingZeros64(word)-lo))
		}
	}
	return dst
}

// subtractTouched takes those slots of a child away that it has touched.
func (h *Histogram) subtractTouched(child *Histogram, lo, hi int) {
	for i := lo / 64; i*64 < hi; i++ {
		word := child.touched[i]
		for ; word != 0; word &= word - 1 {
			if slot := i*64 + bits.TrailingZeros64(word); slot >= lo && slot < hi {
				if h.inWords {
					h.words[slot] -= child.words[slot]
					continue
				}
				grad, hess := child.At(slot)
				h.Grad[slot] -= grad
				h.Hess[slot] -= hess
			}
		}
	}
}

// makeSparse makes h, of n slots, keep to the slots that are not 0.
func (h *Histogram) makeSparse(n int) {
	if h.touched == nil {
		h.touched = make([]uint64, (n+63)/64)
	}
	for i := range h.touched {
		word := uint64(0)
		for slot := i * 64; slot < min(i*64+64, n); slot++ {
			if grad, hess := h.At(slot); grad != 0 || hess != 0 {
				word |= 1 << (slot % 64)
			}
		}
		h.touched[i] = word
	}
	h.all = false
}

// SubtractSparse takes a child away from its parent's histogram, which becomes that of the other child. Both children
// are sparse nodes.
func (b *Builder) SubtractSparse(parent, child *Histogram, st *gradients.Storage) {
	for _, f := range b.features {
		lo, hi := b.bins(f)
		parent.SubtractRange(child, st, lo, hi)
	}
	parent.makeSparse(b.Slots())
}

// buildSparseNode adds up the rows of a node slot by slot, without scratch that would have to
// be gone through.
func (b *build) buildSparseNode(rows int) {
	b.dst.resetSparse(b.Slots(), b.kind(b.storage, rows))
	if b.codes32 = (values[int32, uint32]{}); b.storage.Mode() == gradients.I32 {
		b.codes32.grad, b.codes32.hess = b.storage.Codes32()
	}
	for _, f := range b.features {
		at, u := b.offsets[f], b.matrix.GroupOf(f)
		for i := range b.runs {
			run := &b.runs[i]
			if len(run.Entries) == 0 {
				continue
			}
			switch c := b.columnOf(0, u, run.First, run.Entries); c.Bits {
			case binning.U4:
				for _, e := range run.Entries {
					grad, hess := b.codesOf(run.First, e)
					b.dst.add(at+c.At(int(hist.Row(e))), grad, hess)
				}
			case binning.U8:
				addSparseNode(b, at, c.U8(), run)
			case binning.U16:
				addSparseNode(b, at, c.U16(), run)
			default:
				addSparseNode(b, at, c.U32(), run)
			}
		}
	}
}

func addSparseNode[C bin.Code](b *build, at uint32, codes []C, run *Run) {
	for _, e := range run.Entries {
		grad, hess := b.codesOf(run.First, e)
		b.dst.add(at+uint32(codes[hist.Row(e)]), grad, hess)
	}
}

// codesOf returns the gradient and hessian codes of an entry.
func (b *build) codesOf(first int, e uint64) (grad int64, hess uint64) {
	if b.codes32.grad == nil {
		return int64(e) >> 32, e & 0xffff
	}
	row := first + int(hist.Row(e))
	return int64(b.codes32.grad[row]), uint64(b.codes32.hess[row])
}

func (h *Histogram) add(slot uint32, grad int64, hess uint64) {
	if h.inWords {
		h.words[slot] += hist.Join(grad, hess)
	} else {
		h.Grad[slot] += grad
		h.Hess[slot] += hess
	}
	h.touched[slot/64] |= 1 << (slot % 64)
}
