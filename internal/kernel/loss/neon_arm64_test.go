//go:build !purego

package loss_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"boost/internal/kernel/loss"
	"boost/internal/paired"
)

// The vectors of arm64 give the bits of the Go forms, for every length and offset.
func TestNEONGivesGoBits(t *testing.T) {
	t.Cleanup(loss.UseBest)
	testGoBits(t, loss.UseNEON)
}

func TestSoftmaxNEONGivesGoBits(t *testing.T) {
	t.Cleanup(loss.UseBest)
	testSoftmaxGoBits(t, loss.UseNEON)
}

// BenchmarkNEON takes turns with the Go forms.
//
// Bound: a row of the log loss is 20 instructions with half a division of two numbers, a score of softmax two
// exponentials of 12 and 10 more. Squared moves 24 bytes a row.
func BenchmarkNEON(b *testing.B) {
	b.Cleanup(loss.UseBest)
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
	for name, pass := range map[string]func(){
		"squared":  func() { loss.Squared(grad[:n], hess[:n], scores[:n], labels, nil) },
		"logistic": func() { loss.Logistic(grad[:n], hess[:n], scores[:n], labels, nil) },
		"softmax":  func() { loss.Softmax(grad, hess, scores, classes, nil, k, n, 0, n, 7.0/6) },
	} {
		b.Run("loss="+name, func(b *testing.B) {
			side := func(with bool) func() {
				return func() {
					loss.UseNEON(with)
					pass()
				}
			}
			var took []time.Duration
			for b.Loop() {
				took = paired.Times(time.Second, side(false), side(true))
			}
			b.ReportMetric(float64(took[0])/float64(took[1]), "x_go")
		})
	}
}
