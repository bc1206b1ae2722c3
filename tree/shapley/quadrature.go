package shapley

import (
	"math"

	"boost/internal/detmath"
)

// quadrature are the nodes and weights of Gauss and Legendre between 0 and 1: the weighted sum of what a polynomial of a degree
// below twice their number is at the nodes is its integral.
type quadrature struct{ nodes, weights []float64 }

// newQuadrature finds the nodes as the roots of the Legendre polynomial of degree n, by Newton's method.
func newQuadrature(n int) quadrature {
	q := quadrature{make([]float64, n), make([]float64, n)}
	for i := range n {
		x := detmath.CosPi((float64(i) + 0.75) / (float64(n) + 0.5))
		var slope float64
		for range 100 {
			var value float64
			value, slope = legendre(n, x)
			step := value / slope
			if x -= step; math.Abs(step) < 1e-16 {
				break
			}
		}
		q.nodes[i] = (1 - x) / 2
		q.weights[i] = 1 / (float64(1-float64(x*x)) * float64(slope*slope))
	}
	return q
}

// legendre returns the value and the slope of the Legendre polynomial of degree n at x, which is between -1 and 1.
func legendre(n int, x float64) (value, slope float64) {
	before, value := 0.0, 1.0
	for k := range n {
		f := float64(k)
		before, value = value, (float64(float64((float64(2*f)+1)*x)*value)-float64(f*before))/(f+1)
	}
	return value, float64(n) * (float64(x*value) - before) / (float64(x*x) - 1)
}
