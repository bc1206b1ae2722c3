package histogram

// SetLineSlots sets from how many slots on all nodes are made by tiles, and returns what
// takes that back.
func SetLineSlots(n int) (restore func()) {
	before := lineSlots
	lineSlots = n
	return func() { lineSlots = before }
}
