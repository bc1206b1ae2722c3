//go:build amd64 && !purego

package hist

import (
	"math"

	"boost/internal/cpu"
)

// withinVectors is Within for as many entries as vectors take, and returns their number.
func withinVectors(values []float64, weights []uint32, entries []uint64, left []float64, hess []float32, up, low, high float64) (l Found, n int) {
	l.Every = math.MaxUint32
	if n = steps(len(entries), 8); n == 0 || unpacking != cpu.AVX512 {
		return l, 0
	}
	_, _ = values[n-1], left[Row(entries[n-1])]
	if weights == nil {
		found, below := withinAVX512(&values[0], &entries[0], uint64(n), &left[0], low, high)
		l.N, l.Below = int(found), below
		return l, n
	}
	_, _ = weights[n-1], hess[Row(entries[n-1])]
	found, below, all, some, every := withinWeightedAVX512(&values[0], &weights[0], &entries[0], uint64(n), &left[0], &hess[0], up, low, high)
	return Found{int(found), below, all, uint32(some), uint32(every)}, n
}
