//go:build !purego

package quantize

import "boost/internal/cpu"

// Use reports whether codes are made with an instruction set of this name: arm64 has none but plain Go.
func Use(level cpu.Level) bool { return level == cpu.Generic }

// UseNEON has codes made with the vectors of arm64, or without.
func UseNEON(on bool) { neon = on }

// NEON reports whether they are.
func NEON() bool { return neon }

// PerCall is how many rows a call of the assembly takes at most.
const PerCall = perCall
