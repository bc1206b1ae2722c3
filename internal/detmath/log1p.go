package detmath

// Log1p returns log(1 + x), also for x near 0, to within 4 ulp. It is NaN below −1.
//
// The rounding of 1 + x is made good by the ratio of x to what was added of it (Kahan, "Branch cuts for complex elementary functions", 1987).
func Log1p(x float64) float64 {
	u := 1 + x
	switch {
	case u == 1:
		return x
	case u > 1e300: // also infinite
		return Log(u)
	}
	return float64(Log(u) * x / (u - 1))
}
