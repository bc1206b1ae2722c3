package loss_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"boost/internal/cpu"
	"boost/internal/detmath"
	"boost/internal/kernel/loss"
	"boost/internal/testenv"
)

// everyLevel runs a test under each instruction set with vectors; use turns them on and off.
func everyLevel(t *testing.T, test func(t *testing.T, use func(vectors bool))) {
	t.Cleanup(loss.UseBest)
	for _, l := range []cpu.Level{cpu.AVX2, cpu.AVX512} {
		t.Run(l.String(), func(t *testing.T) {
			testenv.Vectors(t, l)
			use := func(vectors bool) {
				if vectors {
					loss.Use(l)
				} else {
					loss.Use(cpu.Generic)
				}
			}
			use(true)
			test(t, use)
		})
	}
}

// hard are numbers at whose like a form that only nearly agrees would show: zeros,
// denormal and huge numbers, infinities, both sides of the exponential's limit and of the
// borders between its nodes.
func hard(r *rand.Rand) []float64 {
	numbers := []float64{
		0, 5e-324, 1e-310, 0x1p-1022, 1e-30, 1, 36.7, 103.9, 104, 707.9, 708, math.Nextafter(708, 0),
		math.Nextafter(708, 800), 709, 1e4, 1e300, math.MaxFloat64, math.Inf(1),
	}
	for range 40 {
		border := (float64(r.IntN(120000)) + 0.5) * math.Ln2 / 128
		numbers = append(numbers, border, math.Nextafter(border, 0))
	}
	for _, x := range numbers {
		numbers = append(numbers, -x)
	}
	return numbers
}

// rowsOf makes n rows: labels below k, weights that are hard now and then, scores that
// are hard numbers or, in most rows, small ones. Infinite scores are only made where
// they are allowed.
func rowsOf(r *rand.Rand, n, k int, infinite bool) (scores, labels, weights []float64) {
	difficult := hard(r)
	labels, weights = make([]float64, n), make([]float64, n)
	for i := range n {
		labels[i], weights[i] = float64(r.IntN(k)), r.Float64()*3
		if r.IntN(5) == 0 {
			weights[i] = []float64{0, 5e-324, 1e-300, 1e-40, 1e-45, 1, 1e30, 1e308}[r.IntN(8)]
		}
	}
	scores = make([]float64, n*k)
	for i := range scores {
		scores[i] = r.NormFloat64() * 4
		if r.IntN(3) == 0 {
			if x := difficult[r.IntN(len(difficult))]; infinite || !math.IsInf(x, 0) {
				scores[i] = x
			}
		}
	}
	return scores, labels, weights
}

// outputs are slices that a kernel writes, with numbers around them that it must leave.
type outputs struct{ grad, hess []float32 }

func newOutputs(n int) outputs {
	o := outputs{make([]float32, n), make([]float32, n)}
	for i := range n {
		o.grad[i], o.hess[i] = -77, -78
	}
	return o
}

// sameBits compares by bits, so that -0 is not 0; NaNs are equal.
func sameBits(t *testing.T, what string, got, want outputs) {
	t.Helper()
	for i := range want.grad {
		for _, c := range [][2]float32{{got.grad[i], want.grad[i]}, {got.hess[i], want.hess[i]}} {
			if math.Float32bits(c[0]) != math.Float32bits(c[1]) && (c[0] == c[0] || c[1] == c[1]) {
				t.Fatalf("%s, entry %d: grad %x, hess %x; in Go grad %x, hess %x",
					what, i, got.grad[i], got.hess[i], want.grad[i], want.hess[i])
			}
		}
	}
}

// lengths are the numbers of rows tried: every one up to several vectors, tiles with
// what is over, and one that takes more than one call.
func lengths() []int {
	var n []int
	for i := range 71 {
		n = append(n, i)
	}
	return append(n, 255, 256, 257, 1000, 1<<17+13)
}

// Vectors give the bits of the Go forms, for every length and offset.
func TestVectorsGiveGoBits(t *testing.T) {
	everyLevel(t, testGoBits)
}

