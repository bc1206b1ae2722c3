package loss_test

import (
	"math/rand/v2"
	"testing"

	"boost/internal/detmath"
	"boost/internal/kernel/loss"
	"boost/internal/testenv"
)

// fenced copies numbers to where no memory may be touched before or after them: they
// begin at a page's first byte or end with its last one.
func fenced[T float32 | float64](t *testing.T, numbers []T, ends bool) []T {
	t.Helper()
	kept := testenv.FencedFirst[T](t, len(numbers))
	if ends {
		kept = testenv.FencedLast[T](t, len(numbers))
	}
	copy(kept, numbers)
	return kept
}

// A read or a write past either end of a slice kills the test.
func TestStaysInItsSlices(t *testing.T) {
	everyLevel(t, testStays)
}

func testStays(t *testing.T, _ func(vectors bool)) {
	r := rand.New(rand.NewPCG(13, 0))
	const k = 3
	for _, n := range []int{1, 3, 4, 7, 8, 9, 16, 31, 63, 64, 512, 513} {
		for _, ends := range []bool{false, true} {
			s, l, w := rowsOf(r, n, k, false)
			scores, labels, weights := fenced(t, s, ends), fenced(t, l, ends), fenced(t, w, ends)
			grad, hess := fenced(t, make([]float32, n*k), ends), fenced(t, make([]float32, n*k), ends)
			for _, own := range [][]float64{nil, weights} {
				loss.Softmax(grad, hess, scores, labels, own, k, n, 0, n, 1.5)
			}
			loss.SoftmaxValues(scores, scores, k, n, 0, n)
			for i := range labels {
				labels[i] = float64(i & 1)
			}
			scores, grad, hess = fenced(t, s[:n], ends), fenced(t, make([]float32, n), ends), fenced(t, make([]float32, n), ends)
			for _, own := range [][]float64{nil, weights} {
				loss.Logistic(grad, hess, scores, labels, own)
				loss.Squared(grad, hess, scores, labels, own)
				loss.Tweedie(grad, hess, scores, labels, own, 1.5)
				loss.LogCosh(grad, hess, scores, labels, own)
				loss.Focal(grad, hess, scores, labels, own, 2)
			}
			to := fenced(t, make([]float64, n), ends)
			loss.Exp(to, scores)
			loss.Log(to, scores)
			loss.AddUp(new(detmath.Sum), scores)
			new(loss.Ranking).Of(scores)
		}
	}
}
