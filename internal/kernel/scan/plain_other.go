//go:build (!amd64 && !arm64) || purego

package scan

import "boost/internal/cpu"

var vectors = cpu.Generic

func plainVectors([]int64, []uint64, Sums[int64, uint64], Sums[int64, uint64], *Rule, int64, bool, float64) (gain float64, code int, left Sums[int64, uint64], ok bool) {
	return 0, 0, left, false
}
