//go:build amd64 && !purego

package scan

import (
	"math"

	"boost/internal/cpu"
)

// vectors says that gains are computed 8 at a time.
var vectors = cpu.Used() == cpu.AVX512

// Fewer codes than leastCodes are sooner done one by one; more than mostCodes are, for
// assembly cannot be interrupted and a code takes 3 ns.
const (
	leastCodes = 12
	mostCodes  = 1 << 18
)

// plainVectors does plainPass's work on codes that it can do by vectors: without L1, and
// where a side that has enough hessian has a denominator above 0. It returns the best
// gain, its code or -1, and the sums on its left.
func plainVectors(grad []int64, hess []uint64, total, start Sums[int64, uint64], r *Rule, atLeast int64, always bool) (gain float64, code int, left Sums[int64, uint64], ok bool) {
	n := len(grad)
	if !vectors || n < leastCodes || n > mostCodes || r.L1 != 0 || !(r.L2 >= 0 && r.MinChild >= 0 && r.L2+r.MinChild > 0) {
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
	// What may exceed the best gain is found by products that are off by a few roundings,
	// unless their factors are too large or too small for that.
	slack := 1 - 1.0/1024
	if largest := float64(float64(total.Hess)*r.HessScale) + r.L2; !(largest < 1e100 && r.L2+r.MinChild > 1e-100) {
		slack = math.Inf(-1)
	}
	factors := [...]float64{r.GradScale, r.HessScale, r.L2, slack}
	var best [5][8]int64 // gains, codes, sums of gradients and of hessians; the best lane
	plainAVX512(&grad[0], &hess[0], uint64(n), first, &sums, &factors, &best)
	lane := best[4][0] & 7
	return math.Float64frombits(uint64(best[0][lane])), int(best[1][lane]), Sums[int64, uint64]{Grad: best[2][lane], Hess: uint64(best[3][lane])}, true
}

// leastHess returns the least hessian sum of a side, at least atLeast, that is not below
// MinChild; ok is false where that is not found at once.
func (r *Rule) leastHess(atLeast int64) (least int64, ok bool) {
	if r.MinChild == 0 {
		return atLeast, true
	}
	at := math.Ceil(r.MinChild / r.HessScale)
	if !(at < 1<<53) {
		return 0, false
	}
	for range 2 { // a quotient is off by one rounding
		if float64((at-1)*r.HessScale) >= r.MinChild {
			at--
		} else if float64(at*r.HessScale) < r.MinChild {
			at++
		}
	}
	if float64((at-1)*r.HessScale) >= r.MinChild || float64(at*r.HessScale) < r.MinChild {
		return 0, false
	}
	return max(atLeast, int64(at)), true
}
