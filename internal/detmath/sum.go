package detmath

import (
	"math"
	"math/bits"
)

const (
	// A chunk stands for 32 bits of the exponent's range; a number falls into two,
	// and the last three only take carries: room for 2^64 numbers.
	sumChunks = 68
	// An addition changes a chunk by less than 2^53, so that after a carry, which
	// leaves less than 2^32, this many stay below 2^63.
	sumAdds = 1 << 9
)

// Sum adds float64 numbers without error: the result is the sum of the numbers
// rounded once, whatever their order and however they were split into Sums that
// were merged. The zero value is an empty sum. (Neal, Fast exact summation using
// small and large superaccumulators, 2015.)
//
// Chunk i counts units of 2^(32·i - 1074), the last place of subnormal numbers at i = 0.
type Sum struct {
	chunks  [sumChunks]int64
	pending int // additions since the carries were last passed on

	positiveInf, negativeInf, nan bool
}

// Add adds x.
func (s *Sum) Add(x float64) {
	b := math.Float64bits(x)
	exponent := int(b >> 52 & 0x7ff)
	mantissa := int64(b&(1<<52-1) | 1<<52)
	switch exponent {
	case 0:
		exponent, mantissa = 1, mantissa-1<<52
	case 0x7ff:
		s.addSpecial(x)
		return
	}
	if s.pending == sumAdds {
		s.carry()
	}
	s.pending++
	// With a negative mantissa the low part is in [0, 2^32) all the same, and the
	// arithmetic shift rounds the high part down: their sum is the number.
	sign := int64(b) >> 63
	mantissa = (mantissa ^ sign) - sign
	place := exponent - 1
	shift := uint(place & 31)
	at := (*[2]int64)(s.chunks[place>>5:])
	at[0] += mantissa << shift & (1<<32 - 1)
	at[1] += mantissa >> (32 - shift)
}

// AddWeighted adds the float64 nearest to weight·x.
func (s *Sum) AddWeighted(weight, x float64) { s.Add(weight * x) }

func (s *Sum) addSpecial(x float64) {
	switch {
	case math.IsNaN(x):
		s.nan = true
	case x > 0:
		s.positiveInf = true
	default:
		s.negativeInf = true
	}
}

// Merge adds all that was added to o.
func (s *Sum) Merge(o *Sum) {
	c := *o
	c.carry()
	s.carry()
	for i := range s.chunks {
		s.chunks[i] += c.chunks[i]
	}
	s.pending = 1
	s.carry()
	s.positiveInf = s.positiveInf || o.positiveInf
	s.negativeInf = s.negativeInf || o.negativeInf
	s.nan = s.nan || o.nan
}

// SumWords is how many words a Sum is.
const SumWords = sumChunks + 3

// Words appends the sum as SumWords words: those of several sums, each added up modulo 2^64, are the words of the sum that they
// merge to, see SetWords.
func (s *Sum) Words(to []uint64) []uint64 {
	s.carry()
	for _, c := range s.chunks {
		to = append(to, uint64(c))
	}
	for _, is := range []bool{s.positiveInf, s.negativeInf, s.nan} {
		to = append(to, 0)
		if is {
			to[len(to)-1] = 1
		}
	}
	return to
}

// SetWords makes s the sum of SumWords words: those of up to 2^31 sums, added up.
func (s *Sum) SetWords(words []uint64) {
	for i := range s.chunks {
		s.chunks[i] = int64(words[i])
	}
	s.positiveInf, s.negativeInf, s.nan = words[sumChunks] > 0, words[sumChunks+1] > 0, words[sumChunks+2] > 0
	s.pending = 1
	s.carry()
}

// carry brings every chunk but the last into [0, 2^32).
func (s *Sum) carry() {
	if s.pending == 0 {
		return
	}
	for i := range sumChunks - 1 {
		s.chunks[i+1] += s.chunks[i] >> 32
		s.chunks[i] &= 1<<32 - 1
	}
	s.pending = 0
}

// used returns the lowest and the highest chunk that is not 0; low is above high where all are.
func (s *Sum) used() (low, high int) {
	low, high = 0, sumChunks-1
	for low < sumChunks && s.chunks[low] == 0 {
		low++
	}
	for high > low && s.chunks[high] == 0 {
		high--
	}
	return low, high
}

// Round returns the sum, rounded to nearest, ties to even. Infinities and NaN
// act as in IEEE addition; an empty sum and one that cancels are +0.
func (s *Sum) Round() float64 {
	switch {
	case s.nan, s.positiveInf && s.negativeInf:
		return math.NaN()
	case s.positiveInf:
		return math.Inf(1)
	case s.negativeInf:
		return math.Inf(-1)
	}
	low, high := s.used()
	if low > high {
		return 0
	}
	// The chunks that are not 0, with the carries passed on: most sums take few of them.
	var all [sumChunks + 1]int64
	chunks := all[:high-low+2]
	passed := int64(0)
	for i := range chunks[1:] {
		passed += s.chunks[low+i]
		chunks[i], passed = passed&(1<<32-1), passed>>32
	}
	negative := passed < 0
	if negative {
		carry := int64(0)
		for i := range chunks[1:] {
			carry -= chunks[i]
			chunks[i], carry = carry&(1<<32-1), carry>>32
		}
		passed = carry - passed
	}
	chunks[len(chunks)-1] = passed
	top := len(chunks) - 1
	for top >= 0 && chunks[top] == 0 {
		top--
	}
	if top < 0 {
		return 0
	}

	// The highest 96 bits in three words, and whether anything lies below.
	var words [3]uint64
	rest := uint64(0)
	for i := top; i >= 0; i-- {
		if top-i < 3 {
			words[top-i] = uint64(chunks[i])
		} else {
			rest |= uint64(chunks[i])
		}
	}
	// Bring the first one to bit 63; then first·2^exponent is the sum.
	lead := bits.LeadingZeros32(uint32(words[0]))
	first := (words[0]<<32 | words[1]) << lead
	first |= words[2] >> (32 - lead)
	rest |= words[2] << (32 + lead)
	exponent := 32*(low+top-1) - lead - 1074

	// The last place of the result is 2^(exponent+11), but not below 2^-1074.
	// (exponent ≥ -1074-63, so it stays below 64.)
	drop := max(11, -1074-exponent)
	kept := first >> drop
	tail := first << (64 - drop)
	if tail > 1<<63 || tail == 1<<63 && (rest != 0 || kept&1 != 0) {
		kept++
	}
	// kept ≤ 2^53, so the conversion is exact and Ldexp does not round, save to infinity.
	result := math.Ldexp(float64(kept), exponent+drop)
	if negative {
		return -result
	}
	return result
}
