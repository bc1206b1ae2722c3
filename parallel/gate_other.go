//go:build !linux

package parallel

// gate is where one goroutine sleeps until another opens it; an opening that nobody waits
// for is kept for the next one to come, one of them at most.
type gate struct {
	opened chan struct{}
}

// open lets the waiting goroutine through, or the next that comes.
func (g *gate) open() {
	select {
	case g.opened <- struct{}{}:
	default: // it is open
	}
}

// wait returns once the gate is open, and shuts it. One goroutine waits at a time.
func (g *gate) wait() { <-g.opened }

func newGate() *gate { return &gate{make(chan struct{}, 1)} }
