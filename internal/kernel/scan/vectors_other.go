//go:build (!amd64 && !arm64) || purego

package scan

import "boost/internal/cpu"

var vectors = cpu.Generic

func vectorLoop([]int64, []uint64, *Sums[int64, uint64], *Rule, *lookup) (best found, ok bool) {
	return best, false
}
