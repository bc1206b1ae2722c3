package loss

import (
	"math"

	"boost/internal/detmath"
)

const (
	// expLow is the lowest argument of detmath.ExpCoarse.
	expLow  = -708
	signBit = 1 << 63
)

// Logistic writes the derivatives of the weighted log loss by the raw score s, for
// p = 1/(1+e^-s): grad = w·(p-label), hess = w·p·(1-p). Labels are 0 or 1. All
// slices have the length of scores, which are not NaN; weights may be nil for all 1.
//
// p-label is taken as ∓1/(1+e^±s), so that a row that is nearly right keeps its
// digits; before the rounding to float32 both are right to 11 digits.
func Logistic(grad, hess []float32, scores, labels, weights []float64) {
	lo := logisticVectors(grad, hess, scores, labels, weights)
	var decay [tile]float64
	for n := len(scores); lo < n; lo += tile {
		hi := min(lo+tile, n)
		e := decay[:hi-lo]
		expMinusAbs(e, scores[lo:hi])
		if weights == nil {
			logistic(grad[lo:hi], hess[lo:hi], scores[lo:hi], labels[lo:hi], e)
		} else {
			logisticWeighted(grad[lo:hi], hess[lo:hi], scores[lo:hi], labels[lo:hi], weights[lo:hi], e)
		}
	}
}

// expMinusAbs writes e^-|s|. The limit is applied to bits, as a conditional move:
// a call of the general function in the loop would cost all rows their registers.
func expMinusAbs(e, scores []float64) {
	e = e[:len(scores)]
	limit := math.Float64bits(-expLow)
	for i, s := range scores {
		size := min(math.Float64bits(s)&^signBit, limit)
		e[i] = detmath.ExpCoarse(math.Float64frombits(size | signBit))
	}
}

func logistic(grad, hess []float32, scores, labels, decay []float64) {
	n := len(scores)
	grad, hess, labels, decay = grad[:n], hess[:n], labels[:n], decay[:n]
	for i, s := range scores {
		e := decay[i]
		inv := 1 / (1 + e)
		grad[i] = float32(float64(towards(s, labels[i], e) * inv))
		hess[i] = float32(float64(e*inv) * inv)
	}
}

func logisticWeighted(grad, hess []float32, scores, labels, weights, decay []float64) {
	n := len(scores)
	grad, hess, labels, weights, decay = grad[:n], hess[:n], labels[:n], weights[:n], decay[:n]
	for i, s := range scores {
		e, w := decay[i], weights[i]
		inv := 1 / (1 + e)
		grad[i] = float32(float64(towards(s, labels[i], e)*inv) * w)
		hess[i] = float32(float64(float64(e*inv)*inv) * w)
	}
}

// towards returns the numerator of p-label over 1+e: 1 in size where the score
// points away from the label, else e; negative for label 1. It works on bits,
// because signs of scores and labels are as good as random and a branch on them
// would be guessed wrong.
func towards(s, label, e float64) float64 {
	// 1.0 is 0x3ff0…: its bit 61 moves to the sign.
	flip := math.Float64bits(label) << 2 & signBit
	one := math.Float64bits(1)
	away := uint64(int64(math.Float64bits(s)^flip) >> 63) // all ones or zero
	n := one ^ (one^math.Float64bits(e))&away
	return math.Float64frombits(n | flip)
}

// CrossEntropy writes the derivatives of the weighted log loss by the raw score s where labels are chances, 0 to 1: grad = w·(p−label),
// hess = w·p·(1−p), for p = 1/(1+e^-s).
func CrossEntropy(grad, hess []float32, scores, labels, weights []float64) {
	var chance [tile]float64
	for lo := 0; lo < len(scores); lo += tile {
		hi := min(lo+tile, len(scores))
		p := chance[:hi-lo]
		detmath.SigmoidBlock(p, scores[lo:hi])
		g, h, y := grad[lo:hi], hess[lo:hi], labels[lo:hi]
		for i, p := range p {
			g[i], h[i] = float32(p-y[i]), float32(p*(1-p))
		}
	}
	Weigh(grad[:len(scores)], hess[:len(scores)], weights)
}

// Focal writes the derivatives of −w·(1−q)^gamma·log q by the raw score s, for the chance q that it gives to the label, 0 or 1 (Lin et al.,
// 2017). Where the loss bends down, at chances near 0, hess is (1−q)^gamma·q·(1−q), with which the loss falls too.
func Focal(grad, hess []float32, scores, labels, weights []float64, gamma float64) {
	var chances, misses, logs, powers, memory [tile]float64
	for lo := 0; lo < len(scores); lo += tile {
		hi := min(lo+tile, len(scores))
		n := hi - lo
		q, miss, log, easy, x := chances[:n], misses[:n], logs[:n], powers[:n], memory[:n]
		g, h, s, y := grad[lo:hi], hess[lo:hi], scores[lo:hi], labels[lo:hi]
		for i, s := range s {
			x[i] = -math.Abs(s)
		}
		Exp(easy, x)
		for i, e := range easy {
			q[i], miss[i] = chanceOf(s[i], y[i], e)
			x[i] = larger(q[i], 0x1p-1022)
		}
		Log(log, x)
		power(easy, x, miss, gamma)
		for i, q := range q {
			easy, log, miss := easy[i], log[i], miss[i]
			ease := float64(gamma * q)
			slope := float64(easy * (float64(ease*log) - miss)) // of the loss by the score in favour of the label
			g[i] = float32(math.Float64frombits(math.Float64bits(slope) ^ (math.Float64bits(y[i])<<2&signBit ^ signBit)))
			bend := float64(gamma*(float64((miss-ease)*log)+miss)) + float64((gamma+1)*miss)
			// Without gamma, bend is miss: the least that is taken of it.
			h[i] = float32(float64(easy*q) * larger(miss, bend))
		}
	}
	Weigh(grad[:len(scores)], hess[:len(scores)], weights)
}

// power writes miss^gamma, with x to work in.
func power(to, x, miss []float64, gamma float64) {
	to, x = to[:len(miss)], x[:len(miss)]
	if gamma == 2 {
		for i, miss := range miss {
			to[i] = miss * miss
		}
		return
	}
	for i, miss := range miss {
		to[i] = larger(miss, 0x1p-1022)
	}
	Log(x, to)
	for i := range x {
		x[i] *= gamma
	}
	Exp(to, x)
}

// larger returns the larger of two numbers, of which the first is not negative. The general function, which minds NaN, takes several times as long.
func larger(a, b float64) float64 {
	return math.Float64frombits(uint64(max(int64(math.Float64bits(a)), int64(math.Float64bits(b)))))
}

// chanceOf returns the chance that a score s gives to the label, and what it lacks to 1, for e = e^-|s|.
func chanceOf(s, label, e float64) (q, miss float64) {
	flip := math.Float64bits(label) << 2 & signBit
	right := uint64(int64(math.Float64bits(s)^flip) >> 63) // all ones where the score favours the label, or zero
	near, far := math.Float64bits(1/(1+e)), math.Float64bits(e/(1+e))
	other := (near ^ far) & right
	return math.Float64frombits(far ^ other), math.Float64frombits(near ^ other)
}
