package loss

import "math"

// The losses below are of the distance d = score − label. Each writes the derivatives of one row's loss;
// Weigh multiplies them by the rows' weights.

// Weigh multiplies derivatives by weights, which may be nil for all 1.
func Weigh(grad, hess []float32, weights []float64) {
	if weights == nil {
		return
	}
	grad, hess = grad[:len(weights)], hess[:len(weights)]
	done := weighVectors(grad, hess, weights)
	grad, hess = grad[done:], hess[done:]
	for i, w := range weights[done:] {
		grad[i] = float32(float64(grad[i]) * w)
		hess[i] = float32(float64(hess[i]) * w)
	}
}

// Absolute writes the derivatives of w·|d|: grad = w·sign(d), hess = w. The hessian is that of no parabola: leaves
// are to be renewed.
func Absolute(grad, hess []float32, scores, labels, weights []float64) {
	sides(grad, hess, scores, labels, 1, -1, 0)
	Weigh(grad, hess, weights)
}

// Pinball writes the derivatives of the loss of a quantile: grad = w·(1−level) where d ≥ 0, else −w·level; hess = w.
// Leaves are to be renewed.
func Pinball(grad, hess []float32, scores, labels, weights []float64, level float64) {
	sides(grad, hess, scores, labels, 1-level, -level, 1-level)
	Weigh(grad, hess, weights)
}

// sides writes a gradient of over where d > 0, under where d < 0, and none where d = 0, and hessians of 1. It works on bits, since a branch on what is as
// good as random would be guessed wrong.
func sides(grad, hess []float32, scores, labels []float64, over, under, none float64) {
	grad, hess, labels = grad[:len(scores)], hess[:len(scores)], labels[:len(scores)]
	done := sidesVectors(grad, hess, scores, labels, over, under, none)
	above, below, at := math.Float32bits(float32(over)), math.Float32bits(float32(under)), float32(none)
	grad, hess, labels = grad[done:], hess[done:], labels[done:]
	for i, s := range scores[done:] {
		d := s - labels[i]
		is := uint32(int64(math.Float64bits(d)) >> 63) // all ones or zero
		grad[i], hess[i] = math.Float32frombits(above^(above^below)&is), 1
		if d == 0 {
			grad[i] = at
		}
	}
}

// Relative writes the derivatives of w·|d|/max(1, |label|): grad = share·sign(d), hess = share, for share =
// w/max(1, |label|). Leaves are to be renewed.
func Relative(grad, hess []float32, scores, labels, weights []float64) {
	grad, hess, labels = grad[:len(scores)], hess[:len(scores)], labels[:len(scores)]
	for i := relativeVectors(grad, hess, scores, labels); i < len(scores); i++ {
		s, y := scores[i], labels[i]
		share := float32(1 / max(1, math.Abs(y)))
		grad[i], hess[i] = sign(s, y)*share, share
	}
	Weigh(grad, hess, weights)
}

// sign returns the sign of s − y, by bits.
func sign(s, y float64) float32 {
	d := s - y
	if d == 0 {
		return 0
	}
	return math.Float32frombits(math.Float32bits(1) | uint32(math.Float64bits(d)>>32)&(1<<31))
}

// Expectile writes the derivatives of w·|level − [d > 0]|·d²/2.
func Expectile(grad, hess []float32, scores, labels, weights []float64, level float64) {
	grad, hess, labels = grad[:len(scores)], hess[:len(scores)], labels[:len(scores)]
	for i, s := range scores {
		d, share := s-labels[i], level
		if d > 0 {
			share = 1 - level
		}
		grad[i], hess[i] = float32(d*share), float32(share)
	}
	Weigh(grad, hess, weights)
}

// The next three are d²/2 near 0 and grow like |d| far from it. Their second derivative vanishes there, and
// Newton's step would overshoot. hess is gradient/d instead, that of the parabola which touches the loss at d and lies
// above it elsewhere, so that a step never raises the loss (iteratively reweighted least squares; Holland and Welsch,
// 1977).

// Huber writes the derivatives of w·(d²/2 where |d| ≤ delta, else delta·(|d| − delta/2)).
func Huber(grad, hess []float32, scores, labels, weights []float64, delta float64) {
	grad, hess, labels = grad[:len(scores)], hess[:len(scores)], labels[:len(scores)]
	for i, s := range scores {
		d := s - labels[i]
		share := delta / max(delta, math.Abs(d))
		grad[i], hess[i] = float32(d*share), float32(share)
	}
	Weigh(grad, hess, weights)
}

// Fair writes the derivatives of w·c²·(|d|/c − log(1 + |d|/c)).
func Fair(grad, hess []float32, scores, labels, weights []float64, c float64) {
	grad, hess, labels = grad[:len(scores)], hess[:len(scores)], labels[:len(scores)]
	for i, s := range scores {
		d := s - labels[i]
		share := c / (math.Abs(d) + c)
		grad[i], hess[i] = float32(d*share), float32(share)
	}
	Weigh(grad, hess, weights)
}

// LogCosh writes the derivatives of w·log(cosh(d)): grad = w·tanh(d).
func LogCosh(grad, hess []float32, scores, labels, weights []float64) {
	var distance, decay [tile]float64
	for lo := logCoshVectors(grad, hess, scores, labels); lo < len(scores); lo += tile {
		hi := min(lo+tile, len(scores))
		size, e := distance[:hi-lo], decay[:hi-lo]
		for i, s := range scores[lo:hi] {
			size[i] = math.Abs(s - labels[lo+i])
		}
		expTile(e, size, -2)
		g, h, y, s := grad[lo:hi], hess[lo:hi], labels[lo:hi], scores[lo:hi]
		for i, size := range size {
			d := s[i] - y[i]
			share := (1 - e[i]) / float64((1+e[i])*size)
			if size <= 1e-4 {
				share = 1 - float64(d*d)/3 // tanh(d)/d, to 15 digits
			}
			g[i], h[i] = float32(d*share), float32(share)
		}
	}
	Weigh(grad[:len(scores)], hess[:len(scores)], weights)
}
