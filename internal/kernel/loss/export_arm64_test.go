//go:build !purego

package loss

import "boost/internal/cpu"

// Use reports whether rows are done by an instruction set of this name: arm64 has none but plain Go.
func Use(l cpu.Level) bool { return l == cpu.Generic }

// UseBest makes rows be done as in a program.
func UseBest() { neon = machine }

// UseNEON makes rows be done by the vectors of arm64, or without.
func UseNEON(on bool) { neon = on }

var machine = neon
