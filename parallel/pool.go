package parallel

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// Task is a piece of work that can be cut into n independent indices.
//
// Run is called with worker in [0, Pool.Threads) and index in [0, n); two calls
// with the same worker never overlap, so worker numbers per-thread scratch.
// A Task is an interface and not a function value so that a stage can keep one
// in its own struct and start it without allocating.
type Task interface {
	Run(worker, index int)
}

// Func lets a plain function be a Task, where an allocation does not matter.
type Func func(worker, index int)

// Run calls f.
func (f Func) Run(worker, index int) { f(worker, index) }

// Pool is a fixed set of long-lived workers. The goroutine that calls Do is
// worker 0; the others sleep between calls and never spin.
// A Pool serves one Do at a time: a call while another runs, from another goroutine
// or from inside a task, panics.
type Pool struct {
	threads int
	wake    []*gate // of every worker but the first
	busy    atomic.Bool
	closed  atomic.Bool

	// A worker that wakes up joins the call that is open then, if one is. The caller does
	// not wait for those who came too late to find a piece: at the end it closes the call,
	// and waits for the workers that have joined it.
	joined atomic.Int32 // workers that have joined the call, or negative: no call is open
	inside atomic.Int32 // how many of them have not left; less than that while the call is open
	left   *gate        // opened by the last of them to leave after the call was closed

	task   Task
	ctx    context.Context // nil for Do
	n      int64
	next   atomic.Int64
	failed atomic.Pointer[workerPanic]
}

// shut is joined without an open call.
const shut = -1 << 30

type workerPanic struct {
	value any
	stack []byte
}

// NewPool starts threads-1 workers; fewer than one thread counts as one.
// Close ends them.
func NewPool(threads int) *Pool {
	if threads < 1 {
		threads = 1
	}
	p := &Pool{threads: threads, wake: make([]*gate, threads-1), left: newGate()}
	p.joined.Store(shut)
	for i := range p.wake {
		p.wake[i] = newGate()
		go p.work(i + 1)
	}
	return p
}

// Threads returns the number of workers, the caller of Do included.
func (p *Pool) Threads() int { return p.threads }

// Close ends the workers; closing again does nothing. The pool must not be used
// afterwards.
func (p *Pool) Close() {
	if p.closed.Swap(true) {
		return
	}
	for _, g := range p.wake {
		g.open()
	}
}

// Do calls task.Run for every index in [0, n) and returns when all are done.
// Indices are handed out in ascending order to whichever worker is free. A panic
// in a task stops the handing out and is raised again in the caller, with the
// task's stack, once the running pieces have ended; the pool stays usable.
func (p *Pool) Do(n int, task Task) {
	if n <= 0 {
		return
	}
	p.acquire()
	p.run(n, task)
}

// DoContext is Do with cancellation: once ctx is done no further index is handed
// out, and the context's error is returned after the running pieces end.
func (p *Pool) DoContext(ctx context.Context, n int, task Task) error {
	if n > 0 {
		p.acquire()
		p.ctx = ctx
		p.run(n, task)
	}
	return ctx.Err()
}

// acquire makes an overlapping call fail where it is made, not as a data race.
func (p *Pool) acquire() {
	if !p.busy.CompareAndSwap(false, true) {
		panic("parallel: Pool.Do called while another Do of the same pool runs")
	}
}

func (p *Pool) run(n int, task Task) {
	p.task, p.n = task, int64(n)
	p.next.Store(0)
	p.joined.Store(0)
	p.rouse(0)
	p.drain(0)
	if joined := p.joined.Swap(shut); p.inside.Add(joined) != 0 {
		p.left.wait()
	}
	p.task, p.ctx = nil, nil
	failed := p.failed.Swap(nil)
	p.busy.Store(false)
	if failed != nil {
		panic(fmt.Sprintf("parallel: worker panic: %v\n%s", failed.value, failed.stack))
	}
}

// rouse wakes two workers for each that is awake, so that the first of many has not to wake
// them all: to wake a thread takes some microseconds.
func (p *Pool) rouse(worker int) {
	for w := 2*worker + 1; w <= 2*worker+2 && w < p.threads && int64(w) < p.n; w++ {
		p.wake[w-1].open()
	}
}

func (p *Pool) work(worker int) {
	for {
		p.wake[worker-1].wait()
		if p.closed.Load() {
			return
		}
		if !p.join() {
			continue
		}
		p.rouse(worker)
		p.drain(worker)
		// Only the caller adds to inside, all at once when it has closed the call.
		if p.inside.Add(-1) == 0 {
			p.left.open()
		}
	}
}

// join says whether a call is open, and counts the worker into it.
func (p *Pool) join() bool {
	for {
		joined := p.joined.Load()
		if joined < 0 {
			return false
		}
		if p.joined.CompareAndSwap(joined, joined+1) {
			return true
		}
	}
}

func (p *Pool) drain(worker int) {
	defer func() {
		if v := recover(); v != nil {
			p.failed.CompareAndSwap(nil, &workerPanic{v, debug.Stack()})
		}
	}()
	for p.failed.Load() == nil {
		if p.ctx != nil && p.ctx.Err() != nil {
			return
		}
		i := p.next.Add(1) - 1
		if i >= p.n {
			return
		}
		p.task.Run(worker, int(i))
	}
}
