package scan

import "math"

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
// missing code, if the words reach that far, are words[regular].
func (p *Packed) Codes(s *Split[int64, uint64], words []uint64, regular int, least float64) {
	bar := barOf(least)
	last := max(regular-1, 0)
	if len(words) == regular || words[regular] == 0 {
		p.pass(s, words[:last], 0, bar)
		return
	}
	p.pass(s, words[:last], words[regular], bar)
	left := *s
	p.pass(s, words[:regular], 0, bar) // the last: present against missing
	*s = better(left, *s)
}

// pass is plainPass for packed sums, up to the last of the words.
func (p *Packed) pass(s *Split[int64, uint64], words []uint64, start uint64, bar float64) {
	s.Found, s.Gain = false, Refused
	if len(words) == 0 {
		return
	}
	var best packedBest
	if p.vectors.find(&best, words, start, bar); best.code() < 0 {
		return
	}
	left := Sums[int64, uint64]{Grad: int64(best.left()) >> 32, Hess: best.left() & (1<<32 - 1)}
	*s = Split[int64, uint64]{Found: true, Gain: best.gain(), Code: best.code(), Left: left, Unproven: !p.rule.Proven(left, p.total)}
}

// packedBest is the best gain above a bar, its code or -1, and the packed sums on its left.
type packedBest [3]uint64

func (b *packedBest) gain() float64 { return math.Float64frombits(b[0]) }
func (b *packedBest) code() int     { return int(b[1]) }
func (b *packedBest) left() uint64  { return b[2] }