func testGoBits(t *testing.T, use func(vectors bool)) {
	kernels := []struct {
		name     string
		infinite bool
		run      func(grad, hess []float32, scores, labels, weights []float64)
	}{
		{"logistic", true, loss.Logistic},
		{"squared", true, loss.Squared},
		{"log cosh", false, loss.LogCosh},
		{"gamma", true, loss.Gamma},
		{"poisson", true, func(grad, hess []float32, scores, labels, weights []float64) {
			loss.Poisson(grad, hess, scores, labels, weights, 2)
		}},
		{"tweedie", true, func(grad, hess []float32, scores, labels, weights []float64) {
			loss.Tweedie(grad, hess, scores, labels, weights, 1.3)
		}},
		{"absolute", true, loss.Absolute},
		{"relative", true, loss.Relative},
		{"relative to scores", false, func(grad, hess []float32, scores, labels, weights []float64) {
			loss.Relative(grad, hess, labels[:len(scores)], scores, weights)
		}},
		{"pinball", true, func(grad, hess []float32, scores, labels, weights []float64) {
			loss.Pinball(grad, hess, scores, labels, weights, 0.3)
		}},
		{"huber", true, func(grad, hess []float32, scores, labels, weights []float64) {
			loss.Huber(grad, hess, scores, labels, weights, 0.7)
		}},
		{"focal", true, func(grad, hess []float32, scores, labels, weights []float64) {
			loss.Focal(grad, hess, scores, labels, weights, 2)
		}},
	}
	r := rand.New(rand.NewPCG(11, 0))
	for _, n := range lengths() {
		for _, k := range kernels {
			for offset := range 3 {
				scores, labels, weights := rowsOf(r, n+offset, 2, k.infinite)
				for _, w := range [][]float64{nil, weights} {
					results := [2]outputs{newOutputs(n + 2*offset), newOutputs(n + 2*offset)}
					for i, vectors := range []bool{false, true} {
						use(vectors)
						own := w
						if w != nil {
							own = w[offset:]
						}
						o := results[i]
						// With one offset for the outputs and another for the inputs.
						k.run(o.grad[offset:offset+n], o.hess[offset:offset+n], scores[offset:offset+n], labels[offset:], own)
					}
					sameBits(t, fmt.Sprintf("%s, %d rows from %d, weights %v", k.name, n, offset, w != nil), results[1], results[0])
				}
			}
		}
	}
}

func TestSoftmaxVectorsGiveGoBits(t *testing.T) {
	everyLevel(t, testSoftmaxGoBits)
}

func testSoftmaxGoBits(t *testing.T, use func(vectors bool)) {
	r := rand.New(rand.NewPCG(12, 0))
	for _, n := range lengths() {
		for _, k := range []int{2, 3, 5} {
			if n > 1000 && k > 2 {
				continue
			}
			scores, labels, weights := rowsOf(r, n, k, false)
			lo := r.IntN(min(n, 9) + 1)
			hi := n - r.IntN(min(n-lo, 9)+1)
			for _, w := range [][]float64{nil, weights} {
				results := [2]outputs{newOutputs(n * k), newOutputs(n * k)}
				values := [2][]float64{make([]float64, n*k), make([]float64, n*k)}
				for i, vectors := range []bool{false, true} {
					use(vectors)
					loss.Softmax(results[i].grad, results[i].hess, scores, labels, w, k, n, lo, hi, float64(k)/float64(k-1))
					loss.SoftmaxValues(values[i], scores, k, n, lo, hi)
				}
				what := fmt.Sprintf("%d classes, rows %d to %d of %d, weights %v", k, lo, hi, n, w != nil)
				sameBits(t, what, results[1], results[0])
				for i := range values[0] {
					if math.Float64bits(values[0][i]) != math.Float64bits(values[1][i]) {
						t.Fatalf("%s, entry %d: value %x, in Go %x", what, i, values[1][i], values[0][i])
					}
				}
			}
		}
	}
}

// Exp and Log give the bits of detmath's functions, also at the ends of their ranges.
func TestExactVectors(t *testing.T) {
	everyLevel(t, func(t *testing.T, use func(vectors bool)) {
		r := rand.New(rand.NewPCG(14, 0))
		ends := append(hard(r), math.NaN(), math.Inf(1), math.Inf(-1), 0x1p-1022, math.Nextafter(0x1p-1022, 0), 0.6875, 1.375, math.Nextafter(1, 0))
		for _, n := range lengths() {
			for _, special := range []int{0, 7} {
				from := make([]float64, n)
				for i := range from {
					from[i] = math.Exp(r.NormFloat64() * 3)
					if r.IntN(2) == 0 {
						from[i] = 0.6875 + r.Float64()
					}
					if special > 0 && r.IntN(special) == 0 {
						from[i] = ends[r.IntN(len(ends))]
					}
				}
				got := make([]float64, n)
				for name, f := range map[string]struct {
					vectors func(to, from []float64)
					one     func(float64) float64
				}{"exp": {loss.Exp, detmath.Exp}, "log": {loss.Log, detmath.Log}} {
					use(true)
					f.vectors(got, from)
					for i, x := range from {
						if want := f.one(x); math.Float64bits(got[i]) != math.Float64bits(want) && (want == want || got[i] == got[i]) {
							t.Fatalf("%s(%v) of %d numbers is %x, want %x", name, x, n, got[i], want)
						}
					}
				}
			}
		}
	})
}
