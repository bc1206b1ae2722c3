//go:build !purego

package scan

import "boost/internal/cpu"

// UseGo makes gains be computed by the Go form, or again by the machine's. It reports
// whether that makes a difference.
func UseGo(in bool) bool {
	neon = machine && !in
	return machine
}

// Use makes gains be computed with an instruction set of this name, of which arm64 has none but plain Go.
func Use(set cpu.Level) bool {
	if set == cpu.Generic {
		neon = false
	}
	return set == cpu.Generic
}

// UseNEON makes gains be computed by the vectors of arm64.
func UseNEON() { neon = true }

var machine = neon
