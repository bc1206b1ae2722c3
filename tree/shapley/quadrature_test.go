package shapley

import (
	"math"
	"testing"
)

// The integral of t^k from 0 to 1 is 1/(k+1), for all k below twice the number of nodes.
func TestQuadrature(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 8, 20, 64, 200} {
		q := newQuadrature(n)
		for k := range 2 * n {
			sum := 0.0
			for i, node := range q.nodes {
				sum += q.weights[i] * math.Pow(node, float64(k))
			}
			if want := 1 / float64(k+1); math.Abs(sum/want-1) > 1e-12 {
				t.Errorf("%d nodes: t^%d integrates to %v, want %v", n, k, sum, want)
			}
		}
	}
}
