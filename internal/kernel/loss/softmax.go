package loss

import (
	"math"

	"boost/internal/detmath"
)

// tile is the number of rows that go through all classes together: their maxima
// and sums stay in the first-level cache.
const tile = 256

// Softmax writes the derivatives of the weighted multiclass log loss by the raw
// scores of k classes, for p = softmax(scores): grad = w·(p_c - [c = label]),
// hess = w·factor·p_c·(1-p_c). scores, grad and hess are class-major with n rows a
// class; rows lo … hi-1 are done. Labels and weights have n entries, labels are
// whole numbers in [0, k), weights may be nil for all 1.
func Softmax(grad, hess []float32, scores, labels, weights []float64, k, n, lo, hi int, factor float64) {
	var peak, inv, decay [tile]float64
	for ; lo < hi; lo += tile {
		m := min(tile, hi-lo)
		e := decay[:m]
		peaks(peak[:m], scores, k, n, lo)
		clear(inv[:m])
		for c := range k {
			at := c*n + lo
			addExp(inv[:m], scores[at:at+m], peak[:m], e)
		}
		invert(inv[:m])
		for c := range k {
			at := c*n + lo
			var w []float64
			if weights != nil {
				w = weights[lo : lo+m]
			}
			class(grad[at:at+m], hess[at:at+m], scores[at:at+m], peak[:m], inv[:m], labels[lo:lo+m], w, e, float64(c), factor)
		}
	}
}

// addExp adds e^(score-peak) to the sums of a tile's rows. It uses e for the rows that
// vectors leave.
func addExp(sum, scores, peak, e []float64) {
	done := addExpVectors(sum, scores, peak)
	sum, scores, peak = sum[done:], scores[done:], peak[done:]
	e = e[:len(scores)]
	expBelow(e, scores, peak)
	for i, x := range e {
		sum[i] += x
	}
}

func invert(x []float64) {
	for i := invertVectors(x); i < len(x); i++ {
		x[i] = 1 / x[i]
	}
}

// class writes the derivatives by the scores of the class own of a tile's rows, from
// their peaks and the inverses of their sums. The exponentials are taken a second time:
// those of all classes would leave the cache.
func class(grad, hess []float32, scores, peak, inv, labels, weights, e []float64, own, factor float64) {
	done := classVectors(grad, hess, scores, peak, inv, labels, weights, own, factor)
	e = e[:len(scores)-done]
	expBelow(e, scores[done:], peak[done:])
	for j, x := range e {
		i := done + j
		p := float64(x * inv[i])
		target := 0.0
		if labels[i] == own {
			target = 1
		}
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		grad[i] = float32((p - target) * w)
		hess[i] = float32(p * (1 - p) * factor * w)
	}
}

// peaks writes the highest score of each row from lo on.
func peaks(peak, scores []float64, k, n, lo int) {
	copy(peak, scores[lo:])
	for c := 1; c < k; c++ {
		raise(peak, scores[c*n+lo:c*n+lo+len(peak)])
	}
}

// raise makes peaks at least their scores.
func raise(peak, scores []float64) {
	for i := raiseVectors(peak, scores); i < len(scores); i++ {
		if s := scores[i]; s > peak[i] {
			peak[i] = s
		}
	}
}

// expBelow writes e^(score-peak) for scores not above their peaks. The limit is
// applied to bits as in expMinusAbs.
func expBelow(e, scores, peak []float64) {
	e, peak = e[:len(scores)], peak[:len(scores)]
	limit := math.Float64bits(-expLow)
	for i, s := range scores {
		size := min(math.Float64bits(peak[i]-s)&^signBit, limit)
		e[i] = detmath.ExpCoarse(math.Float64frombits(size | signBit))
	}
}

// SoftmaxValues writes softmax(raw) to values, both class-major with n rows a class,
// for rows lo … hi-1. They may be the same slice.
func SoftmaxValues(values, raw []float64, k, n, lo, hi int) {
	var peak, sum [tile]float64
	for ; lo < hi; lo += tile {
		m := min(tile, hi-lo)
		peaks(peak[:m], raw, k, n, lo)
		clear(sum[:m])
		for c := range k {
			at := c*n + lo
			v := values[at : at+m]
			for i, s := range raw[at : at+m] {
				e := detmath.Exp(s - peak[i])
				v[i] = e
				sum[i] += e
			}
		}
		for c := range k {
			at := c*n + lo
			v := values[at : at+m]
			for i := range v {
				v[i] /= sum[i]
			}
		}
	}
}

// ExpValues writes e**raw to values. They have the same length and may be the same slice.
func ExpValues(values, raw []float64) {
	values = values[:len(raw)]
	for i, x := range raw {
		values[i] = detmath.Exp(x)
	}
}

// LogLoss returns -log(max(p, 1e-15)) for the probability p of the class that came.
func LogLoss(p float64) float64 {
	const clip = 1e-15
	if math.IsNaN(p) {
		return p
	}
	return -detmath.Log(max(p, clip))
}
