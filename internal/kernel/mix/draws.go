package mix

import "boost/internal/rng"

// Draws writes rng.Draw of the rows from first on.
func Draws(to []uint64, key uint64, first int) {
	done := drawsAhead(to, rng.From(key, uint64(first+1)))
	for i := done; i < len(to); i++ {
		to[i] = rng.Draw(key, uint64(first+i))
	}
}
