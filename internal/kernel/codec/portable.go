package codec

import "boost/internal/cpu"

// Portable calls do with the portable forms in use, which are all there is on other
// platforms, WebAssembly among them. It is for measurements: no other goroutine may use this
// package meanwhile.
func Portable(do func()) {
	before := vectors
	defer func() { vectors = before }()
	vectors = cpu.Generic
	do()
}
