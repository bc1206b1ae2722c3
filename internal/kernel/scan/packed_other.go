//go:build !amd64 || purego

package scan

// packedVectors are not to be had: packed sums are taken apart.
type packedVectors struct{ ready bool }

func (*packedVectors) node(*Rule, Sums[int64, uint64]) {}

func (*packedVectors) least() uint64 { return 0 }

func (*packedVectors) find(*packedBest, []uint64, uint64, float64) {}
