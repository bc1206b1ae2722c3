//go:build arm64 && !purego

package scan

import (
	"math"

	"boost/internal/cpu"
)

// neon reports whether the vectors are in use.
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

// vectorLoop is plainLoop by vectors, where these can.
func vectorLoop(grad []int64, hess []uint64, total *Sums[int64, uint64], r *Rule, look *lookup) (best found, ok bool) {
	// Codes without sums repeat the candidate before them, which wins the tie: only those before all
	// others have to be left out.
	first := 0
	for !look.always && first < len(grad) && grad[first] == 0 && hess[first] == 0 {
		first++
	}
	n := len(grad) - first
	if !neon || n < leastCodes || n > mostCodes || r.L1 != 0 {
		return best, false
	}
	grad, hess = grad[first:], hess[first:]
	_ = hess[n-1]
	least, ok := r.leastHess(look.least)
	if !ok {
		return best, false
	}
	slack, beat := r.beat(total, look.bar)
	start := &look.start
	sums := plainSums{start.Grad, int64(start.Hess), total.Grad, int64(total.Hess), least}
	factors := plainFactors{r.GradScale, r.HessScale, r.L2, slack, look.bar, beat, tiny}
	var lanes [4][2]int64
	plainNEON(&grad[0], &hess[0], uint64(n), &sums, &factors, &lanes)
	best = found{gain: look.bar, code: -1}
	for lane := range 2 {
		g, c := math.Float64frombits(uint64(lanes[0][lane])), int(lanes[1][lane])
		if c >= 0 && (best.code < 0 || g > best.gain || g == best.gain && c < best.code) {
			best = found{g, c, lanes[2][lane], uint64(lanes[3][lane])}
		}
	}
	if best.code >= 0 {
		best.code += first
	}
	return best, true
}
