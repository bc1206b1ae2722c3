package parallel

import "time"

// gate is where one goroutine waits until another opens it; an opening that nobody waits
// for is kept for the next one to come, one of them at most. It spins for a moment before it
// sleeps, where that pays: passes over small tables follow each other within microseconds,
// and a thread that sleeps takes longer than that to come.
type gate struct {
	sleeper
	spin   time.Duration // at most; 0 = it sleeps at once
	misses int           // spins in a row that did not see an opening
	skips  int           // waits that are still to sleep at once
	_      [64]byte      // what others write is on another cache line
}

const (
	// patience is the number of spins in vain after which waits sleep at once: what is waited for
	// has no processor then, or takes long.
	patience = 4
	// moreSkips is how many waits sleep at once then, before spinning is tried again.
	moreSkips = 64
)

func newGate(spin time.Duration) *gate {
	g := &gate{spin: spin}
	g.init()
	return g
}

// wait returns once the gate is open, and shuts it. One goroutine waits at a time.
func (g *gate) wait() {
	switch {
	case g.spin == 0:
	case g.skips > 0:
		g.skips--
	default:
		for start := time.Now(); ; {
			for range 64 {
				if g.pass() {
					g.misses = 0
					return
				}
			}
			if time.Since(start) >= g.spin {
				break
			}
		}
		if g.misses++; g.misses >= patience {
			g.misses, g.skips = 0, moreSkips
		}
	}
	g.sleep()
}
