package parallel

import (
	"sync/atomic"
	"time"
)

// Runner runs tasks: a Pool, or a Crew.
type Runner interface {
	// Threads returns how many workers may take part, numbered from 0.
	Threads() int
	// Do calls task.Run for every index in [0, n) and returns when all are done.
	Do(n int, task Task)
}

// Alone runs tasks in the worker that calls it, as worker 0.
type Alone struct{}

// Threads implements Runner.
func (Alone) Threads() int { return 1 }

// Do implements Runner.
func (Alone) Do(n int, task Task) {
	for i := range n {
		task.Run(0, i)
	}
}

// Crew is a worker of a Loop and those that have no piece while it runs one: Do gives indices
// to them as well. Workers have the numbers that they have in the loop. Only the worker calls it, while it
// runs a piece.
type Crew struct {
	loop   *Loop
	worker int
	entry
	left *gate // the worker waits there for the others
	task Task
	n    int64
	next atomic.Int64
	// skips is how often Idle still returns false, late how often it will the next time: see await.
	skips, late int
	// failed is what a worker that took part has panicked with: it is raised in the one whose crew it is.
	failed atomic.Pointer[workerPanic]
	_      [64]byte // what others write is on another cache line
}

// Threads implements Runner.
func (c *Crew) Threads() int { return len(c.loop.seats) }

// Worker returns the worker that the crew is of.
func (c *Crew) Worker() int { return c.worker }

// Idle reports whether a worker spins without a piece, and is expected to have its processor: else Do runs all
// indices itself.
func (c *Crew) Idle() bool {
	if c.skips > 0 {
		c.skips--
		return false
	}
	return c.loop.idle.Load() > 0
}

// Do implements Runner.
func (c *Crew) Do(n int, task Task) {
	if n < 2 || !c.Idle() {
		for i := range n {
			task.Run(c.worker, i)
		}
		return
	}
	c.task, c.n = task, int64(n)
	c.next.Store(0)
	c.open()
	c.loop.shared.Add(1)
	returned := false
	defer func() { // also where an index panics
		c.loop.shared.Add(-1)
		if !c.close() {
			c.await()
		}
		c.task = nil
		if failed := c.failed.Swap(nil); failed != nil && returned {
			panic(failed)
		}
	}()
	c.drain(c.worker)
	returned = true
}

// await waits for those who took part. One that takes much longer than the worker itself has lost its processor
// to other work: then nobody is asked for a while, the longer the more often that happens.
func (c *Crew) await() {
	start := time.Now()
	if !c.left.watch(nil) {
		c.left.sleep()
	}
	if time.Since(start) < lateAfter {
		c.late = max(c.late-1, 0)
		return
	}
	c.late = min(2*c.late+leastLate, mostLate)
	c.skips = c.late
}

const (
	// lateAfter is longer than an index takes, and shorter than a slice of a processor's time.
	lateAfter = 300 * time.Microsecond
	leastLate = 32
	mostLate  = 4096
)

// help takes part in the pieces of other workers, and reports whether it found an index to run.
func (c *Crew) help() bool {
	l := c.loop
	if l.shared.Load() == 0 {
		return false
	}
	ran := false
	for i := range l.seats {
		if other := &l.seats[i].crew; other != c && other.join() {
			ran = other.takePart(c.worker) || ran
		}
	}
	return ran
}

// takePart runs indices for the crew of another worker that it has joined.
func (c *Crew) takePart(worker int) (ran bool) {
	returned := false
	defer func() {
		v := recover()
		if !returned { // the other is not to go on with what is missing
			if v == nil {
				v = "runtime.Goexit called"
			}
			c.failed.CompareAndSwap(nil, panicked(v))
		}
		if c.leave() {
			c.left.open()
		}
	}()
	ran = c.drain(worker)
	returned = true
	return ran
}

func (c *Crew) drain(worker int) (ran bool) {
	for {
		i := c.next.Add(1) - 1
		if i >= c.n {
			return ran
		}
		c.task.Run(worker, int(i))
		ran = true
	}
}
