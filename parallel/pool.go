package parallel

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"
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

// Series is work of passes, each of which begins after the one before has ended.
//
// Next ends the pass before, if there was one, and returns the number of indices and the task
// of the next; no indices: the series has ended. It is called first by the caller of DoSeries,
// then by whichever worker came out of the pass last, while no other runs; not again after a
// panic. Passes of its own it runs with Pool.Nested.
type Series interface {
	Next() (n int, task Task)
}

// Pool is a fixed set of long-lived workers. The goroutine that calls Do or DoSeries is
// worker 0; the others sleep between passes, those of a NewSpinningPool after a moment.
// A Pool serves one call at a time: a call while another runs, from another goroutine
// or from inside a task, panics.
type Pool struct {
	*team
	nested bool // a call while Next runs is one of a pass of its own
}

// team is the workers of a Pool.
type team struct {
	threads int
	wake    []*gate // of every worker; the first one sleeps there in the midst of a series
	busy    atomic.Bool
	closed  atomic.Bool

	entry        // workers that wake up join the pass that is open then, if one is
	leader int   // the worker that opened it
	inner  bool  // the leader waits for its end; else the last one out goes on with the series
	left   *gate // where it waits
	spin   time.Duration

	series  Series      // nil for Do
	between atomic.Bool // Next runs, and no pass of its own
	ended   atomic.Bool // the series has ended

	task Task
	ctx  context.Context // nil for Do
	n    int64

	_      [64]byte // what all write for each index is on a cache line of its own
	next   atomic.Int64
	_      [64]byte
	failed atomic.Pointer[workerPanic]
}

const overlap = "parallel: Pool.Do or DoSeries called while another call of the same pool runs"

// workerPanic is what a worker has panicked with, and where.
type workerPanic struct{ text string }

func (p *workerPanic) Error() string { return p.text }

// panicked returns what a worker has panicked with, as it is where it was raised again.
func panicked(v any) *workerPanic {
	if p, ok := v.(*workerPanic); ok {
		return p
	}
	return &workerPanic{fmt.Sprintf("parallel: worker panic: %v\n%s", v, debug.Stack())}
}

// NewPool starts threads-1 workers; fewer than one thread counts as one.
// Close ends them.
func NewPool(threads int) *Pool { return NewSpinningPool(threads, 0) }

// NewSpinningPool is NewPool for workers that spin for so long before they sleep, where they wait
// for a pass or for the end of one: for processors that nobody else needs.
func NewSpinningPool(threads int, spin time.Duration) *Pool {
	if threads < 1 {
		threads = 1
	}
	p := &Pool{team: &team{threads: threads, wake: make([]*gate, threads), left: newGate(spin), spin: spin}}
	p.shut()
	for i := range p.wake {
		p.wake[i] = newGate(spin)
	}
	for i := 1; i < threads; i++ {
		go p.work(i)
	}
	return p
}

// Threads returns the number of workers, the caller of Do included.
func (p *Pool) Threads() int { return p.threads }

// Nested returns the same workers for the passes that the Next of a Series runs by itself: the
// worker that calls it keeps its number, and waits for their end. Without a series that runs it
// is as good as the Pool. Whoever else calls meanwhile has to have the Pool itself, so that the
// overlap is found.
func (p *Pool) Nested() *Pool { return &Pool{p.team, true} }

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

// DoSeries runs the passes of s until its end. A panic in a task or in Next ends the series, and
// is raised again in the caller.
//
// Between passes that Do runs, the caller has to be woken, and then to wake the others. Here the
// last worker to come out of a pass begins the next one, and wakes the others as soon as it is
// out: they are on their way while it finds out what there is to do.
func (p *Pool) DoSeries(s Series) {
	if !p.busy.CompareAndSwap(false, true) {
		panic(overlap)
	}
	p.series = s
	p.ended.Store(false)
	p.goOn(0)
	for !p.ended.Load() {
		p.wake[0].wait()
		p.takePart(0)
	}
	p.series = nil
	p.release()
}

// acquire makes an overlapping call fail where it is made, not as a data race.
func (p *Pool) acquire() {
	if !p.busy.CompareAndSwap(false, true) && !(p.nested && p.between.CompareAndSwap(true, false)) {
		panic(overlap)
	}
}

// release ends a call, and raises the panic of a worker in the caller.
func (p *team) release() {
	failed := p.failed.Swap(nil)
	if p.series != nil { // the call was of an inner pass
		p.between.Store(true)
	} else {
		p.leader = 0
		p.busy.Store(false)
	}
	if failed != nil {
		panic(failed)
	}
}

// run is a pass for whose end the caller waits.
func (p *team) run(n int, task Task) {
	p.inner = true
	if !p.pass(n, task) {
		p.left.wait()
	}
	p.task, p.ctx = nil, nil
	p.release()
}

// pass opens a pass, works in it and closes it. It reports whether it has ended: else others are
// inside, the last of whom ends it.
func (p *team) pass(n int, task Task) (ended bool) {
	p.task, p.n = task, int64(n)
	p.next.Store(0)
	p.open()
	p.rouse(p.leader)
	p.drain(p.leader)
	return p.close()
}

// goOn goes on with the series: the worker is the last one out of a pass.
func (p *team) goOn(worker int) {
	for {
		p.leader = worker
		n, task := p.following(worker)
		if n <= 0 {
			p.end(worker)
			return
		}
		p.inner = false
		if !p.pass(n, task) {
			return
		}
		p.rouse(worker)
	}
}

// end ends the series, whose caller may sleep.
func (p *team) end(worker int) {
	p.ended.Store(true)
	if worker != 0 {
		p.wake[0].open()
	}
}

// following returns the next pass of the series, none after a panic.
func (p *team) following(worker int) (n int, task Task) {
	p.task = nil
	if p.failed.Load() != nil {
		return 0, nil
	}
	returned := false
	defer func() {
		p.between.Store(false)
		switch v := recover(); {
		case v != nil:
			p.failed.Store(panicked(v))
			n, task = 0, nil
		case !returned: // the goroutine ends here
			p.failed.Store(&workerPanic{"parallel: runtime.Goexit called between the passes of a series"})
			p.end(worker)
		}
	}()
	p.between.Store(true)
	n, task = p.series.Next()
	returned = true
	return n, task
}

// rouse wakes two workers for each that is awake, so that the first of many has not to wake
// them all: to wake a thread takes some microseconds.
func (p *team) rouse(worker int) {
	order := (worker - p.leader + p.threads) % p.threads // the leader is the first
	for w := 2*order + 1; w <= 2*order+2 && w < p.threads && int64(w) < p.n; w++ {
		p.wake[(w+p.leader)%p.threads].open()
	}
}

func (p *team) work(worker int) {
	for {
		p.wake[worker].wait()
		if p.closed.Load() {
			return
		}
		p.takePart(worker)
	}
}

// takePart works in the pass that is open, if one is, and goes on from its end if it is the last
// one out.
func (p *team) takePart(worker int) {
	if !p.join() {
		return
	}
	p.rouse(worker)
	p.drain(worker)
	switch {
	case !p.leave():
	case p.inner:
		p.left.open()
	default:
		p.leader = worker
		p.rouse(worker)
		p.goOn(worker)
	}
}

func (p *team) drain(worker int) {
	defer func() {
		if v := recover(); v != nil {
			p.failed.CompareAndSwap(nil, panicked(v))
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
