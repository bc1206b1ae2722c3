//go:build !arm64 || purego

package scan

import "boost/internal/cpu"

// UseGo makes gains be computed by the Go form, or again by the machine's. It reports
// whether that makes a difference.
func UseGo(in bool) bool {
	vectors = machine
	if in {
		vectors = cpu.Generic
	}
	return machine != cpu.Generic
}

// Use makes gains be computed with an instruction set, and reports whether the machine has it.
func Use(set cpu.Level) bool {
	if machine >= set {
		vectors = set
	}
	return machine >= set
}

var machine = vectors
