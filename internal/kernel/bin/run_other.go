//go:build !amd64 || purego

package bin

// run writes codes as wide as the depth asks for.
func run[K Code, V Float](dst []K, values []V, p *pivots) { descend(dst, values, p) }
