package parallel

// Blocks returns how many blocks of size cover n items: ⌈n/size⌉.
func Blocks(n, size int) int { return (n + size - 1) / size }

// Block returns the half-open range of block i of n items cut into blocks of size.
// The cut depends on n and size only, never on the number of threads.
func Block(i, n, size int) (lo, hi int) {
	lo = i * size
	return lo, min(lo+size, n)
}
