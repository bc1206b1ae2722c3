package parallel

import (
	"runtime"
	"sync/atomic"
)

// Source hands out pieces of work that become known while others are done. Next and Done never
// run at the same time.
type Source interface {
	// Next returns a piece for the worker.
	Next(worker int) (piece int, n News)
	// Run does a piece. Workers run pieces at the same time.
	Run(worker, piece int)
	// Done is told that the worker has run a piece.
	Done(worker, piece int)
}

// News says whether a Source has a piece.
type News uint8

// What Next returns.
const (
	Piece News = iota // there is one
	Later             // there may be one once another worker's piece is done
	Ended             // there will be none
)

// Loop is a Task of as many indices as its Pool has workers: each takes pieces of a Source until
// there are none. A worker that never comes is not missed.
type Loop struct {
	source Source
	lock   spinLock
	broken atomic.Bool // a piece has panicked
	seats  []seat      // by worker
}

// seat is where a worker waits for pieces.
type seat struct {
	*gate
	taken bool
}

// NewLoop returns a Loop for the workers of a pool.
func NewLoop(p *Pool, source Source) *Loop {
	l := &Loop{source: source, seats: make([]seat, p.Threads())}
	for i := range l.seats {
		l.seats[i].gate = newGate(p.spin)
	}
	return l
}

// Run implements Task.
func (l *Loop) Run(worker, _ int) {
	for !l.broken.Load() {
		l.lock.lock()
		piece, news := l.source.Next(worker)
		l.seats[worker].taken = news == Later
		l.lock.unlock()
		switch news {
		case Piece:
			l.do(worker, piece)
		case Later:
			l.seats[worker].wait()
		case Ended:
			return
		}
	}
}

// do runs a piece, after which others may know more.
func (l *Loop) do(worker, piece int) {
	ended := false
	defer func() {
		if !ended { // a panic, which the pool raises again in its caller
			l.broken.Store(true)
			l.lock.lock()
			l.wake()
		}
	}()
	l.source.Run(worker, piece)
	l.lock.lock()
	l.source.Done(worker, piece)
	l.wake()
	ended = true
}

// wake unlocks, and lets those that wait ask again.
func (l *Loop) wake() {
	for i := range l.seats {
		if s := &l.seats[i]; s.taken {
			s.taken = false
			s.open()
		}
	}
	l.lock.unlock()
}

// spinLock is for a microsecond's work.
type spinLock struct{ held atomic.Bool }

func (s *spinLock) lock() {
	for n := 1; !s.held.CompareAndSwap(false, true); n++ {
		if n%32 == 0 { // whoever holds it may have lost its processor
			runtime.Gosched()
		}
	}
}

func (s *spinLock) unlock() { s.held.Store(false) }
