package histogram

// rowParallelScratch is the sums that one worker, or one group of rows, adds up for
// itself in a pass over rows, before those of all are added up. A is what a slot holds: a packed word of 16-bit codes, or a
// hist.Slot of wider integers or of floats. Passes by columns use it for the few columns
// that a worker has at hand.
//
// Whoever adds the sums up leaves the slots at 0, so that nothing has to be cleared
// before a pass.
type rowParallelScratch[A any] struct {
	sums[A]
	all    sums[A]
	took   bool    // it has taken part in this pass
	member sums[A] // of one column of a packed group
}

// sums are slots and, unless nil, the numbers of their rows: sums of floats and of codes
// with an offset come with these, others do without (docs/architecture.md, Splits).
type sums[A any] struct {
	slots  []A
	counts []uint32
}

// part returns the slots lo … hi-1.
func (s sums[A]) part(lo, hi int) sums[A] {
	if s.counts == nil {
		return sums[A]{s.slots[lo:hi], nil}
	}
	return sums[A]{s.slots[lo:hi], s.counts[lo:hi]}
}

// reserve makes room for n slots and returns them.
func (s *rowParallelScratch[A]) reserve(n int, counting bool) sums[A] {
	if len(s.all.slots) < n {
		s.all.slots = make([]A, n)
	}
	s.sums = sums[A]{slots: s.all.slots[:n]}
	if counting {
		if len(s.all.counts) < n {
			s.all.counts = make([]uint32, n)
		}
		s.counts = s.all.counts[:n]
	}
	return s.sums
}

// reserveMember makes room for the sums of one column of a packed group, if there are packed groups.
func (s *rowParallelScratch[A]) reserveMember(joined bool) {
	if joined && s.member.slots == nil {
		s.member = sums[A]{make([]A, maxMemberCodes), make([]uint32, maxMemberCodes)}
	}
}

// packedScratch is rowParallelScratch for packed words, with what these are flushed to
// before they could overflow.
type packedScratch struct {
	rowParallelScratch[uint64]
	rows   int    // in the slots since the last flush
	total  uint64 // of those that were added by lists
	grad   []int64
	hess   []uint64
	wide   bool                   // grad and hess are in use
	member [maxMemberCodes]uint64 // of one column of a packed group
}
