package ptq_test

import (
	"encoding/hex"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"boost/ptq"
)

// bytesOf reads bytes in hexadecimal; spaces between them are for the eye.
func bytesOf(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func quantize(t testing.TB, d ptq.DType, c ptq.Calibration, values []float64) *ptq.Version {
	t.Helper()
	v, err := ptq.Quantize(d, c, values)
	if err != nil {
		t.Fatalf("%s, %s: %v", d, c, err)
	}
	return v
}

func valuesOf(v *ptq.Version) []float64 {
	values := make([]float64, v.Len())
	v.DecodeRange(values, 0)
	return values
}

func same(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			return false
		}
	}
	return true
}

// none is the calibration without a scale.
var none = ptq.Calibration{Method: ptq.None}

func given(scale float64) ptq.Calibration { return ptq.Calibration{Method: ptq.Given, Scale: scale} }

func groups(t testing.TB, ends, of []int) *ptq.Groups {
	t.Helper()
	g, err := ptq.NewGroups(ends, of)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func weights(t testing.TB, of ...float64) *ptq.Weights {
	t.Helper()
	w, err := ptq.NewWeights(of)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// distributions are what values may look like, by name.
var distributions = []struct {
	name string
	draw func(r *rand.Rand) float64
}{
	{"uniform", func(r *rand.Rand) float64 { return 2*r.Float64() - 1 }},
	{"normal", func(r *rand.Rand) float64 { return r.NormFloat64() }},
	{"heavy_tailed", func(r *rand.Rand) float64 { return r.NormFloat64() / math.Sqrt(r.ExpFloat64()) }},
	{"above_zero", func(r *rand.Rand) float64 { return 3 + r.Float64() }},
	{"mostly_zero", func(r *rand.Rand) float64 {
		if r.IntN(10) > 0 {
			return 0
		}
		return r.NormFloat64()
	}},
	{"few_values", func(r *rand.Rand) float64 { return []float64{-0.5, 0.1, 0.7}[r.IntN(3)] }},
	{"small", func(r *rand.Rand) float64 { return math.Ldexp(r.NormFloat64(), -20) }},
}

func draw(seed uint64, n int, from func(r *rand.Rand) float64) []float64 {
	r := rand.New(rand.NewPCG(seed, 0))
	values := make([]float64, n)
	for i := range values {
		values[i] = from(r)
	}
	return values
}
