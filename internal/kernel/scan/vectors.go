//go:build (amd64 || arm64) && !purego

package scan

import "math"

// Fewer codes than leastCodes are sooner done one by one; more than mostCodes are, for
// assembly cannot be interrupted and a code takes 3 ns.
const (
	leastCodes = 12
	mostCodes  = 1 << 18
	// tiny is a gain of which the products may lose too much to the smallest numbers.
	tiny = 1e-60
)

// beat returns what gains are multiplied by to be compared by products, which are off by a few
// roundings, and the least gain that is divided. Where factors are too large or too small for products, all
// gains are divided.
func (r *Rule) beat(total *Sums[int64, uint64], bar float64) (slack, beat float64) {
	slack = 1 - 1.0/(1<<40)
	if largest := float64(float64(total.Hess)*r.HessScale) + r.L2; !(largest < 1e100 && r.L2+r.MinChild > 1e-100) {
		slack = math.Inf(-1)
	}
	beat = Refused
	if bar > tiny {
		beat = float64(bar * slack)
	}
	return slack, beat
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
