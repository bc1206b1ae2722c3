package parallel

import "sync/atomic"

// Source hands out pieces of work that become known while others are done. Next and Done never
// run at the same time.
type Source interface {
	// Next returns a piece for the worker.
	Next(worker int) (piece int, n News)
	// Run does a piece. Workers run pieces at the same time.
	Run(worker, piece int)
	// Done is called after the worker has run a piece.
	Done(worker, piece int)
}

// News reports whether a Source has a piece.
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
	lock   shortLock
	broken atomic.Bool  // a piece has panicked
	seats  []seat       // by worker
	idle   atomic.Int32 // workers that wait for a piece, and would take part in that of another
	shared atomic.Int32 // pieces that others may take part in
}

// seat is where a worker waits for pieces.
type seat struct {
	*gate
	taken bool
	crew  Crew
}

// NewLoop returns a Loop for the workers of a pool.
func NewLoop(p *Pool, source Source) *Loop {
	l := &Loop{source: source, seats: make([]seat, p.Threads())}
	l.lock.init()
	for i := range l.seats {
		l.seats[i].gate = newGate(p.spin)
		l.seats[i].crew = Crew{loop: l, worker: i, left: newGate(p.spin)}
		l.seats[i].crew.shut()
	}
	return l
}

// Crew returns what a worker runs a part of its piece by together with those that have none.
func (l *Loop) Crew(worker int) *Crew { return &l.seats[worker].crew }

// Run implements Task.
func (l *Loop) Run(worker, _ int) {
	returned, held := false, true
	defer func() {
		if !returned { // a panic, which the pool raises again in its caller
			l.broken.Store(true)
			if !held {
				l.lock.lock()
			}
			l.wake()
			l.lock.unlock()
		}
	}()
	l.lock.lock()
	for !l.broken.Load() {
		piece, news := l.source.Next(worker)
		l.seats[worker].taken = news == Later
		l.lock.unlock()
		switch news {
		case Piece:
			held = false
			l.source.Run(worker, piece)
			l.lock.lock()
			held = true
			l.source.Done(worker, piece)
			l.wake()
		case Later:
			held = false
			l.await(worker)
			l.lock.lock()
			held = true
		case Ended:
			returned = true
			return
		}
	}
	l.lock.unlock()
	returned = true
}

// await waits until there may be a piece for a worker. While it spins it takes part in others'.
func (l *Loop) await(worker int) {
	s := &l.seats[worker]
	if s.spins() {
		if l.watch(s) {
			return
		}
	}
	s.sleep()
}

// watch spins at a seat, and reports whether it was called from there.
func (l *Loop) watch(s *seat) bool {
	l.idle.Add(1)
	defer l.idle.Add(-1)
	return s.gate.watch(s.crew.help)
}

// wake lets those that wait ask again.
func (l *Loop) wake() {
	for i := range l.seats {
		if s := &l.seats[i]; s.taken {
			s.taken = false
			s.open()
		}
	}
}
