package parallel

import "sync/atomic"

// entry lets workers into a pass while it is open. The worker that opened it does not wait for
// those who came too late to find a piece: at the end it closes the pass, and whoever comes out
// of it last ends it.
type entry struct {
	joined atomic.Int32 // workers that have joined the pass, or negative: none is open
	inside atomic.Int32 // how many of them have not left; less than that while the pass is open
}

// closed is joined without an open pass.
const closed = -1 << 30

func (e *entry) shut() { e.joined.Store(closed) }

func (e *entry) open() { e.joined.Store(0) }

// close reports whether all who joined have left: else leave reports it to the last one.
func (e *entry) close() (ended bool) { return e.inside.Add(e.joined.Swap(closed)) == 0 }

// leave reports whether the pass is closed and the worker is the last one out: only close adds to
// inside, all at once.
func (e *entry) leave() (last bool) { return e.inside.Add(-1) == 0 }

// join reports whether a pass is open, and counts the worker into it.
func (e *entry) join() bool {
	for {
		joined := e.joined.Load()
		if joined < 0 {
			return false
		}
		if e.joined.CompareAndSwap(joined, joined+1) {
			return true
		}
	}
}
