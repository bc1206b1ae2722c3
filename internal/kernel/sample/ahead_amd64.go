//go:build amd64 && !purego

package sample

import "boost/internal/cpu"

// level is the instruction set in use.
var level = cpu.Used()

// perCall bounds the rows of one call, to a tenth of a millisecond: assembly cannot be interrupted.
const perCall = 1 << 16

// ahead returns how many of n rows the vectors do, a multiple of lanes.
func ahead(n, lanes int) int {
	if level != cpu.AVX512 {
		return 0
	}
	return n - n%lanes
}

// parts calls do with the rows of one call after the other.
func parts(all int, do func(at, n int)) (done int) {
	for at := 0; at < all; at += perCall {
		do(at, min(all-at, perCall))
	}
	return all
}

func largestAhead(values []float32) (most uint32, done int) {
	done = parts(ahead(len(values), 16), func(at, n int) { most = max(most, largestAVX512(&values[at], uint64(n))) })
	return most, done
}

func sumMagnitudesAhead(values []float32, up float64) (sum int64, done int) {
	done = parts(ahead(len(values), 8), func(at, n int) { sum += sumMagnitudesAVX512(&values[at], uint64(n), up) })
	return sum, done
}

func sumBelowAhead(size []float32, cut uint32, up float64) (sum int64, below, done int) {
	done = parts(ahead(len(size), 16), func(at, n int) {
		part, these := sumBelowAVX512(&size[at], uint64(n), cut, up)
		sum, below = sum+part, below+int(these)
	})
	return sum, below, done
}

func addSquaresAhead(to []float64, grad, hess []float32, ratio float64) (done int) {
	grad, hess = grad[:len(to)], hess[:len(to)]
	return parts(ahead(len(to), 8), func(at, n int) { addSquaresAVX512(&to[at], &grad[at], &hess[at], uint64(n), ratio) })
}

func rootsAhead(size []float32, squares []float64) (most uint32, done int) {
	squares = squares[:len(size)]
	done = parts(ahead(len(size), 8), func(at, n int) { most = max(most, rootsAVX512(&size[at], &squares[at], uint64(n))) })
	return most, done
}

func keepAhead(kept []uint16, weights []float32, draws []uint64, size []float32, first int, mu, step float64) (kepts, done int) {
	kept, weights, draws = kept[:len(size)], weights[:len(size)], draws[:len(size)]
	done = parts(ahead(len(size), 16), func(at, n int) {
		kepts += int(keepAVX512(&kept[kepts], &weights[at], &draws[at], &size[at], uint64(n), uint32(first+at), mu, step))
	})
	return kepts, done
}

func scaleAhead(values, by []float32) (done int) {
	by = by[:len(values)]
	return parts(ahead(len(values), 16), func(at, n int) { scaleAVX512(&values[at], &by[at], uint64(n)) })
}
