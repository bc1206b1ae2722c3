//go:build amd64 && !purego

package scan

import (
	"math"

	"boost/internal/cpu"
)

// vectors is the instruction set that gains are computed with, 8 or 4 at a time.
var vectors = cpu.Used()

// leastNarrow is leastCodes by 4 at a time.
const leastNarrow = 20

// plainVectors does plainPass's work on codes that it can do by vectors: without L1, and
// where a side that has enough hessian has a denominator above 0. It returns the best
// gain above a bar, its code or -1, and the sums on its left.
func plainVectors(grad []int64, hess []uint64, total, start Sums[int64, uint64], r *Rule, atLeast int64, always bool, bar float64) (gain float64, code int, left Sums[int64, uint64], ok bool) {
	n := len(grad)
	if vectors == cpu.Generic || n < leastCodes || vectors == cpu.AVX2 && n < leastNarrow || n > mostCodes || !r.dividable() {
		return 0, 0, left, false
	}
	_ = hess[n-1]
	first := uint64(0)
	if always {
		first = 1
	}
	atLeast, ok = r.leastHess(atLeast)
	if !ok {
		return 0, 0, left, false
	}
	sums := [...]int64{start.Grad, int64(start.Hess), total.Grad, int64(total.Hess), atLeast}
	slack, beat := r.beat(total, bar)
	if vectors == cpu.AVX2 {
		return plainNarrow(grad, hess, total, start, r, float64(atLeast), slack, first, bar, beat)
	}
	factors := [...]float64{r.GradScale, r.HessScale, r.L2, slack, bar, beat}
	var best [5][8]int64 // gains, codes, sums of gradients and of hessians; the best lane
	plainAVX512(&grad[0], &hess[0], uint64(n), first, &sums, &factors, &best)
	lane := best[4][0] & 7
	return math.Float64frombits(uint64(best[0][lane])), int(best[1][lane]), Sums[int64, uint64]{Grad: best[2][lane], Hess: uint64(best[3][lane])}, true
}

// plainNarrow is plainVectors for sums below 2⁵¹ in size, which are exact in a float64, and so
// are their differences: AVX2 converts no larger ones.
func plainNarrow(grad []int64, hess []uint64, total, start Sums[int64, uint64], r *Rule, atLeast, slack float64, first uint64, bar, beat float64) (gain float64, code int, left Sums[int64, uint64], ok bool) {
	const limit = 1 << 51
	if total.Hess >= limit || total.Grad >= limit || total.Grad <= -limit {
		return 0, 0, left, false
	}
	none := int64(math.Float64bits(bar))
	best := [5][4]int64{0: {none, none, none, none}, 1: {-1, -1, -1, -1}, 4: {0, int64(math.Float64bits(beat))}}
	starts := [...]int64{start.Grad, int64(start.Hess)}
	factors := [...]float64{r.GradScale, r.HessScale, r.L2, slack, float64(total.Grad), float64(total.Hess), atLeast}
	plainAVX2(&grad[0], &hess[0], uint64(len(grad)), first, &starts, &factors, &best)
	if uint64(best[4][0]) >= 1<<52 {
		return 0, 0, left, false
	}
	gain, code = Refused, -1
	for lane := range 4 {
		g, c := math.Float64frombits(uint64(best[0][lane])), int(best[1][lane])
		if c >= 0 && (g > gain || g == gain && c < code) {
			gain, code, left = g, c, Sums[int64, uint64]{Grad: best[2][lane], Hess: uint64(best[3][lane])}
		}
	}
	return gain, code, left, true
}
