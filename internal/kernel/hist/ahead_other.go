//go:build !amd64 || purego

package hist

import (
	"math"
	"unsafe"
)

var fetching = false

// addAhead is addRows: there is no way to fetch codes ahead.
func addAhead(sums []uint64, codes []uint8, stride, features int, entries []uint64) {
	addRows(unsafe.Pointer(&sums[0]), unsafe.Pointer(&codes[0]), stride, features, entries)
}

func addWordsAhead([]uint64, []uint16, []uint64) int { return 0 }

func leastVectors([]uint64) (least uint64, n int) { return math.MaxUint16, 0 }

func sumFloatsVectors([]uint64, []float32, []float32, float64, float64) (gradSum, hessSum int64, n int) {
	return 0, 0, 0
}

func pairsAhead[VG GradValue, VH HessValue, G int64 | float64, H uint64 | float64](
	[]Slot[G, H], []uint8, int, int, int, []VG, []VH, []uint64,
) bool {
	return false
}

func countBytesAhead[C Code]([]uint32, []C, []uint64) int { return 0 }

func countNibblesAhead([]uint32, []byte, []uint64) int { return 0 }

func packIndexVectors([]uint64) int { return 0 }

func packListVectors([]uint64, []uint16) int { return 0 }

func sumCodesVectors[G int16 | int32, H uint16 | uint32]([]G, []H) (gradSum int64, hessSum uint64, n int) {
	return 0, 0, 0
}

func (l *Listed) add(sums []uint64, starts []uint32, entries []uint64) (total uint64) {
	return l.addPlain(sums, starts, entries)
}

func sumVectors([]uint64) (total uint64, done int) { return 0, 0 }
