// Package scores starts raw scores of rows and adds them up, by blocks on a pool.
//
// In: raw scores, output-major. Out: the same. It must not know trees.
package scores

import "boost/parallel"

// block is the number of scores of one piece of work: 1 MiB, from which on copying goes
// past the caches and takes 0.6 of the time.
const block = 1 << 17

// Start sets the raw scores of rows before the first round: their init scores, or, where these are nil,
// the base score of each output.
func Start(scores, initial, base []float64) {
	if initial != nil {
		copy(scores, initial)
		return
	}
	n := len(scores) / len(base)
	for k, b := range base {
		for i := range n {
			scores[k*n+i] = b
		}
	}
}

// Copy copies scores of the same length.
func Copy(pool *parallel.Pool, to, from []float64) {
	pool.Do(parallel.Blocks(len(from), block), parallel.Func(func(_, piece int) {
		lo, hi := parallel.Block(piece, len(from), block)
		copy(to[lo:hi], from[lo:hi])
	}))
}

// Add adds others to scores, times a factor.
func Add(pool *parallel.Pool, scores, others []float64, factor float64) {
	pool.Do(parallel.Blocks(len(scores), block), parallel.Func(func(_, piece int) {
		lo, hi := parallel.Block(piece, len(scores), block)
		for i, v := range others[lo:hi] {
			scores[lo+i] += float64(v * factor)
		}
	}))
}

// AddMean adds sums over rounds to scores, divided by the number of rounds.
func AddMean(pool *parallel.Pool, scores, sums []float64, rounds int) {
	pool.Do(parallel.Blocks(len(scores), block), parallel.Func(func(_, piece int) {
		lo, hi := parallel.Block(piece, len(scores), block)
		for i, sum := range sums[lo:hi] {
			scores[lo+i] += sum / float64(rounds)
		}
	}))
}
