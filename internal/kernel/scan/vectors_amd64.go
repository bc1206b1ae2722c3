//go:build amd64 && !purego

package scan

import (
	"math"

	"boost/internal/cpu"
)

// vectors is the instruction set that gains are computed with, 8 or 4 at a time.
var vectors = cpu.Used()

// leastAVX2 is leastCodes by 4 at a time.
const leastAVX2 = 20

// vectorLoop is plainLoop by vectors, where these can.
func vectorLoop(grad []int64, hess []uint64, total *Sums[int64, uint64], r *Rule, look *lookup) (best found, ok bool) {
	n := len(grad)
	if vectors == cpu.Generic || n < leastCodes || vectors == cpu.AVX2 && n < leastAVX2 || n > mostCodes || r.L1 != 0 {
		return best, false
	}
	_ = hess[n-1]
	least, ok := r.leastHess(look.least)
	if !ok {
		return best, false
	}
	first := uint64(0)
	if look.always {
		first = 1
	}
	slack, beat := r.beat(total, look.bar)
	if vectors == cpu.AVX2 {
		return loopAVX2(grad, hess, total, r, look, float64(least), slack, first, beat)
	}
	start := &look.start
	sums := [...]int64{start.Grad, int64(start.Hess), total.Grad, int64(total.Hess), least}
	factors := [...]float64{r.GradScale, r.HessScale, r.L2, slack, look.bar, beat}
	var lanes [5][8]int64 // gains, codes, sums of gradients and of hessians; the best lane
	plainAVX512(&grad[0], &hess[0], uint64(n), first, &sums, &factors, &lanes)
	lane := lanes[4][0] & 7
	return found{math.Float64frombits(uint64(lanes[0][lane])), int(lanes[1][lane]), lanes[2][lane], uint64(lanes[3][lane])}, true
}

// loopAVX2 is vectorLoop for sums below 2⁵¹ in size, which are exact in a float64, and so
// are their differences: AVX2 converts no larger ones.
func loopAVX2(grad []int64, hess []uint64, total *Sums[int64, uint64], r *Rule, look *lookup, least, slack float64, first uint64, beat float64) (best found, ok bool) {
	const limit = 1 << 51
	start := &look.start
	if total.Hess >= limit || total.Grad >= limit || total.Grad <= -limit {
		return best, false
	}
	none := int64(math.Float64bits(look.bar))
	lanes := [5][4]int64{0: {none, none, none, none}, 1: {-1, -1, -1, -1}, 4: {0, int64(math.Float64bits(beat))}}
	starts := [...]int64{start.Grad, int64(start.Hess)}
	factors := [...]float64{r.GradScale, r.HessScale, r.L2, slack, float64(total.Grad), float64(total.Hess), least}
	plainAVX2(&grad[0], &hess[0], uint64(len(grad)), first, &starts, &factors, &lanes)
	if uint64(lanes[4][0]) >= 1<<52 {
		return best, false
	}
	best = found{gain: Refused, code: -1}
	for lane := range 4 {
		g, c := math.Float64frombits(uint64(lanes[0][lane])), int(lanes[1][lane])
		if c >= 0 && (g > best.gain || g == best.gain && c < best.code) {
			best = found{g, c, lanes[2][lane], uint64(lanes[3][lane])}
		}
	}
	return best, true
}
