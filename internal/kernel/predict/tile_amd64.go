//go:build amd64 && !purego

package predict

import (
	"unsafe"

	"boost/internal/cpu"
)

var sets = setsOf(cpu.Used())

// setsOf lists the sets that plans and Rows have vectors in, up to the best.
func setsOf(best cpu.Level) (list []cpu.Level) {
	for l := best; l > cpu.Generic; l-- {
		list = append(list, l)
	}
	return list
}

// addVectors does what addInGo does, or nothing.
func addVectors(set cpu.Level, p *Plan, codes []uint8, scores *[TileRows]float64, a *Area) bool {
	var bits *[32]byte
	if len(p.sets) > 0 {
		bits = &p.sets[0]
	}
	steps := (*byte)(unsafe.Pointer(&p.steps[0]))
	switch set {
	case cpu.AVX512:
		addTileAVX512(steps, uint64(len(p.steps)), bits, &codes[0], &a.bytes[0], &p.leaf[0], p.halves, scores)
	case cpu.AVX2:
		addTileAVX2(steps, uint64(len(p.steps)), bits, &codes[0], &a.bytes[0], &p.leaf[0], p.halves, scores)
	default:
		return false
	}
	return true
}
