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

// Codes is Codes for the packed sums of a feature, of which those of the missing code, if the words
// reach that far, are words[regular]. ok is false where the sums have to be taken apart first.
func (p *Packed) Codes(words []uint64, regular int, least float64) (s Split[int64, uint64], ok bool) {
	if !p.vectors.ready {
		return s, false
	}
	bar := barOf(least)
	missing := uint64(0)
	if len(words) > regular {
		missing = words[regular]
	}
	if missing == 0 {
		return p.pass(words[:max(regular-1, 0)], 0, bar), true
	}
	right := p.pass(words[:regular], 0, bar) // the last: present against missing
	return better(p.pass(words[:max(regular-1, 0)], missing, bar), right), true
}

// pass is plainPass for packed sums, up to the last of the words.
func (p *Packed) pass(words []uint64, start uint64, bar float64) Split[int64, uint64] {
	if len(words) == 0 {
		return Split[int64, uint64]{Gain: Refused}
	}
	gain, code, left := p.vectors.best(words, start, bar)
	if code < 0 {
		return Split[int64, uint64]{Gain: Refused}
	}
	sums := Sums[int64, uint64]{Grad: int64(left) >> 32, Hess: left & (1<<32 - 1)}
	return Split[int64, uint64]{Found: true, Gain: gain, Code: code, Left: sums, Unproven: !p.rule.Proven(sums, p.total)}
}
