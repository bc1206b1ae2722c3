package scan

// Packed searches the numeric features of a node by packed sums (package hist), one after the
// other: what they have in common is worked out once.
type Packed struct {
	rule    *Rule
	total   Sums[int64, uint64]
	vectors packedVectors
}

// Node begins the search of a node by its rule and totals. A sum of no rows of the node may be too large
// for its half of a word.
func (p *Packed) Node(r *Rule, total Sums[int64, uint64]) {
	p.rule, p.total = r, total
	p.vectors.node(r, total)
}

// Ready reports whether Codes can be called for the node: else sums have to be taken apart first.
func (p *Packed) Ready() bool { return p.vectors.ready }

// Divides reports whether a split of a feature may leave enough hessian on both sides: one of them has no
// more than all codes but one, say the most frequent, whose packed sums are given.
func (p *Packed) Divides(code uint64) bool { return p.total.Hess-code&(1<<32-1) >= p.vectors.least() }

// Codes sets s to what the function Codes returns for the packed sums of a feature, of which those of the
// missing code, if the words reach that far, are words[regular]. It reports whether there is a split; without one
// nothing that is left in s means anything.
func (p *Packed) Codes(s *PackedSplit, words []uint64, regular int, least float64) (found bool) {
	bar := barOf(least)
	last := max(regular-1, 0)
	if len(words) == regular || words[regular] == 0 {
		return p.pass(s, words[:last], 0, bar)
	}
	var left PackedSplit
	foundLeft := p.pass(&left, words[:last], words[regular], bar)
	found = p.pass(s, words[:regular], 0, bar) // the last: present against missing
	if foundLeft && (!found || left.Gain > s.Gain || left.Gain == s.Gain && left.code <= s.code) {
		*s = left
		s.missingLeft = true
	}
	return found || foundLeft
}

// pass is plainPass for packed sums, up to the last of the words.
func (p *Packed) pass(s *PackedSplit, words []uint64, start uint64, bar float64) (found bool) {
	if len(words) == 0 {
		return false
	}
	s.missingLeft = false
	p.vectors.find(&s.packedBest, words, start, bar)
	return s.code != noCode
}

// Proven reports whether both sides of a split have MinRows rows for certain.
func (p *Packed) Proven(s *PackedSplit) bool {
	return p.rule.Proven(Sums[int64, uint64]{Hess: s.left & (1<<32 - 1)}, p.total)
}

// Split returns a split with its sums taken apart.
func (p *Packed) Split(s *PackedSplit) Split[int64, uint64] {
	return Split[int64, uint64]{
		Found: true, Gain: s.Gain, Code: int(s.code), MissingLeft: s.missingLeft, Unproven: !p.Proven(s),
		Left: Sums[int64, uint64]{Grad: int64(s.left) >> 32, Hess: s.left & (1<<32 - 1)},
	}
}

// PackedSplit is the best split of a feature, as short as it can be.
type PackedSplit struct {
	packedBest
	missingLeft bool
}

// packedBest is what the vectors find, in the order in which they write it.
type packedBest struct {
	Gain float64 // as that of a Split
	code uint64  // noCode: there is none
	left uint64  // the packed sums on its left
}

const noCode = 1<<64 - 1
