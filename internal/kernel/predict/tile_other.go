//go:build !amd64 || purego

package predict

import "boost/internal/cpu"

var sets []cpu.Level

func addVectors(cpu.Level, *Plan, []uint8, *[TileRows]float64, *Area) bool { return false }
