//go:build amd64 && !purego

package hist

import "boost/internal/cpu"

// PackInGo makes entries be made and added up, and sums unpacked, by the Go forms, or again by
// the machine's.
func PackInGo(in bool) {
	if unpacking = cpu.Used(); in {
		unpacking = cpu.Generic
	}
}

// Use makes sums be subtracted and added up, and entries made, added up and taken apart, with an instruction
// set that the machine has.
func Use(set cpu.Level) { subtracting, unpacking = set, set }
