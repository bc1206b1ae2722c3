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
	// mostMisses is the number of spins in vain after which waits sleep at once: what is waited for
	// has no processor then, or takes long.
	mostMisses = 4
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
	if !g.spins() || !g.watch(nil) {
		g.sleep()
	}
}

// spins reports whether the next wait is to begin with watch.
func (g *gate) spins() bool {
	if g.spin > 0 && g.skips > 0 {
		g.skips--
		return false
	}
	return g.spin > 0
}

// watch goes through the gate as soon as it is open, for as long as it may spin since it began or
// since it last did something else of use, and reports whether it has.
func (g *gate) watch(meanwhile func() bool) bool {
	for start := time.Now(); ; {
		for range 64 {
			if g.pass() {
				g.misses = 0
				return true
			}
		}
		if meanwhile != nil && meanwhile() {
			g.misses, start = 0, time.Now()
		} else if time.Since(start) >= g.spin {
			break
		}
	}
	if g.misses++; g.misses >= mostMisses {
		g.misses, g.skips = 0, moreSkips
	}
	return false
}
