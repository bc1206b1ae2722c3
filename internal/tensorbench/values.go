package tensorbench

import (
	"math"
	"math/rand/v2"
)

// draws are the kinds of values that errors are looked for in.
var draws = []func(r *rand.Rand) float64{
	func(r *rand.Rand) float64 { return 2*r.Float64() - 1 },
	func(r *rand.Rand) float64 { return r.NormFloat64() },
	heavyTailed,
	// Halves between two codes, from which nothing can be farther.
	func(r *rand.Rand) float64 { return float64(r.IntN(255)-127) / 2 },
}

// heavyTailed is Student's t with 2 degrees of freedom.
func heavyTailed(r *rand.Rand) float64 { return r.NormFloat64() / math.Sqrt(r.ExpFloat64()) }

func drawn(seed uint64, n int, draw func(r *rand.Rand) float64) []float32 {
	r := rand.New(rand.NewPCG(seed, 5))
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(draw(r))
	}
	return values
}

// codes returns signed codes of a width, each of them in turn.
func codes(n, bits int) []int8 {
	most := 1<<(bits-1) - 1
	out := make([]int8, n)
	for i := range out {
		out[i] = int8(i*5%(2*most+1) - most)
	}
	return out
}
