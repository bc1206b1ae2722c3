//go:build amd64 && !purego

package loss

import "boost/internal/cpu"

// sidesVectors is sides for the first rows; it returns how many it has done.
func sidesVectors(grad, hess []float32, scores, labels []float64, over, under, none float64) int {
	return calls(len(scores), func(at int, n uint64) {
		if level == cpu.AVX512 {
			sidesAVX512(&grad[at], &hess[at], &scores[at], &labels[at], n, over, under, none)
		} else {
			sidesAVX2(&grad[at], &hess[at], &scores[at], &labels[at], n, over, under, none)
		}
	})
}

// relativeVectors is Relative without weights for the first rows; it returns how many it has done.
func relativeVectors(grad, hess []float32, scores, labels []float64) int {
	return calls(len(scores), func(at int, n uint64) {
		if level == cpu.AVX512 {
			relativeAVX512(&grad[at], &hess[at], &scores[at], &labels[at], n)
		} else {
			relativeAVX2(&grad[at], &hess[at], &scores[at], &labels[at], n)
		}
	})
}

// weighVectors is Weigh for the first rows; it returns how many it has done.
func weighVectors(grad, hess []float32, weights []float64) int {
	return calls(len(weights), func(at int, n uint64) {
		if level == cpu.AVX512 {
			weighAVX512(&grad[at], &hess[at], &weights[at], n)
		} else {
			weighAVX2(&grad[at], &hess[at], &weights[at], n)
		}
	})
}

// tweedieVectors is Tweedie without weights for the first rows; it returns how many it has done.
func tweedieVectors(grad, hess []float32, scores, labels []float64, power float64) int {
	return calls(len(scores), func(at int, n uint64) {
		if level == cpu.AVX512 {
			tweedieAVX512(&grad[at], &hess[at], &scores[at], &labels[at], n, 1-power, 2-power, power-1, exponential)
		} else {
			tweedieAVX2(&grad[at], &hess[at], &scores[at], &labels[at], n, 1-power, 2-power, power-1, exponential)
		}
	})
}

// logCoshVectors is LogCosh without weights for the first rows; it returns how many it has done.
func logCoshVectors(grad, hess []float32, scores, labels []float64) int {
	return calls(len(scores), func(at int, n uint64) {
		if level == cpu.AVX512 {
			logCoshAVX512(&grad[at], &hess[at], &scores[at], &labels[at], n, exponential)
		} else {
			logCoshAVX2(&grad[at], &hess[at], &scores[at], &labels[at], n, exponential)
		}
	})
}
