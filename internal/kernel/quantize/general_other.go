//go:build !amd64 || purego

package quantize

func generalAhead[G int16 | int32, H uint16 | uint32]([]G, []H, []float32, []float32, uint64, []uint16, *Rule) (Loss, int) {
	return Loss{}, 0
}

func spanAhead(low, high int32, _ []float32) (int32, int32, int) { return low, high, 0 }

func join8Ahead([]uint16, []int16, []uint16) int { return 0 }

func join4Ahead([]uint8, []int16, []uint16) int { return 0 }
