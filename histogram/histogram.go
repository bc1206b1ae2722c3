package histogram

import (
	"sync"
	"unsafe"

	"boost/gradients"
	"boost/internal/comm"
	"boost/internal/kernel/hist"
)

// Histogram holds the sums of one node, flat by global bin: the slot of (feature,
// code) is Matrix.Offsets()[feature] + code.
//
// Integer modes use Grad and Hess, sums of codes. Mode F32 uses GradF and HessF. If both sums of a slot fit one
// word, because the node has few rows (Builder.kind), a histogram may keep them packed in the memory of Grad.
// Grad and Hess mean nothing then. Sums reads both kinds.
// Count holds numbers of rows if gradients.Storage.Counts reports so: with sums of floats
// and with codes that have an offset. Otherwise min_data_in_leaf is decided without it
// (docs/architecture.md, Splits), and Count means nothing.
//
//	int64 gradient and uint64 hessian sums cannot overflow: 2³² rows × 2³¹ ≤ 2⁶³
//	for the gradient's magnitude, 2³² rows × (2³²−1) < 2⁶⁴ for the hessian.
type Histogram struct {
	Grad  []int64
	Hess  []uint64
	GradF []float64
	HessF []float64
	Count []uint32

	words   []uint64 // packed sums, see package internal/kernel/hist: the memory of Grad
	inWords bool     // the sums are in words
	unmoved bool     // they will be, slot by slot as SubtractRange moves them there

	touched []uint64 // bits of the slots that need not be 0, unless all is set; nil for all
	all     bool
}

// kind says how the integer sums of a node are kept.
type kind struct {
	inWords bool
	wide    bool // the histogram may be that of a node with two arrays later: it has room for them
}

// reserve makes h a histogram for the storage's sums with n slots, of undefined contents,
// reusing memory.
func (h *Histogram) reserve(st *gradients.Storage, n int, k kind) {
	if st.Counts() && h.Count == nil {
		h.Count = make([]uint32, n)
	}
	switch {
	case st.Mode() != gradients.F32:
		h.reserveSums(n, k)
		h.all = true
	case h.GradF == nil:
		h.GradF, h.HessF = make([]float64, n), make([]float64, n)
	}
}

// reserveSums is reserve for integer sums. The bits of touched slots are valid for sums of the same kind only. A node of
// more rows, or a round with wider codes, has the other kind.
func (h *Histogram) reserveSums(n int, k kind) {
	if h.unmoved = false; h.inWords != k.inWords {
		h.inWords, h.all = k.inWords, true
	}
	if h.Grad == nil {
		h.Grad = make([]int64, n, n+Beside)
		h.words = unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(h.Grad))), n+Beside)[:n]
	}
	if k.wide && h.Hess == nil {
		h.Hess = make([]uint64, n)
	}
}

// Sums returns the integer sums of the slots lo … hi-1. Packed sums are taken apart into grad and
// hess, which must have room for them. Other sums are h's own memory.
func (h *Histogram) Sums(lo, hi int, grad []int64, hess []uint64) ([]int64, []uint64) {
	if !h.inWords {
		return h.Grad[lo:hi], h.Hess[lo:hi]
	}
	grad, hess = grad[:hi-lo], hess[:hi-lo]
	hist.Split(grad, hess, h.words[lo:hi])
	return grad, hess
}

// At returns the integer sums of a slot.
func (h *Histogram) At(slot int) (grad int64, hess uint64) {
	if h.inWords {
		return hist.SplitWord(h.words[slot])
	}
	return h.Grad[slot], h.Hess[slot]
}

// InWords reports whether the sums are packed: Sums takes them apart, Words returns them as they are.
func (h *Histogram) InWords() bool { return h.inWords }

// Words returns the packed sums of the slots lo … hi-1.
func (h *Histogram) Words(lo, hi int) []uint64 { return h.words[lo:hi] }

// clearSums sets the integer sums of the slots lo … hi-1 to 0.
func (h *Histogram) clearSums(lo, hi int) {
	if h.inWords {
		clear(h.words[lo:hi])
		return
	}
	clear(h.Grad[lo:hi])
	clear(h.Hess[lo:hi])
}

// clear sets the slots lo … hi-1 to 0.
func (h *Histogram) clear(st *gradients.Storage, lo, hi int) {
	if st.Counts() {
		clear(h.Count[lo:hi])
	}
	if st.Mode() != gradients.F32 {
		h.clearSums(lo, hi)
		return
	}
	clear(h.GradF[lo:hi])
	clear(h.HessF[lo:hi])
}

// Subtracting begins to turn a parent's histogram into that of the child that was not built, which has so many
// rows. SubtractRange then does it, once for each slot, in any order of ranges. It also packs the sums if the
// rows are few enough and the child that was built is not sparse.
func (h *Histogram) Subtracting(child *Histogram, rows int) {
	h.unmoved = !h.inWords && child.inWords && !child.IsSparse() && rows <= wordRows
	h.inWords = h.inWords || h.unmoved
}

// SubtractRange turns the slots lo … hi-1 of a parent's histogram into those of the
// child that was not built: h −= child. A slot without rows is 0 in every mode.
func (h *Histogram) SubtractRange(child *Histogram, st *gradients.Storage, lo, hi int) {
	if st.Counts() {
		subtract(h.Count[lo:hi], child.Count[lo:hi])
	}
	if st.Mode() != gradients.F32 {
		h.subtractSums(child, lo, hi)
		return
	}
	subtract(h.GradF[lo:hi], child.GradF[lo:hi])
	subtract(h.HessF[lo:hi], child.HessF[lo:hi])
	dropResidue(h.GradF[lo:hi], h.HessF[lo:hi], h.Count[lo:hi])
}

