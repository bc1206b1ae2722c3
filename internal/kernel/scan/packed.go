package scan

import "math"

// PackedForms is the number of forms that the vectors for packed sums have. Bounds of two may differ in their last bits.
const PackedForms = 2

// Span is where the packed sums of a feature are among those of a node.
type Span struct {
	From    uint32 // first word
	Regular uint32 // number of codes of present values
	Common  uint32 // a code that many rows have, of a numeric feature
	Missing uint32 // 1: the word after the present values' is that of the missing code, else 0
}

// Packed is what the vectors have to know of a node to search its packed sums (package hist): one numeric feature at a time
// for Numeric, many by Bounds, Flags and Shares.
type Packed struct {
	rule          *Rule
	vectors       packedVectors
	scale, offset float64 // turn bounds into gains
}

// Prepare begins a node, by its rule and totals. No sum of rows of the node may be too large for its half of a word.
func (p *Packed) Prepare(r *Rule, total Sums[int64, uint64]) {
	p.rule = r
	if !p.vectors.node(r, total) {
		return
	}
	grad, hess := float64(float64(total.Grad)*r.GradScale), float64(float64(total.Hess)*r.HessScale)
	both := hess + float64(2*r.L2) // of two sides
	part := r.Part(grad, hess, r.L2)
	whole := (&Rule{}).Part(grad, hess, r.L2)  // without L1, as bounds are: no split gains more with it
	const slack = 1 + 1.0/(1<<9) + 1.0/(1<<13) // what float32 loses at most (see boundsAVX512), as the 2⁻³² below
	p.scale = r.GradScale * r.GradScale / both * slack
	p.offset = float64(grad*grad/both) - part + float64(whole/(1<<32))
}

// Ready reports whether the vectors can search the node: else sums have to be unpacked first.
func (p *Packed) Ready() bool { return p.vectors.ready }

// Gain turns a bound into a gain, the node's own part taken off: no split of the feature gains more.
func (p *Packed) Gain(bound float32) float64 { return float64(float64(bound)*p.scale) + p.offset }

// Bounds sets bounds[i] to a bound of the feature features[i], whose words are words[From:] of spans[features[i]]. 0
// means that no split leaves enough hessian on both sides.
func (p *Packed) Bounds(bounds []float32, words []uint64, spans []Span, features []int) {
	if len(features) > 0 {
		p.vectors.bounds(bounds[:len(features)], words, spans, features)
	}
}

// Flags sets gains[i] as the function Flags does, for a feature of two codes, whose words are words[at[i]] and the
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

// find is plainLoop for packed sums: of at least one word.
func (p *Packed) find(words []uint64, look *lookup) found {
	var best packedBest
	start := uint64(look.start.Grad)<<32 + look.start.Hess
	if p.vectors.find(&best, words, start, look.always, look.bar); best.code == noCode {
		return found{code: -1}
	}
	return found{best.gain, int(best.code), int64(best.left) >> 32, best.left & math.MaxUint32}
}

// packedBest is what the vectors find, in the order in which they write it.
type packedBest struct {
	gain float64
	code uint64 // noCode: there is none
	left uint64 // the packed sums on its left
}

const noCode = 1<<64 - 1
