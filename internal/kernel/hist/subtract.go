package hist

// Subtract subtracts what from the first entries of from.
func Subtract[T int64 | uint64](from, what []T) {
	from = from[:len(what)]
	done := subtractVectors(from, what)
	from, what = from[done:], what[done:]
	from = from[:len(what)]
	for i, w := range what {
		from[i] -= w
	}
}

// JoinLess sets words to the packed differences of the sums in two arrays and other packed sums. Only the differences have
// to fit a word, which is computed modulo 2⁶⁴. words may be the memory of grad.
//
// It and SplitLess serve nodes near the root, below a parent that has too many rows for packed sums.
//
// Bound: 32 bytes read and written a slot, and eight instructions.
func JoinLess(words []uint64, grad []int64, hess, less []uint64) {
	grad, hess, less = grad[:len(words)], hess[:len(words)], less[:len(words)]
	for i, w := range less {
		words[i] = Join(grad[i], hess[i]) - w
	}
}

// SplitLess subtracts packed sums from those of two arrays.
//
// Bound: 40 bytes read and written a slot, and nine instructions.
func SplitLess(grad []int64, hess, less []uint64) {
	grad, hess = grad[:len(less)], hess[:len(less)]
	for i, w := range less {
		g, h := SplitWord(w)
		grad[i] -= g
		hess[i] -= h
	}
}