// subtractSums is SubtractRange for integer sums. Words are subtracted as a whole: a child's sum of hessians is at most
// its parent's, so the lower half never borrows from the upper half.
func (h *Histogram) subtractSums(child *Histogram, lo, hi int) {
	switch {
	case h.unmoved:
		hist.JoinLess(h.words[lo:hi], h.Grad[lo:hi], h.Hess[lo:hi], child.words[lo:hi])
	case child.IsSparse():
		h.subtractTouched(child, lo, hi)
	case h.inWords:
		hist.Subtract(h.words[lo:hi], child.words[lo:hi])
	case child.inWords:
		hist.SplitLess(h.Grad[lo:hi], h.Hess[lo:hi], child.words[lo:hi])
	default:
		hist.Subtract(h.Grad[lo:hi], child.Grad[lo:hi])
		hist.Subtract(h.Hess[lo:hi], child.Hess[lo:hi])
	}
}

// AddRanks adds the integer sums of all slots up over the ranks.
func (h *Histogram) AddRanks(ranks *comm.Ranks, st *gradients.Storage) {
	if st.Counts() {
		ranks.Sum32(h.Count)
	}
	if h.inWords {
		ranks.Sum(h.words)
		return
	}
	ranks.SumInts(h.Grad)
	ranks.Sum(h.Hess)
}

// Beside is how many numbers AddShares adds up besides sums.
const Beside = 2

// AddShares is AddRanks where each rank needs its part of the slots only. Sums of others' parts are undefined afterwards. It adds up some
// numbers at all ranks. Parts may be in chunks that are still added up, see comm.Comm; counts are not.
func (h *Histogram) AddShares(ranks *comm.Ranks, st *gradients.Storage, parts []comm.Part, wait func(chunk int), numbers [Beside]uint64) [Beside]uint64 {
	if st.Counts() {
		ranks.Sum32(h.Count)
	}
	if !h.inWords {
		ranks.SumParts(h.Hess, parts, wait)
	}
	sums := append(h.words, numbers[:]...) // or h.Grad, which has the same memory, with room behind the last slot
	ranks.SumParts(sums, parts, wait)
	return [Beside]uint64(sums[len(sums)-Beside:])
}

// SharedSums is memory of Add.
type SharedSums struct {
	vectors [][]uint64
	words   []uint64
	parts   []comm.Part
}

// Add is AddShares of several histograms without counts in one call. What is sent is, for each rank, its part of all of them, and then the numbers.
func (s *SharedSums) Add(ranks *comm.Ranks, slots []comm.Part, hists []*Histogram, numbers []*[Beside]uint64) {
	s.vectors, s.words, s.parts = s.vectors[:0], s.words[:0], s.parts[:0]
	for _, h := range hists {
		if s.vectors = append(s.vectors, h.words); !h.inWords {
			s.vectors = append(s.vectors, h.Hess)
		}
	}
	for _, p := range slots {
		from := len(s.words)
		for _, v := range s.vectors {
			s.words = append(s.words, v[p.From:p.To]...)
		}
		s.parts = append(s.parts, comm.Part{From: from, To: len(s.words)})
	}
	for _, n := range numbers {
		s.words = append(s.words, n[:]...)
	}
	ranks.SumParts(s.words, s.parts, nil)
	own, at := s.words[s.parts[ranks.Rank()].From:], slots[ranks.Rank()]
	for _, v := range s.vectors {
		own = own[copy(v[at.From:at.To], own):]
	}
	rest := s.words[s.parts[len(slots)-1].To:]
	for _, n := range numbers {
		rest = rest[copy(n[:], rest):]
	}
}

// Pack packs the sums of the slots lo … hi-1 of a node of so many rows, where they fit words, and then the histogram keeps words.
func (h *Histogram) Pack(st *gradients.Storage, rows, lo, hi int) {
	if h.inWords || rows > wordRows || !st.OneWord() || st.Counts() {
		return
	}
	for i := lo; i < hi; i++ {
		h.words[i] = hist.Join(h.Grad[i], h.Hess[i])
	}
	h.inWords = true
}

// dropResidue clears what rounding leaves in slots that have no rows: split search
// would take it for a level that is present.
func dropResidue(grad, hess []float64, count []uint32) {
	grad, hess = grad[:len(count)], hess[:len(count)]
	for i, n := range count {
		if n == 0 {
			grad[i], hess[i] = 0, 0
		}
	}
}

func subtract[T float64 | uint32](from, what []T) {
	what = what[:len(from)]
	for i, w := range what {
		from[i] -= w
	}
}

// Pool keeps histograms for reuse by several goroutines. A histogram costs 16 bytes per bin, 20 with counts, and 8 if
// the table has no more rows than packed sums hold. A tree of L leaves needs at most L at once, and one more for
// each leaf that is split ahead of its turn.
type Pool struct {
	mu   sync.Mutex
	free []*Histogram
}

// NewPool returns an empty pool.
func NewPool() *Pool { return &Pool{} }

// Get returns a histogram with undefined contents.
func (p *Pool) Get() *Histogram {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		h := p.free[n-1]
		p.free = p.free[:n-1]
		return h
	}
	return &Histogram{}
}

// Fill makes histograms of nodes of few rows until the pool has n. So none is made later, when more are
// needed at once than ever before.
func (p *Pool) Fill(n int, b *Builder, st *gradients.Storage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.free) < n {
		h := &Histogram{}
		h.reserve(st, b.Slots(), b.kind(st, 0))
		p.free = append(p.free, h)
	}
}

// Put gives a histogram back.
func (p *Pool) Put(h *Histogram) {
	p.mu.Lock()
	p.free = append(p.free, h)
	p.mu.Unlock()
}
