//go:build arm64 && !purego

package loss

import (
	"boost/internal/cpu"
	"boost/internal/detmath"
)

// neon reports whether the vectors are in use.
var neon = cpu.NEON()

// exponential is what the assembly computes e^x with.
var exponential = detmath.CoarseParts()

// perCall bounds the rows of one call: assembly cannot be interrupted.
const perCall = 1 << 17

// In what follows n is a multiple of 4 above 0.

// squaredNEON writes the derivatives of half the squared error of n rows, squaredWeightedNEON times
// the weights.
//
//go:noescape
func squaredNEON(grad, hess *float32, scores, labels *float64, n uint64)

//go:noescape
func squaredWeightedNEON(grad, hess *float32, scores, labels, weights *float64, n uint64)

// logisticNEON writes the derivatives of the log loss of n rows, logisticWeightedNEON times the
// weights.
//
//go:noescape
func logisticNEON(grad, hess *float32, scores, labels *float64, n uint64, exp *[133]uint64)

//go:noescape
func logisticWeightedNEON(grad, hess *float32, scores, labels, weights *float64, n uint64, exp *[133]uint64)

// peakNEON raises n peaks to their scores.
//
//go:noescape
func peakNEON(peak, scores *float64, n uint64)

// expSumNEON adds e^(score-peak) to the sums of n rows.
//
//go:noescape
func expSumNEON(sum, scores, peak *float64, n uint64, exp *[133]uint64)

// inverseNEON puts 1/x in the place of each of n numbers.
//
//go:noescape
func inverseNEON(x *float64, n uint64)

// softmaxNEON writes the derivatives of the multiclass log loss by the scores of one class,
// softmaxWeightedNEON times the weights.
//
//go:noescape
func softmaxNEON(grad, hess *float32, scores, peak, inv, labels *float64, n uint64, class, factor float64, exp *[133]uint64)

//go:noescape
func softmaxWeightedNEON(grad, hess *float32, scores, peak, inv, labels, weights *float64, n uint64, class, factor float64, exp *[133]uint64)

// whole returns how many of n rows, not above most, are done by vectors.
func whole(n, most int) int {
	if !neon {
		return 0
	}
	return min(n, most) &^ 3
}

// squaredVectors is Squared for the first rows; it returns how many it has done.
func squaredVectors(grad, hess []float32, scores, labels, weights []float64) int {
	n := len(scores)
	grad, hess, labels = grad[:n], hess[:n], labels[:n]
	if weights != nil {
		weights = weights[:n]
	}
	for done := 0; ; {
		rows := whole(n-done, perCall)
		if rows == 0 {
			return done
		}
		g, h, s, l := &grad[done], &hess[done], &scores[done], &labels[done]
		if weights == nil {
			squaredNEON(g, h, s, l, uint64(rows))
		} else {
			squaredWeightedNEON(g, h, s, l, &weights[done], uint64(rows))
		}
		done += rows
	}
}

// logisticVectors is Logistic for the first rows; it returns how many it has done.
func logisticVectors(grad, hess []float32, scores, labels, weights []float64) int {
	n := len(scores)
	grad, hess, labels = grad[:n], hess[:n], labels[:n]
	if weights != nil {
		weights = weights[:n]
	}
	for done := 0; ; {
		rows := whole(n-done, perCall)
		if rows == 0 {
			return done
		}
		g, h, s, l := &grad[done], &hess[done], &scores[done], &labels[done]
		if weights == nil {
			logisticNEON(g, h, s, l, uint64(rows), exponential)
		} else {
			logisticWeightedNEON(g, h, s, l, &weights[done], uint64(rows), exponential)
		}
		done += rows
	}
}

// raiseVectors is raise for the first rows of a tile; it returns how many it has done.
func raiseVectors(peak, scores []float64) int {
	rows := whole(len(scores), tile)
	if rows > 0 {
		_ = peak[rows-1]
		peakNEON(&peak[0], &scores[0], uint64(rows))
	}
	return rows
}

// addExpVectors is addExp for the first rows of a tile; it returns how many it has done.
func addExpVectors(sum, scores, peak []float64) int {
	rows := whole(len(scores), tile)
	if rows > 0 {
		_, _ = sum[rows-1], peak[rows-1]
		expSumNEON(&sum[0], &scores[0], &peak[0], uint64(rows), exponential)
	}
	return rows
}

// invertVectors is invert for the first rows of a tile; it returns how many it has done.
func invertVectors(x []float64) int {
	rows := whole(len(x), tile)
	if rows > 0 {
		inverseNEON(&x[0], uint64(rows))
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
	if weights == nil {
		softmaxNEON(g, h, s, p, i, l, n, own, factor, exponential)
		return rows
	}
	_ = weights[rows-1]
	softmaxWeightedNEON(g, h, s, p, i, l, &weights[0], n, own, factor, exponential)
	return rows
}

func splitVectors([]float64, float64, float64, *sumParts) int { return 0 }
