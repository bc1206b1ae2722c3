package codec

import "boost/internal/cpu"

// Use works with an instruction set, as far as the machine has it. It reports whether it has.
func Use(level cpu.Level) bool {
	if level > machine {
		return false
	}
	vectors = level
	return true
}

var machine = vectors

// Q4Raised and Q4Whole are how a value of a block of Q4_0 becomes a code, before limits.
const Q4Raised = q4Raised

var Q4Whole = q4Whole
