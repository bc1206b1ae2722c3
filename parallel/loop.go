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
	source  Source
	lock    shortLock
	broken  atomic.Bool  // a piece has panicked
	seats   []seat       // by worker
	waiting []int        // workers that wait for a piece, those that came last at the end
	idle    atomic.Int32 // workers that wait for a piece, and would take part in that of another
	shared  atomic.Int32 // pieces that others may take part in
}

// seat is where a worker waits for pieces.
type seat struct {
	*gate
	crew Crew
}

// NewLoop returns a Loop for the workers of a pool.
func NewLoop(p *Pool, source Source) *Loop {
	l := &Loop{source: source, seats: make([]seat, p.Threads()), waiting: make([]int, 0, p.Threads())}
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
//
// Whoever gets a piece wakes one of those that wait, who asks and does the same. A Source that has nothing for one
// worker has nothing for the others either: to wake them all would have them queue for the lock in vain.
func (l *Loop) Run(worker, _ int) {
	returned, held := false, true
	defer func() {
		if !returned { // a panic, which the pool raises again in its caller
			l.broken.Store(true)
			if !held {
				l.lock.lock()
			}
			for s := l.last(); s != nil; s = l.last() {
				s.open()
			}
			l.lock.unlock()
		}
	}()
	l.lock.lock()
	for !l.broken.Load() {
		piece, news := l.source.Next(worker)
		held = false
		switch news {
		case Piece:
			l.unlock(l.last())
			l.source.Run(worker, piece)
			l.lock.lock()
			held = true
			l.source.Done(worker, piece)
		case Later:
			l.waiting = append(l.waiting, worker)
			l.lock.unlock()
			l.await(worker)
			l.lock.lock()
			held = true
		case Ended:
			l.unlock(l.last(), l.last()) // each of whom wakes two more
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

// last takes the one that came last of those that wait, who is the likeliest to spin still; nil: none waits.
func (l *Loop) last() *seat {
	n := len(l.waiting) - 1
	if n < 0 {
		return nil
	}
	s := &l.seats[l.waiting[n]]
	l.waiting = l.waiting[:n]
	return s
}

// unlock lets some that waited ask again.
func (l *Loop) unlock(seats ...*seat) {
	l.lock.unlock()
	for _, s := range seats {
		if s != nil {
			s.open()
		}
	}
}
