//go:build !amd64 || purego

package scan

// packedVectors are not to be had: packed sums are taken apart.
type packedVectors struct{ ready bool }

// Packs reports whether this processor has the vectors for packed sums.
func Packs() bool { return false }

// PackedForm returns the number of the form of the vectors: 0 for none.
func PackedForm() int { return 0 }

func (*packedVectors) node(*Rule, Sums[int64, uint64]) bool { return false }

func (*packedVectors) bounds([]float32, []uint64, []Span, []int) {}

func (*packedVectors) flags([]float64, []uint64, []uint32) {}

func (*packedVectors) find(*packedBest, []uint64, uint64, bool, float64) {}

func (*packedVectors) shares([]float64, []uint64, []Span, []int) {}
