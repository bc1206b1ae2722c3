//go:build !linux

package parallel

// sleeper is what a gate sleeps in.
type sleeper struct {
	opened chan struct{}
}

func (s *sleeper) init() { s.opened = make(chan struct{}, 1) }

// open lets the waiting goroutine through, or the next that comes.
func (s *sleeper) open() {
	select {
	case s.opened <- struct{}{}:
	default: // it is open
	}
}

// pass goes through the gate if it is open, and shuts it.
func (s *sleeper) pass() bool {
	select {
	case <-s.opened:
		return true
	default:
		return false
	}
}

// sleep returns once the gate is open, and shuts it.
func (s *sleeper) sleep() { <-s.opened }

// sleepAmong is sleep where others may sleep too.
func (s *sleeper) sleepAmong() { <-s.opened }
