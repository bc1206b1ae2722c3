package grow

import (
	"slices"

	"boost/binning"
	"boost/internal/kernel/hist"
)

// slots returns the sums of a node by codes of a feature, in integer modes, with numbers
// of rows where these are kept. A sparse search always has them, in the worker's scratch.
func (s *splitter) slots(worker int, n *node, f int) (grad []int64, hess []uint64, count []uint32) {
	if s.sparse == nil {
		from, to := s.offsets[f], s.offsets[f+1]
		if s.storage.Counts() {
			count = n.hist.Count[from:to]
		}
		grad, hess = s.slotSums(worker, n, int(from), int(to))
		return grad, hess, count
	}
	at, _ := slices.BinarySearch(n.sums.Features, int32(f))
	grad, hess, count, _ = s.sparse.slots(worker, n, at)
	return grad, hess, count
}

// slotSums returns the integer sums of a node's slots, in the worker's scratch where they are packed.
func (s *splitter) slotSums(worker int, n *node, from, to int) ([]int64, []uint64) {
	w := &s.workers[worker]
	if size := to - from; n.hist.InWords() && len(w.unpackedGrad) < size {
		size = max(size, s.widest)
		w.unpackedGrad, w.unpackedHess = make([]int64, size), make([]uint64, size)
	}
	return n.hist.Sums(from, to, w.unpackedGrad, w.unpackedHess)
}

// missingIsZero reports whether the sums of a feature's missing code are all zero.
func (s *splitter) missingIsZero(n *node, f int) bool {
	code := s.config.Features[f].Regular
	if s.storage.Counts() {
		return n.hist.Count[s.offsets[f]+code] == 0
	}
	if s.sparse == nil {
		grad, hess := n.hist.At(int(s.offsets[f] + code))
		return grad == 0 && hess == 0
	}
	grad, hess, _ := s.slots(0, n, f)
	return grad[code] == 0 && hess[code] == 0
}

// count returns the number of the node's rows per code of a feature.
func (q *search) count(f int) []uint32 { return q.countAll(f, q.countOwn(f)) }

// countOwn is count for the rows of this rank.
func (q *search) countOwn(f int) []uint32 {
	m := q.config.Matrix
	n := int(q.offsets[f+1] - q.offsets[f])
	group, codes := -1, n
	if m.ByColumns() {
		group = m.GroupOf(f)
		codes = int(m.FeatureGroups()[group].NBins)
	}
	if size := n + max(codes, 16); cap(q.counts) < size {
		q.counts = make([]uint32, size)
	}
	counts := q.counts[:max(codes, 16)]
	clear(counts)
	for _, run := range q.rows.runs(q.at) {
		if len(run.Entries) == 0 {
			continue
		}
		lo, hi := run.First, q.rows.end(run.First)
		var c binning.Column
		if group >= 0 {
			c = m.GroupColumn(group).Part(lo, hi)
		} else {
			c = m.Block(f, lo, hi, run.Entries, &q.rows.codes[q.seat])
		}
		switch c.Bits {
		case binning.U4:
			hist.CountNibbles(counts, c.U4(), run.Entries)
		case binning.U8:
			hist.CountColumn(counts, c.U8(), run.Entries)
		case binning.U16:
			hist.CountColumn(counts, c.U16(), run.Entries)
		default:
			hist.CountColumn(counts, c.U32(), run.Entries)
		}
	}
	defaultBin, bundled := m.DefaultBin(f)
	if group < 0 || !bundled {
		return counts[:n]
	}
	// Rows that have another feature's code, or none, have this one's default bin.
	own, first := q.counts[len(counts):len(counts)+n], counts[m.First(f):]
	copy(own, first[:defaultBin])
	copy(own[defaultBin+1:], first[defaultBin:n-1])
	own[defaultBin] = 0
	rows := q.node.rows
	if q.config.Ranks.Shared() {
		rows = q.rows.count(q.at)
	}
	own[defaultBin] = uint32(rows) - sumOf(own)
	return own
}

func sumOf(counts []uint32) uint32 {
	n := uint32(0)
	for _, c := range counts {
		n += c
	}
	return n
}
