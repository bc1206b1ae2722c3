package loss

import "boost/internal/detmath"

// Exp writes detmath.Exp of each number, with its bits. The slices have one length and do not overlap.
func Exp(to, from []float64) {
	to = to[:len(from)]
	done := expVectors(to, from)
	for i, x := range from[done:] {
		to[done+i] = detmath.Exp(x)
	}
}

// Log writes detmath.Log of each number, with its bits. The slices have one length and do not overlap.
func Log(to, from []float64) {
	to = to[:len(from)]
	done := logVectors(to, from)
	for i, x := range from[done:] {
		to[done+i] = detmath.Log(x)
	}
}
