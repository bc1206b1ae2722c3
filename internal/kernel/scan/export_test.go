package scan

// UseGo makes gains be computed by the Go form, or again by the machine's. It says
// whether that makes a difference.
func UseGo(in bool) bool {
	vectors = machine && !in
	return machine
}

var machine = vectors
