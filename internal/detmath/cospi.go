package detmath

import "math"

// CosPi returns cos(π·x) for 0 ≤ x ≤ 1, within 2⁻⁵², as the sine of π·(½ − x): its series, which after
// the term of the 23rd power misses less than 10⁻¹⁹.
func CosPi(x float64) float64 {
	a := math.Pi * (0.5 - x)
	square := float64(a * a)
	sum := 0.0
	for n := 23.0; n > 1; n -= 2 {
		sum = float64(float64(1-sum)*square) / (n * (n - 1))
	}
	return float64(a * (1 - sum))
}
