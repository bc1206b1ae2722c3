package histogram

import "fmt"

// Plan says how a Builder goes through a table. It never changes a sum.
type Plan struct {
	Strategy Strategy
	Mirror   bool // codes are read from the copy by rows that New was given
	Chunk    int  // rows that a worker of RowParallel takes at a time; 0: 8,192
}

// SmallChunk is a Chunk whose entries lie in the first cache, and of which nodes of some
// ten thousand rows have enough for many workers.
const SmallChunk = 2048

// String names the plan in logs and caches.
func (p Plan) String() string {
	name := p.Strategy.String()
	if p.Mirror {
		name += " by rows"
	}
	if p.Chunk > 0 {
		name += fmt.Sprintf(", %d at a time", p.Chunk)
	}
	return name
}
