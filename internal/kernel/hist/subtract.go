package hist

// Subtract subtracts the sums of what from those of from, which are as many, or more.
func Subtract[T int64 | uint64](from, what []T) {
	from = from[:len(what)]
	done := subtractVectors(from, what)
	from, what = from[done:], what[done:]
	from = from[:len(what)]
	for i, w := range what {
		from[i] -= w
	}
}
