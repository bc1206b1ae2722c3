package loss

import (
	"math"

	"boost/internal/detmath"
)

// The losses below are of positive predictions e^score.

// expTile writes e^(factor·score) of a tile's rows. Scores that would overflow give the largest power there is, so that
// gradients stay numbers.
func expTile(to, scores []float64, factor float64) {
	to = to[:len(scores)]
	done := powerVectors(to, scores, factor)
	to = to[done:]
	for i, s := range scores[done:] {
		to[i] = detmath.ExpCoarse(min(max(float64(factor*s), expLow), expHigh))
	}
}

// expHigh is the largest argument whose power fits float32.
const expHigh = 88

// Poisson writes the derivatives of w·(e^s − label·s): grad = w·(e^s − label), hess = w·raise·e^s. raise ≥ 1 makes steps
// shorter, which the second derivative alone makes too long where a label is far above the prediction.
func Poisson(grad, hess []float32, scores, labels, weights []float64, raise float64) {
	var power [tile]float64
	for lo := 0; lo < len(scores); lo += tile {
		hi := min(lo+tile, len(scores))
		p := power[:hi-lo]
		expTile(p, scores[lo:hi], 1)
		g, h, y := grad[lo:hi], hess[lo:hi], labels[lo:hi]
		for i, e := range p {
			g[i], h[i] = float32(e-y[i]), float32(min(e*raise, math.MaxFloat32))
		}
	}
	Weigh(grad[:len(scores)], hess[:len(scores)], weights)
}

// Gamma writes the derivatives of w·(s + label·e^−s): grad = w·(1 − label·e^−s), hess = w·label·e^−s.
func Gamma(grad, hess []float32, scores, labels, weights []float64) {
	var power [tile]float64
	for lo := 0; lo < len(scores); lo += tile {
		hi := min(lo+tile, len(scores))
		p := power[:hi-lo]
		expTile(p, scores[lo:hi], -1)
		g, h, y := grad[lo:hi], hess[lo:hi], labels[lo:hi]
		for i, e := range p {
			ratio := float64(y[i] * e)
			g[i], h[i] = float32(1-ratio), float32(ratio)
		}
	}
	Weigh(grad[:len(scores)], hess[:len(scores)], weights)
}

// Tweedie writes the derivatives of w·(e^((2−power)·s)/(2−power) − label·e^((1−power)·s)/(1−power)), for 1 < power < 2:
// grad = w·(b − label·a) and hess = w·((2−power)·b − label·(1−power)·a), with a = e^((1−power)·s) and b = e^((2−power)·s).
func Tweedie(grad, hess []float32, scores, labels, weights []float64, power float64) {
	var low, high [tile]float64
	for lo := tweedieVectors(grad, hess, scores, labels, power); lo < len(scores); lo += tile {
		hi := min(lo+tile, len(scores))
		a, b := low[:hi-lo], high[:hi-lo]
		expTile(a, scores[lo:hi], 1-power)
		expTile(b, scores[lo:hi], 2-power)
		g, h, y := grad[lo:hi], hess[lo:hi], labels[lo:hi]
		for i := range a {
			ya := float64(y[i] * a[i])
			g[i] = float32(b[i] - ya)
			h[i] = float32(float64((2-power)*b[i]) + float64((power-1)*ya))
		}
	}
	Weigh(grad[:len(scores)], hess[:len(scores)], weights)
}
