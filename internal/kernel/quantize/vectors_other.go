//go:build (!amd64 && !arm64) || purego

package quantize

import "boost/internal/cpu"

var vectors = cpu.Generic

func codesAhead[G int16 | int32, H uint16 | uint32]([]G, []H, []float32, []float32, float64, float64, int64, int64) (Loss, int) {
	return Loss{}, 0
}

func scanAhead(*Range, []float32, []float32) int { return 0 }
