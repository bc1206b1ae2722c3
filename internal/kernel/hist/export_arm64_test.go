//go:build !purego

package hist

import "boost/internal/cpu"

var machineNEON = neon

// PackInGo makes entries be added up, and sums unpacked, by the Go forms, or again by the machine's.
func PackInGo(in bool) { neon = !in && machineNEON }

// Use makes no difference: no other instruction set is below NEON, which UseNEON chooses.
func Use(cpu.Level) {}

// UseNEON makes the vectors of arm64 be used, or not.
func UseNEON(on bool) { neon = on }

// Compare reports whether columns of few codes are compared with an instruction set of this name: arm64
// has none but plain Go.
func Compare(set cpu.Level) bool { return set == cpu.Generic }

// UseBest is the machine's way to compare.
func UseBest() { neon = machineNEON }
