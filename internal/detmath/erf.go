package detmath

import "math"

const (
	erfSize  = 97 // nodes at i/16, from 0 to 6
	erfTerms = 12
)

// An erfNode is erf at a node in two parts, and the derivative there.
type erfNode struct{ value, rest, slope float64 }

// erfInverse holds 1/n.
var erfInverse = [erfTerms + 2]float64{1: 1, 1.0 / 2, 1.0 / 3, 1.0 / 4, 1.0 / 5, 1.0 / 6, 1.0 / 7, 1.0 / 8, 1.0 / 9, 1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13}

// Erf returns the error function of x within 2 ulp.
//
// It is Taylor's series about the nearest node c = i/16, |h| ≤ 1/32, or about 0 up to 1/16:
// erf(c+h) = erf(c) + erf'(c)·Σ gₙ·hⁿ⁺¹/(n+1), where Σ gₙ·hⁿ = exp(-2ch-h²),
// so gₙ₊₁ = -2(c·gₙ + gₙ₋₁)/(n+1).
func Erf(x float64) float64 {
	a := math.Abs(x)
	if !(a < 6) {
		if math.IsNaN(x) {
			return x
		}
		return math.Copysign(1, x)
	}
	i := 0
	if a >= 1.0/16 { // below it the node at 1/16 would cancel
		i = int(float64(a*16) + 0.5)
	}
	c := float64(float64(i) / 16) // the conversion also keeps this product out of the next line
	h := a - c                    // exact: both are multiples of a's last bit, and h is small
	node := &erfNodes[i]

	minus2h := -2 * h
	before, g, sum := 0.0, 1.0, 0.0 // g is gₙ·hⁿ
	for n := range erfTerms {
		sum += float64(g * erfInverse[n+1])
		next := float64(minus2h*(float64(c*g)+float64(h*before))) * erfInverse[n+1]
		before, g = g, next
	}
	step := float64(float64(node.slope*h) * sum)
	return math.Copysign(node.value+(node.rest+step), x)
}
