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
	sums := [...]int64{start.Grad, int64(start.Hess), total.Grad, int64(total.Hess), atLeast}
	factors := [...]float64{r.GradScale, r.HessScale, r.L2, r.MinChild}
	var best [4][8]int64 // gains, codes, sums of gradients and of hessians
	plainAVX512(&grad[0], &hess[0], uint64(n), first, &sums, &factors, &best)
	gain, code = refused, -1
	lane := 0
	for i := range 8 {
		g, c := math.Float64frombits(uint64(best[0][i])), int(best[1][i])
		if c >= 0 && (g > gain || g == gain && c < code) {
			gain, code, lane = g, c, i
		}
	}
	return gain, code, Sums[int64, uint64]{Grad: best[2][lane], Hess: uint64(best[3][lane])}, true
}
