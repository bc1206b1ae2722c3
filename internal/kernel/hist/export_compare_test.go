//go:build !arm64 || purego

package hist

import "boost/internal/cpu"

// Compare makes columns of few codes be compared with an instruction set, and reports whether
// there is a form for it here. UseBest goes back to the machine's choice.
func Compare(set cpu.Level) bool {
	comparing = min(set, machineCompares)
	return comparing == set
}

// UseBest is the machine's way to compare.
func UseBest() { comparing = machineCompares }

var machineCompares = comparing
