//go:build !arm64 || purego

package loss

import "boost/internal/cpu"

// Use makes rows be done by an instruction set, and reports whether the machine has it.
func Use(l cpu.Level) bool {
	if l > machine {
		return false
	}
	level = l
	return true
}

// UseBest makes rows be done by the machine's best again.
func UseBest() { level = machine }

var machine = level
