//go:build amd64 && !purego

package predict

import (
	"unsafe"

	"boost/internal/cpu"
)

// vectors is the set of instructions that plans are made for.
var vectors = cpu.Used()

// Vectors says whether plans run in vectors; without, AddRange is faster.
func Vectors() bool { return vectors != cpu.Generic }

// addVectors does what addInGo does, or nothing.
func addVectors(p *Plan, codes []uint8, scores *[TileRows]float64, a *Area) bool {
	var sets *[32]byte
	if len(p.sets) > 0 {
		sets = &p.sets[0]
	}
	steps := (*byte)(unsafe.Pointer(&p.steps[0]))
	switch vectors {
	case cpu.AVX512:
		addTileAVX512(steps, uint64(len(p.steps)), sets, &codes[0], &a.bytes[0], &p.leaf[0], p.halves, scores)
	case cpu.AVX2:
		addTileAVX2(steps, uint64(len(p.steps)), sets, &codes[0], &a.bytes[0], &p.leaf[0], p.halves, scores)
	default:
		return false
	}
	return true
}
