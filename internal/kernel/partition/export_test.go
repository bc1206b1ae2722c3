package partition

import "boost/internal/cpu"

// Use divides entries by an instruction set that the machine has, until the function that it
// returns is called.
func Use(set cpu.Level) (back func()) {
	was := vectors
	vectors = set
	return func() { vectors = was }
}
