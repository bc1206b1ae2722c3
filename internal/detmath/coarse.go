package detmath

import "math"

// CoarseParts returns what ExpCoarse computes with, for forms of it in assembly, which do
// its operations in its order: the nodes' bits, then as bits of float64 the reciprocal of
// the nodes' distance, that distance, what rounds to whole numbers, 1/2 and 1/6.
func CoarseParts() *[expSize + 5]uint64 {
	var parts [expSize + 5]uint64
	for i := range expNodes {
		parts[i] = expNodes[i].bits
	}
	for i, f := range []float64{stepInv, step, shift, 0.5, 1.0 / 6} {
		parts[expSize+i] = math.Float64bits(f)
	}
	return &parts
}
