//go:build amd64 && !purego

package scan

import (
	"math"
	"unsafe"

	"boost/internal/cpu"
)

// packedVectors is what the vectors know of a node.
//
//	0  total   the packed sums of all rows
//	1  least   hessian sum of a side, at least, in the lower half; the ridge, as a float32, in the upper
//	2  scales of gradients and hessians, as float64
//	4  l2
//	5  units   gains times this are in units of codes, a little less so that no rounding matters
//	6  l1
//	7  l1 in units of codes, as a float32, a little less so that no rounding matters
type packedVectors struct {
	ready  bool
	common [8]uint64
}

// Packs reports whether this processor has the vectors for packed sums.
func Packs() bool { return PackedForm() > 0 }

// PackedForm returns the number of the form of the vectors, 1 to PackedForms, or 0 for none.
func PackedForm() int {
	switch vectors {
	case cpu.AVX2:
		return 1
	case cpu.AVX512:
		return 2
	}
	return 0
}

// node begins a node, and reports whether its features can be bounded by vectors: where all that is worked out as
// float32, squares of products of two sums and ratios of them, is in that type's range: where a side has a hessian sum
// of 1 at least, and L2 is not too large.
func (v *packedVectors) node(r *Rule, total Sums[int64, uint64]) bool {
	v.ready = false
	if !Packs() || !r.Plain() || !usual(r.GradScale) || !usual(r.HessScale) {
		return false
	}
	least, ok := r.leastHess(int64(r.LeastSide))
	ridge, units := r.L2/r.HessScale, r.HessScale/(r.GradScale*r.GradScale)
	shrink := r.L1 / r.GradScale
	if !ok || least < 1 || !(shrink <= 1<<40) || least > math.MaxUint32 || !(ridge <= 1<<30 && units >= 1e-200 && units <= 1e200) {
		return false
	}
	// float32 loses less than 16 times 2⁻²⁴ on each side of a comparison. A sum that is shrunk loses an eighth of 2⁻²⁰ more at most:
	// what the size of |g| ≤ 2·l1 has lost is less than l1 is taken for too small, and a larger one is at most halved.
	const slack = 1 - 1.0/(1<<18)
	v.ready = true
	v.common = [...]uint64{
		uint64(total.Grad)<<32 + total.Hess,
		uint64(math.Float32bits(float32(ridge)))<<32 | uint64(least),
		math.Float64bits(r.GradScale), math.Float64bits(r.HessScale), math.Float64bits(r.L2), math.Float64bits(units * slack),
		math.Float64bits(r.L1), uint64(math.Float32bits(float32(shrink * (1 - 1.0/(1<<21))))),
	}
	return true
}

// bounds is Bounds for at least one feature.
func (v *packedVectors) bounds(bounds []float32, words []uint64, spans []Span, features []int) {
	where := (*[4]uint32)(unsafe.Pointer(&spans[0]))
	if vectors == cpu.AVX512 {
		boundsAVX512(&bounds[0], &words[0], where, &features[0], uint64(len(features)), &v.common)
	} else {
		boundsAVX2(&bounds[0], &words[0], where, &features[0], uint64(len(features)), &v.common)
	}
}

// flags is Flags for at least one feature.
func (v *packedVectors) flags(gains []float64, words []uint64, at []uint32) {
	n := len(at)
	if vectors == cpu.AVX512 {
		flagsAVX512(&gains[0], &words[0], &at[0], uint64(n), &v.common)
		return
	}
	whole := n &^ 3
	if whole > 0 {
		flagsAVX2(&gains[0], &words[0], &at[0], uint64(whole), &v.common)
	}
	if whole < n {
		var left [4]float64
		which := [...]uint32{at[n-1], at[n-1], at[n-1], at[n-1]}
		copy(which[:], at[whole:])
		flagsAVX2(&left[0], &words[0], &which[0], 4, &v.common)
		copy(gains[whole:n], left[:])
	}
}

// find sets best.
func (v *packedVectors) find(best *packedBest, words []uint64, start uint64, always bool, bar float64) {
	first := uint64(0)
	if always {
		first = 1
	}
	if vectors == cpu.AVX512 {
		wordsAVX512(&words[0], uint64(len(words)), start, first, &v.common, bar, (*[3]uint64)(unsafe.Pointer(best)))
		return
	}
	var lanes [3][4]uint64 // gains, codes, packed sums
	for lane := range lanes[0] {
		lanes[0][lane], lanes[1][lane] = math.Float64bits(bar), noCode
	}
	wordsAVX2(&words[0], uint64(len(words)), start, first, &v.common, &lanes)
	*best = packedBest{bar, noCode, 0}
	for lane, code := range lanes[1] {
		gain := math.Float64frombits(lanes[0][lane])
		if code != noCode && (best.code == noCode || gain > best.gain || gain == best.gain && code < best.code) {
			*best = packedBest{gain, code, lanes[2][lane]}
		}
	}
}

// shares is Shares for at least one feature, in units of codes.
func (v *packedVectors) shares(shares []float64, words []uint64, spans []Span, features []int) {
	where := (*[4]uint32)(unsafe.Pointer(&spans[0]))
	if vectors == cpu.AVX512 {
		sharesAVX512(&shares[0], &words[0], where, &features[0], uint64(len(features)))
	} else {
		sharesAVX2(&shares[0], &words[0], where, &features[0], uint64(len(features)))
	}
}
