//go:build amd64 && !purego

package gram

import "boost/internal/cpu"

// Use adds up by an instruction set that the machine has, until the function that it returns is called.
func Use(set cpu.Level) (back func()) {
	was := level
	level = set
	return func() { level = was }
}
