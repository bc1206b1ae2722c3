package loss_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"boost/internal/kernel/loss"
)

// near compares float32 results with float64 expectations; the kernels are right to
// far more digits than a float32 has.
func near(t *testing.T, what string, got float32, want float64) {
	t.Helper()
	if math.Abs(float64(got)-want) > 6.1e-8*math.Abs(want)+1e-44 {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestSquared(t *testing.T) {
	grad, hess := make([]float32, 3), make([]float32, 3)
	scores, labels := []float64{1, -2, 0.5}, []float64{0.25, 1, 0.5}
	loss.Squared(grad, hess, scores, labels, nil)
	for i, want := range []float64{0.75, -3, 0} {
		near(t, "grad", grad[i], want)
		near(t, "hess", hess[i], 1)
	}
	loss.Squared(grad, hess, scores, labels, []float64{2, 0.5, 0})
	for i, want := range [][2]float64{{1.5, 2}, {-1.5, 0.5}, {0, 0}} {
		near(t, "weighted grad", grad[i], want[0])
		near(t, "weighted hess", hess[i], want[1])
	}
}

// Derivatives against package math, over the range of scores, for both labels.
func TestLogistic(t *testing.T) {
	scores := []float64{0, math.Copysign(0, -1), 1, -1, 30, -30, 80, -80, 700, -700, 800, -800, 1e300, -1e300}
	r := rand.New(rand.NewPCG(1, 2))
	for len(scores) < 1000 { // several tiles and a partial one
		scores = append(scores, r.NormFloat64()*4)
	}
	n := len(scores)
	labels, weights := make([]float64, n), make([]float64, n)
	grad, hess := make([]float32, n), make([]float32, n)
	for label := range 2 {
		for i := range n {
			labels[i], weights[i] = float64(label), float64(i%4)/2
		}
		for _, weighted := range []bool{false, true} {
			w := weights
			if !weighted {
				w = nil
			}
			loss.Logistic(grad, hess, scores, labels, w)
			for i, s := range scores {
				scale := 1.0
				if weighted {
					scale = weights[i]
				}
				want := 1 / (1 + math.Exp(-s))
				if label == 1 {
					want = -1 / (1 + math.Exp(s))
				}
				e := math.Exp(-math.Abs(s))
				near(t, "grad", grad[i], scale*want)
				near(t, "hess", hess[i], scale*e/((1+e)*(1+e)))
			}
		}
	}
}

// The gradient of a row that is nearly right keeps its digits: at score 20 and
// label 1 it is -1/(1+e^20) = -2.0611536181902037e-09 (Python's decimal, 50 digits).
func TestLogisticKeepsDigits(t *testing.T) {
	grad, hess := make([]float32, 1), make([]float32, 1)
	loss.Logistic(grad, hess, []float64{20}, []float64{1}, nil)
	near(t, "grad", grad[0], -2.0611536181902037e-09)
	near(t, "hess", hess[0], 2.0611536139418493e-09)
}

// A row's numbers must not depend on the range it came in.
func TestRangesAgree(t *testing.T) {
	const n, k = 777, 5
	r := rand.New(rand.NewPCG(3, 4))
	scores, labels, weights := make([]float64, n*k), make([]float64, n), make([]float64, n)
	for i := range scores {
		scores[i] = r.NormFloat64() * 3
	}
	for i := range labels {
		labels[i], weights[i] = float64(r.IntN(k)), r.Float64()
	}
	whole, parts := [2][]float32{make([]float32, n*k), make([]float32, n*k)}, [2][]float32{make([]float32, n*k), make([]float32, n*k)}
	values, pieces := make([]float64, n*k), make([]float64, n*k)
	loss.Softmax(whole[0], whole[1], scores, labels, weights, k, n, 0, n, 1.25)
	loss.SoftmaxValues(values, scores, k, n, 0, n)
	for lo := 0; lo < n; {
		hi := min(n, lo+1+r.IntN(300))
		loss.Softmax(parts[0], parts[1], scores, labels, weights, k, n, lo, hi, 1.25)
		loss.SoftmaxValues(pieces, scores, k, n, lo, hi)
		lo = hi
	}
	for i := range values {
		if whole[0][i] != parts[0][i] || whole[1][i] != parts[1][i] || values[i] != pieces[i] {
			t.Fatalf("entry %d: %v %v %v in one piece, %v %v %v in several", i,
				whole[0][i], whole[1][i], values[i], parts[0][i], parts[1][i], pieces[i])
		}
	}
	copy(pieces, scores)
	loss.SoftmaxValues(pieces, pieces, k, n, 0, n)
	for i := range values {
		if values[i] != pieces[i] {
			t.Fatalf("in place, entry %d is %v, want %v", i, pieces[i], values[i])
		}
	}
}

// Softmax against package math, LightGBM's hessian factor k/(k-1) included.
func TestSoftmax(t *testing.T) {
	const n, k = 300, 3
	r := rand.New(rand.NewPCG(5, 6))
	scores, labels, weights := make([]float64, n*k), make([]float64, n), make([]float64, n)
	for i := range n {
		labels[i], weights[i] = float64(r.IntN(k)), float64(r.IntN(3))
		for c := range k {
			scores[c*n+i] = r.NormFloat64() * 5
		}
	}
	scores[0], scores[n], scores[2*n] = 1000, -1000, 0 // beyond exp's range
	grad, hess, values := make([]float32, n*k), make([]float32, n*k), make([]float64, n*k)
	for _, w := range [][]float64{nil, weights} {
		loss.Softmax(grad, hess, scores, labels, w, k, n, 0, n, 1.5)
		loss.SoftmaxValues(values, scores, k, n, 0, n)
		for i := range n {
			sum := 0.0
			top := max(scores[i], scores[n+i], scores[2*n+i])
			for c := range k {
				sum += math.Exp(scores[c*n+i] - top)
			}
			scale := 1.0
			if w != nil {
				scale = w[i]
			}
			for c := range k {
				at := c*n + i
				p := math.Exp(scores[at]-top) / sum
				want := p
				if labels[i] == float64(c) {
					want -= 1
				}
				if math.Abs(float64(grad[at])-want*scale) > 1e-7*math.Abs(want*scale)+1e-11 {
					t.Fatalf("row %d class %d: grad %v, want %v", i, c, grad[at], want*scale)
				}
				if h := 1.5 * p * (1 - p) * scale; math.Abs(float64(hess[at])-h) > 1e-7*h+1e-11 {
					t.Fatalf("row %d class %d: hess %v, want %v", i, c, hess[at], h)
				}
				if math.Abs(values[at]-p) > 1e-15 {
					t.Fatalf("row %d class %d: value %v, want %v", i, c, values[at], p)
				}
			}
		}
	}
}

func TestLogLoss(t *testing.T) {
	for _, c := range [][2]float64{
		{1, 0}, {0.5, math.Ln2},
		{0, 34.538776394910684}, {-1, 34.538776394910684}, {1e-300, 34.538776394910684}, // 15·ln 10
	} {
		if got := loss.LogLoss(c[0]); math.Abs(got-c[1]) > 1e-15*c[1] {
			t.Errorf("LogLoss(%v) = %v, want %v", c[0], got, c[1])
		}
	}
	if got := loss.LogLoss(math.NaN()); !math.IsNaN(got) {
		t.Errorf("LogLoss(NaN) = %v", got)
	}
}

func TestNoAllocations(t *testing.T) {
	const n, k = 600, 3
	grad, hess := make([]float32, n*k), make([]float32, n*k)
	scores, labels := make([]float64, n*k), make([]float64, n)
	for name, f := range map[string]func(){
		"logistic":      func() { loss.Logistic(grad[:n], hess[:n], scores[:n], labels, nil) },
		"softmax":       func() { loss.Softmax(grad, hess, scores, labels, nil, k, n, 0, n, 1.5) },
		"softmaxValues": func() { loss.SoftmaxValues(scores, scores, k, n, 0, n) },
	} {
		if got := testing.AllocsPerRun(10, f); got != 0 {
			t.Errorf("%s allocates %v times", name, got)
		}
	}
}

func BenchmarkGradients(b *testing.B) {
	const n, k = 4096, 7
	r := rand.New(rand.NewPCG(1, 2))
	scores, labels, classes := make([]float64, n*k), make([]float64, n), make([]float64, n)
	grad, hess := make([]float32, n*k), make([]float32, n*k)
	for i := range scores {
		scores[i] = r.NormFloat64() * 3
	}
	for i := range labels {
		labels[i], classes[i] = float64(r.IntN(2)), float64(r.IntN(k))
	}
	for _, c := range []struct {
		name string
		rows float64
		f    func()
	}{
		{"loss=squared", n, func() { loss.Squared(grad[:n], hess[:n], scores[:n], labels, nil) }},
		{"loss=logistic", n, func() { loss.Logistic(grad[:n], hess[:n], scores[:n], labels, nil) }},
		{"loss=logistic/weights=yes", n, func() { loss.Logistic(grad[:n], hess[:n], scores[:n], labels, scores) }},
		{"loss=softmax/classes=7", n * k, func() { loss.Softmax(grad, hess, scores, classes, nil, k, n, 0, n, 7.0/6) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.f()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/c.rows, "ns/score")
		})
	}
}
