// Package gram has the loop of fitting linear models: sums over rows of products, which are added up in an order of their own, so that
// vectors give the same bits.
package gram

// Rows is how many rows of a column have memory: the values of one column begin so many behind those of the one before.
const Rows = 256

// Pad returns n rounded up to a multiple of 8: to how many rows memory is filled up, by zeros.
func Pad(n int) int { return (n + 7) &^ 7 }

// Products adds to each sum the sum over rows of (h·x)·column. h, x and hx, which is memory, have one padded length, Rows at most; there
// are as many columns as sums, Rows apart. The sum over rows is made of eight sums, of every eighth row, which are added in a fixed order.
func Products(sums, hx, h, x, columns []float64) {
	if vectorProducts(sums, h, x, columns) {
		return
	}
	h, x = h[:len(hx)], x[:len(hx)]
	for i := range hx {
		hx[i] = h[i] * x[i]
	}
	for k := range sums {
		sums[k] += dot(hx, columns[k*Rows:][:len(hx)])
	}
}

func dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	for len(a) >= 8 && len(b) >= 8 {
		s0 += float64(a[0] * b[0])
		s1 += float64(a[1] * b[1])
		s2 += float64(a[2] * b[2])
		s3 += float64(a[3] * b[3])
		s4 += float64(a[4] * b[4])
		s5 += float64(a[5] * b[5])
		s6 += float64(a[6] * b[6])
		s7 += float64(a[7] * b[7])
		a, b = a[8:], b[8:]
	}
	return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
}
