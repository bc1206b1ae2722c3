package binning

import "boost/binning/internal/rowsample"

// Sample chooses the rows that cuts are taken from while a table passes by in
// pieces: of all rows it has seen, those with the smallest hash(seed, row), among
// equal hashes the lower rows (docs/architecture.md, Numerics 7).
type Sample = rowsample.Sample

// NewSample starts the choice of size rows, at least 1, under the seed of Fit.
func NewSample(size int, seed uint64) *Sample { return rowsample.New(size, seed) }
