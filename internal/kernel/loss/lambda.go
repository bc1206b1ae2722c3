package loss

import (
	"math"

	"boost/internal/detmath"
)

// mostScore bounds raw scores where their exponentials have to be finite.
const mostScore = 700

// CrossEntropyLambda writes the derivatives of −y·log z − (1 − y)·log(1 − z), z = 1 − e^(−weight·log(1 + e^s)): LightGBM's
// cross_entropy_lambda. Rows of weight 0 tell nothing.
func CrossEntropyLambda(grad, hess []float32, scores, labels, weights []float64) {
	for i, s := range scores {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		g, h := lambdaRow(min(max(s, -mostScore), mostScore), labels[i], w)
		grad[i], hess[i] = float32(g), float32(h)
	}
}

func lambdaRow(s, y, w float64) (grad, hess float64) {
	if w == 0 {
		return 0, 0
	}
	p := detmath.Sigmoid(s)
	if w == 1 { // the log loss
		return p - y, p * (1 - p)
	}
	rate := Softplus(s)
	u := w * rate
	z := -expm1(-u)
	if z == 0 { // too small to be a number
		return 0, 0
	}
	// d²loss/ds² = w·p·(1 − p)·(1 + y·bend), bend = (w·(e^rate − 1)/(e^u − 1) − 1)/z.
	bend := (1 - w) / (2 * w) // the limit where both exponents are small, in which the difference would be lost
	if rate > 1e-6 || u > 1e-6 {
		bend = (float64(w*expm1(rate))/expm1(u) - 1) / z
	}
	return float64(w*p) * (1 - y/z), max(float64(w*p)*(1-p)*(1+float64(y*bend)), 0)
}

// Softplus returns log(1 + e^s).
func Softplus(s float64) float64 {
	if s > 0 {
		return s + detmath.Log1p(detmath.Exp(-s))
	}
	return detmath.Log1p(detmath.Exp(s))
}

// SoftplusValues writes log(1 + e^raw).
func SoftplusValues(values, raw []float64) {
	values = values[:len(raw)]
	for i, x := range raw {
		values[i] = Softplus(x)
	}
}

// OneMinusExp returns 1 − e^(−x) of x ≥ 0, exact also where x is small.
func OneMinusExp(x float64) float64 { return -expm1(-x) }

// expm1 returns e^x − 1, exact also where x is small (Kahan).
func expm1(x float64) float64 {
	e := detmath.Exp(x)
	switch {
	case e == 1:
		return x
	case e == 0 || math.IsInf(e, 1):
		return e - 1
	}
	return (e - 1) * x / detmath.Log(e)
}
