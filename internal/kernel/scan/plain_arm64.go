//go:build arm64 && !purego

package scan

import (
	"math"

	"boost/internal/cpu"
)

// neon says that the vectors are in use.
var neon = cpu.NEON()

// plainSums and plainFactors are what plainNEON is given, in the order in which it reads them.
type (
	plainSums    struct{ startGrad, startHess, totalGrad, totalHess, atLeast int64 }
	plainFactors struct{ gradScale, hessScale, l2, slack, bar, beat, tiny float64 }
)

// plainNEON writes, for each of two lanes, the best of the codes that it took if its gain is above a bar, of
// equal gains the first: two gains, two codes or -1, and the sums of the gradients and of the hessians up to
// them. Pairs of codes without sums are passed over, but for the first pair. n is at least 2. Where n is
// odd, the last code counts twice, as number n too, with the same gain.
//
// Two divisions may take longer than all the rest of a step: gains are multiplied out with their
// denominators first, and divided only where they may exceed the best so far.
//
//go:noescape
func plainNEON(grad *int64, hess *uint64, n uint64, sums *plainSums, factors *plainFactors, best *[4][2]int64)

// plainVectors does plainPass's work on codes that it can do by vectors. It returns the best
// gain above a bar, its code or -1, and the sums on its left.
func plainVectors(grad []int64, hess []uint64, total, start Sums[int64, uint64], r *Rule, atLeast int64, always bool, bar float64) (gain float64, code int, left Sums[int64, uint64], ok bool) {
	// Codes without sums repeat the candidate before them, which wins the tie: only those before all
	// others have to be left out.
	first := 0
	for !always && first < len(grad) && grad[first] == 0 && hess[first] == 0 {
		first++
	}
	n := len(grad) - first
	if !neon || n < leastCodes || n > mostCodes || !r.dividable() {
		return 0, 0, left, false
	}
	grad, hess = grad[first:], hess[first:]
	_ = hess[n-1]
	atLeast, ok = r.leastHess(atLeast)
	if !ok {
		return 0, 0, left, false
	}
	slack, beat := r.beat(total, bar)
	sums := plainSums{start.Grad, int64(start.Hess), total.Grad, int64(total.Hess), atLeast}
	factors := plainFactors{r.GradScale, r.HessScale, r.L2, slack, bar, beat, tiny}
	var best [4][2]int64
	plainNEON(&grad[0], &hess[0], uint64(n), &sums, &factors, &best)
	gain, code = bar, -1
	for lane := range 2 {
		g, c := math.Float64frombits(uint64(best[0][lane])), int(best[1][lane])
		if c >= 0 && (code < 0 || g > gain || g == gain && c < code) {
			gain, code, left = g, c, Sums[int64, uint64]{Grad: best[2][lane], Hess: uint64(best[3][lane])}
		}
	}
	if code >= 0 {
		code += first
	}
	return gain, code, left, true
}
