//go:build amd64 && !purego

package loss

import (
	"boost/internal/cpu"
	"boost/internal/detmath"
)

// level is the instruction set in use.
var level = cpu.Used()

// exponential is what the assembly computes e^x with.
var exponential = detmath.CoarseParts()

// perCall bounds the rows of one call, to half a millisecond: assembly cannot be
// interrupted.
const perCall = 1 << 17

// whole returns how many of n rows, not above most, are done by vectors.
func whole(n, most int) int {
	switch level {
	case cpu.AVX512:
		return min(n, most) &^ 7
	case cpu.AVX2:
		return min(n, most) &^ 3
	}
	return 0
}

// calls does most of n rows, at most perCall at a time; it returns how many.
func calls(n int, do func(at int, rows uint64)) (done int) {
	for rows := whole(n, perCall); rows > 0; rows = whole(n-done, perCall) {
		do(done, uint64(rows))
		done += rows
	}
	return done
}

// logisticVectors is Logistic for the first rows; it returns how many it has done.
func logisticVectors(grad, hess []float32, scores, labels, weights []float64) int {
	n := len(scores)
	grad, hess, labels = grad[:n], hess[:n], labels[:n]
	if weights != nil {
		weights = weights[:n]
	}
	return calls(n, func(at int, rows uint64) {
		g, h, s, l := &grad[at], &hess[at], &scores[at], &labels[at]
		switch wide := level == cpu.AVX512; {
		case weights == nil && wide:
			logisticAVX512(g, h, s, l, rows, exponential)
		case weights == nil:
			logisticAVX2(g, h, s, l, rows, exponential)
		case wide:
			logisticWeightedAVX512(g, h, s, l, &weights[at], rows, exponential)
		default:
			logisticWeightedAVX2(g, h, s, l, &weights[at], rows, exponential)
		}
	})
}

// splitVectors splits the first numbers of a block; it returns how many it has done.
func splitVectors(block []float64, upper, lower float64, parts *sumParts) int {
	n := whole(len(block), perCall)
	switch {
	case n == 0:
	case level == cpu.AVX512:
		splitAVX512(&block[0], uint64(n), upper, lower, (*[3][8]float64)(parts))
	default:
		splitAVX2(&block[0], uint64(n), upper, lower, (*[3][8]float64)(parts))
	}
	return n
}

// squaredVectors is Squared for the first rows; it returns how many it has done.
func squaredVectors(grad, hess []float32, scores, labels, weights []float64) int {
	n := len(scores)
	grad, hess, labels = grad[:n], hess[:n], labels[:n]
	if weights != nil {
		weights = weights[:n]
	}
	return calls(n, func(at int, rows uint64) {
		g, h, s, l := &grad[at], &hess[at], &scores[at], &labels[at]
		switch wide := level == cpu.AVX512; {
		case weights == nil && wide:
			squaredAVX512(g, h, s, l, rows)
		case weights == nil:
			squaredAVX2(g, h, s, l, rows)
		case wide:
			squaredWeightedAVX512(g, h, s, l, &weights[at], rows)
		default:
			squaredWeightedAVX2(g, h, s, l, &weights[at], rows)
		}
	})
}

// raiseVectors is raise for the first rows of a tile; it returns how many it has done.
func raiseVectors(peak, scores []float64) int {
	rows := whole(len(scores), tile)
	if rows == 0 {
		return 0
	}
	_ = peak[rows-1]
	if level == cpu.AVX512 {
		peakAVX512(&peak[0], &scores[0], uint64(rows))
	} else {
		peakAVX2(&peak[0], &scores[0], uint64(rows))
	}
	return rows
}

// addExpVectors is addExp for the first rows of a tile; it returns how many it has done.
func addExpVectors(sum, scores, peak []float64) int {
	rows := whole(len(scores), tile)
	if rows == 0 {
		return 0
	}
	_, _ = sum[rows-1], peak[rows-1]
	if level == cpu.AVX512 {
		expSumAVX512(&sum[0], &scores[0], &peak[0], uint64(rows), exponential)
	} else {
		expSumAVX2(&sum[0], &scores[0], &peak[0], uint64(rows), exponential)
	}
	return rows
}

// invertVectors is invert for the first rows of a tile; it returns how many it has done.
func invertVectors(x []float64) int {
	rows := whole(len(x), tile)
	if rows == 0 {
		return 0
	}
	if level == cpu.AVX512 {
		inverseAVX512(&x[0], uint64(rows))
	} else {
		inverseAVX2(&x[0], uint64(rows))
	}
	return rows
}

// classVectors is class for the first rows of a tile; it returns how many it has done.
func classVectors(grad, hess []float32, scores, peak, inv, labels, weights []float64, own, factor float64) int {
	rows := whole(len(scores), tile)
	if rows == 0 {
		return 0
	}
	_, _, _, _, _ = grad[rows-1], hess[rows-1], peak[rows-1], inv[rows-1], labels[rows-1]
	g, h, s, p, i, l, n := &grad[0], &hess[0], &scores[0], &peak[0], &inv[0], &labels[0], uint64(rows)
	switch wide := level == cpu.AVX512; {
	case weights == nil && wide:
		softmaxAVX512(g, h, s, p, i, l, n, own, factor, exponential)
	case weights == nil:
		softmaxAVX2(g, h, s, p, i, l, n, own, factor, exponential)
	case wide:
		_ = weights[rows-1]
		softmaxWeightedAVX512(g, h, s, p, i, l, &weights[0], n, own, factor, exponential)
	default:
		_ = weights[rows-1]
		softmaxWeightedAVX2(g, h, s, p, i, l, &weights[0], n, own, factor, exponential)
	}
	return rows
}
