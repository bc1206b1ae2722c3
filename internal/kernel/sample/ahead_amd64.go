//go:build amd64 && !purego

package sample

import "boost/internal/cpu"

// level is the instruction set in use.
var level = cpu.Used()

// perCall bounds the rows of one call, to a tenth of a millisecond: assembly cannot be interrupted.
const perCall = 1 << 16

// ahead returns how many of n rows vectors do: of whole vectors of float64, or of so many times as many rows.
func ahead(n, times int) int {
	switch level {
	case cpu.AVX512:
		return n - n%(8*times)
	case cpu.AVX2:
		return n - n%(4*times)
	}
	return 0
}

// parts calls do with the rows of one call after the other.
func parts(all int, do func(at int, n uint64)) (done int) {
	for at := 0; at < all; at += perCall {
		do(at, uint64(min(all-at, perCall)))
	}
	return all
}

// The functions are called by name, not through a variable: what a variable calls may keep its arguments, which then cannot be on the stack.

func sumMagnitudesAhead(values []float32, up float64) (sum int64, done int) {
	done = parts(ahead(len(values), 1), func(at int, n uint64) {
		if level == cpu.AVX512 {
			sum += sumMagnitudesAVX512(&values[at], n, up)
		} else {
			sum += sumMagnitudesAVX2(&values[at], n, up)
		}
	})
	return sum, done
}

func sumBelowAhead(size []float32, cut uint32, up float64) (sum int64, below, done int) {
	done = parts(ahead(len(size), 2), func(at int, n uint64) {
		var part int64
		var these uint64
		if level == cpu.AVX512 {
			part, these = sumBelowAVX512(&size[at], n, cut, up)
		} else {
			part, these = sumBelowAVX2(&size[at], n, cut, up)
		}
		sum, below = sum+part, below+int(these)
	})
	return sum, below, done
}

func addSquaresAhead(to []float64, grad, hess []float32, ratio float64) (done int) {
	grad, hess = grad[:len(to)], hess[:len(to)]
	return parts(ahead(len(to), 1), func(at int, n uint64) {
		if level == cpu.AVX512 {
			addSquaresAVX512(&to[at], &grad[at], &hess[at], n, ratio)
		} else {
			addSquaresAVX2(&to[at], &grad[at], &hess[at], n, ratio)
		}
	})
}

func rootsAhead(size []float32, squares []float64) (most uint32, done int) {
	squares = squares[:len(size)]
	done = parts(ahead(len(size), 1), func(at int, n uint64) {
		if level == cpu.AVX512 {
			most = max(most, rootsAVX512(&size[at], &squares[at], n))
		} else {
			most = max(most, rootsAVX2(&size[at], &squares[at], n))
		}
	})
	return most, done
}

func keepAhead(kept []uint16, weights []float32, draws []uint64, size []float32, first int, mu, step float64) (n, done int) {
	kept, weights, draws = kept[:len(size)], weights[:len(size)], draws[:len(size)]
	done = parts(ahead(len(size), 2), func(at int, rows uint64) {
		if level == cpu.AVX512 {
			n += int(keepAVX512(&kept[n], &weights[at], &draws[at], &size[at], rows, uint32(first+at), mu, step))
		} else {
			n += int(keepAVX2(&kept[n], &weights[at], &draws[at], &size[at], rows, uint32(first+at), mu, step))
		}
	})
	return n, done
}

func scaleAhead(values, by []float32) (done int) {
	by = by[:len(values)]
	return parts(ahead(len(values), 2), func(at int, n uint64) {
		if level == cpu.AVX512 {
			scaleAVX512(&values[at], &by[at], n)
		} else {
			scaleAVX2(&values[at], &by[at], n)
		}
	})
}
