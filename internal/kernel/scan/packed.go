package scan

// Span is where the packed sums of a feature are among those of a node.
type Span struct {
	From    uint32 // first word
	Regular uint32 // number of codes of present values
	Common  uint32 // a code that many rows have, of a numeric feature
	Missing uint32 // 1: the word after the present values' is that of the missing code, else 0
}

// Packed searches the numeric features of a node by packed sums (package hist): Bounds and Flags many at a time, Codes
// one.
type Packed struct {
	rule        *Rule
	total       Sums[int64, uint64]
	vectors     packedVectors
	scale, rest float64 // turn bounds into gains
}

// Node begins a node, by its rule and totals. A sum of no rows of the node may be too large for its half of a word.
func (p *Packed) Node(r *Rule, total Sums[int64, uint64]) {
	p.rule, p.total = r, total
	if !p.vectors.node(r, total) {
		return
	}
	grad, hess := float64(float64(total.Grad)*r.GradScale), float64(float64(total.Hess)*r.HessScale)
	both := hess + float64(2*r.L2) // of two sides
	part := r.Part(grad, hess, r.L2)
	const slack = 1 + 1.0/(1<<9) + 1.0/(1<<13) // what float32 loses at most (see boundsAVX512), as the 2⁻³² below
	p.scale = r.GradScale * r.GradScale / both * slack
	p.rest = float64(grad*grad/both) - part + float64(part/(1<<32))
}

// Ready reports whether the node can be searched so: else sums have to be taken apart first.
func (p *Packed) Ready() bool { return p.vectors.ready }

// Gain returns what no split of a feature that Codes finds gains more than, the node's own part taken off.
func (p *Packed) Gain(bound float32) float64 { return float64(float64(bound)*p.scale) + p.rest }

// Bounds sets bounds[i] to a bound of the feature features[i], whose words are words[From:] of spans[features[i]]. 0
// says that no split leaves enough hessian on both sides.
func (p *Packed) Bounds(bounds []float32, words []uint64, spans []Span, features []int) {
	if len(features) > 0 {
		p.vectors.bounds(bounds[:len(features)], words, spans, features)
	}
}

// Flags sets gains[i] to what the function Flags does for a feature of two codes, whose words are words[at[i]] and the
// one after it.
func (p *Packed) Flags(gains []float64, words []uint64, at []uint32) {
	if len(at) > 0 {
		p.vectors.flags(gains[:len(at)], words, at)
	}
}

// Shares sets shares[i] to a bound of the Gain of any split of the feature features[i] into sets of codes, whose words are as
// those of Bounds: codes that are put together never have more than each by itself, (a + b)²/(c + d) ≤ a²/c + b²/d. It is
// of use where there are few codes.
func (p *Packed) Shares(shares []float64, words []uint64, spans []Span, features []int) {
	if len(features) == 0 {
		return
	}
	p.vectors.shares(shares[:len(features)], words, spans, features)
	const slack = 1 + 1.0/(1<<32) // float64 loses less
	scale := p.rule.GradScale * p.rule.GradScale / p.rule.HessScale * slack
	for i := range features {
		shares[i] *= scale
	}
}

// Codes returns what the function Codes does for the packed sums of a feature, of which those of the missing code, if the
// words reach that far, are words[regular].
func (p *Packed) Codes(words []uint64, regular int, least float64) Split[int64, uint64] {
	bar := barOf(least)
	last := max(regular-1, 0)
	if len(words) == regular || words[regular] == 0 {
		return p.pass(words[:last], 0, bar)
	}
	right := p.pass(words[:regular], 0, bar) // the last: present against missing
	return better(p.pass(words[:last], words[regular], bar), right)
}

// Counted is Numeric for packed sums, as in Codes, and rows that are counted, of so many.
func (p *Packed) Counted(words []uint64, counts []uint32, regular int, rows uint64) Split[int64, uint64] {
	last := max(regular-1, 0)
	if len(words) == regular || counts[regular] == 0 {
		return p.counted(words[:last], counts, 0, 0, rows)
	}
	right := p.counted(words[:regular], counts, 0, 0, rows)
	return better(p.counted(words[:last], counts, words[regular], uint64(counts[regular]), rows), right)
}

// counted is countedPass for packed sums, up to the last of the words.
func (p *Packed) counted(words []uint64, counts []uint32, start, startRows, rows uint64) Split[int64, uint64] {
	first, last := between(counts[:len(words)], startRows, rows, p.rule.MinRows)
	for _, w := range words[:first] {
		start += w
	}
	s := p.find(words[first:last], start, true, Refused)
	if s.Found {
		s.Code, s.Unproven = s.Code+first, false
	}
	return s
}

// pass is plainPass for packed sums, up to the last of the words.
func (p *Packed) pass(words []uint64, start uint64, bar float64) Split[int64, uint64] {
	return p.find(words, start, start != 0, bar)
}

// find returns the best split after one of the words. always says that the first is a candidate even without sums.
func (p *Packed) find(words []uint64, start uint64, always bool, bar float64) Split[int64, uint64] {
	s := Split[int64, uint64]{Gain: Refused}
	if len(words) == 0 {
		return s
	}
	var best packedBest
	if p.vectors.find(&best, words, start, always, bar); best.code == noCode {
		return s
	}
	s = Split[int64, uint64]{
		Found: true, Gain: best.gain, Code: int(best.code),
		Left: Sums[int64, uint64]{Grad: int64(best.left) >> 32, Hess: best.left & (1<<32 - 1)},
	}
	s.Unproven = !p.rule.Proven(s.Left, p.total)
	return s
}

// packedBest is what the vectors find, in the order in which they write it.
type packedBest struct {
	gain float64
	code uint64 // noCode: there is none
	left uint64 // the packed sums on its left
}

const noCode = 1<<64 - 1
