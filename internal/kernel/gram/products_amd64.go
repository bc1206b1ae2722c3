//go:build amd64 && !purego

package gram

import "boost/internal/cpu"

// level is the instruction set in use.
var level = cpu.Used()

// vectorProducts is Products, and reports whether there are vectors for it.
func vectorProducts(sums, h, x, columns []float64) bool {
	n := len(h)
	if level == cpu.Generic || len(sums) == 0 || n == 0 || n%8 != 0 || n > Rows {
		return false
	}
	_, _ = x[n-1], columns[(len(sums)-1)*Rows+n-1]
	if level == cpu.AVX512 {
		productsAVX512(&sums[0], &h[0], &x[0], &columns[0], uint64(len(sums)), uint64(n))
	} else {
		productsAVX2(&sums[0], &h[0], &x[0], &columns[0], uint64(len(sums)), uint64(n))
	}
	return true
}
