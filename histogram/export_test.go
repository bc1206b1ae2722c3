package histogram

// SetLineSlots sets from how many slots on all nodes are made by tiles, and returns what
// takes that back.
func SetLineSlots(n int) (restore func()) {
	before := lineSlots
	lineSlots = n
	return func() { lineSlots = before }
}

// Offer leaves rows of a block to others, as a worker does that has begun an Add.
func (b *Builder) Offer(worker, block int, entries []uint64) {
	b.offers[worker].put(block, entries, false)
}
