package codec

import "boost/internal/cpu"

// Portable calls do with the portable forms in use, which are all there is on other
// platforms, WebAssembly among them. It is for measurements: what other goroutines do here
// meanwhile would race with the change, so there must be none that use this package.
func Portable(do func()) {
	before := vectors
	defer func() { vectors = before }()
	vectors = cpu.Generic
	do()
}
