package quantize

// UseGo makes codes by the Go forms, or again by the machine's. It says whether that
// makes a difference.
func UseGo(in bool) bool {
	vectors = machine && !in
	return machine
}

var machine = vectors
