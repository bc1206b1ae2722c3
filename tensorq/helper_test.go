package tensorq_test

import (
	"encoding/hex"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// bytesOf reads bytes in hexadecimal; spaces and bars between them are for the eye.
func bytesOf(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.NewReplacer(" ", "", "|", "").Replace(text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func sameFloats(a, b []float32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			return false
		}
	}
	return true
}

// distributions are what tensors may look like, by name.
var distributions = []struct {
	name string
	draw func(r *rand.Rand) float64
}{
	{"uniform", func(r *rand.Rand) float64 { return 2*r.Float64() - 1 }},
	{"normal", func(r *rand.Rand) float64 { return r.NormFloat64() }},
	{"heavy_tailed", heavyTailed},
	{"log_normal", func(r *rand.Rand) float64 { return math.Exp(2 * r.NormFloat64()) }},
	{"mostly_zero", func(r *rand.Rand) float64 {
		if r.IntN(10) > 0 {
			return 0
		}
		return r.NormFloat64()
	}},
	{"any_magnitude", func(r *rand.Rand) float64 { return math.Ldexp(2*r.Float64()-1, r.IntN(250)-125) }},
	{"subnormal", func(r *rand.Rand) float64 { return math.Ldexp(math.Round(r.NormFloat64()*300), -149) }},
}

// heavyTailed is Student's t with 2 degrees of freedom: its variance is infinite.
func heavyTailed(r *rand.Rand) float64 { return r.NormFloat64() / math.Sqrt(r.ExpFloat64()) }

func tensor(seed uint64, n int, draw func(r *rand.Rand) float64) []float32 {
	r := rand.New(rand.NewPCG(seed, 0))
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(draw(r))
	}
	return values
}
