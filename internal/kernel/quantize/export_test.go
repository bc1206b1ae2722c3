//go:build !arm64 || purego

package quantize

import "boost/internal/cpu"

// Use makes codes with an instruction set, as far as the machine has it. It reports whether
// it has.
func Use(level cpu.Level) bool {
	if level > machine {
		return false
	}
	vectors = level
	return true
}

var machine = vectors
