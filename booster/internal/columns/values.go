package columns

// Directed returns the constraints that ask for something.
func Directed(monotone map[string]int) map[string]int {
	kept := map[string]int{}
	for name, direction := range monotone {
		if direction != 0 {
			kept[name] = direction
		}
	}
	return kept
}

// Says reports whether a table by column has another value for one than what holds without an entry.
func Says[V comparable](table map[string]V, column string, neutral V) bool {
	v, has := table[column]
	return has && v != neutral
}
