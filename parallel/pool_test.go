package parallel_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"boost/internal/testenv"
	"boost/parallel"
)

// Every index runs once, by a worker in range, for more and for fewer pieces than workers.
func TestDo(t *testing.T) {
	for _, threads := range []int{-1, 1, 2, 3, 8} {
		pool := parallel.NewPool(threads)
		if want := max(threads, 1); pool.Threads() != want {
			t.Errorf("NewPool(%d).Threads() = %d", threads, pool.Threads())
		}
		for _, n := range []int{0, -3, 1, 2, 7, 1000} {
			runs := make([]atomic.Int32, max(n, 0))
			pool.Do(n, parallel.Func(func(worker, index int) {
				if worker < 0 || worker >= pool.Threads() {
					t.Errorf("worker %d of %d", worker, pool.Threads())
				}
				runs[index].Add(1)
			}))
			for i := range runs {
				if got := runs[i].Load(); got != 1 {
					t.Errorf("%d threads, n = %d: index %d ran %d times", threads, n, i, got)
				}
			}
		}
		pool.Close()
	}
}

// Calls with the same worker number never overlap, and all workers can take part.
func TestWorkersAreScratch(t *testing.T) {
	const threads = 4
	pool := parallel.NewPool(threads)
	defer pool.Close()
	var inside [threads]atomic.Int32
	var all sync.WaitGroup // passed only when every worker holds a piece
	all.Add(threads)
	pool.Do(threads, parallel.Func(func(worker, _ int) {
		if inside[worker].Add(1) != 1 {
			t.Errorf("worker %d runs two pieces at once", worker)
		}
		all.Done()
		all.Wait()
		inside[worker].Add(-1)
	}))
}

func TestPanic(t *testing.T) {
	for _, threads := range []int{1, 3} {
		pool := parallel.NewPool(threads)
		said := func() (said string) {
			defer func() { said = fmt.Sprint(recover()) }()
			pool.Do(100, parallel.Func(func(_, index int) {
				if index == 5 {
					panicHere()
				}
			}))
			return ""
		}()
		if !strings.Contains(said, "broken rule") || !strings.Contains(said, "panicHere") {
			t.Errorf("panic of a task became %q, want its value and its stack", said)
		}
		var ran atomic.Int32
		pool.Do(50, parallel.Func(func(_, _ int) { ran.Add(1) }))
		if ran.Load() != 50 {
			t.Errorf("after a panic %d of 50 pieces ran", ran.Load())
		}
		pool.Close()
	}
}

func panicHere() { panic("broken rule") }

// A panic stops the handing out: besides it only pieces that were already taken run.
func TestPanicStops(t *testing.T) {
	const threads = 3
	pool := parallel.NewPool(threads)
	defer pool.Close()
	var ran atomic.Int64
	func() {
		defer func() { _ = recover() }()
		pool.Do(1_000_000, parallel.Func(func(_, _ int) {
			if ran.Add(1) >= 10 {
				panic("stop")
			}
		}))
	}()
	if got := ran.Load(); got < 10 || got > 9+threads {
		t.Errorf("%d pieces ran, want the 10th and at most one per other worker after it", got)
	}
}

func TestOverlap(t *testing.T) {
	pool := parallel.NewPool(2)
	defer pool.Close()
	said := func() (said string) {
		defer func() { said = fmt.Sprint(recover()) }()
		pool.Do(1, parallel.Func(func(_, _ int) {
			pool.Do(1, parallel.Func(func(_, _ int) {}))
		}))
		return ""
	}()
	if !strings.Contains(said, "while another call") {
		t.Errorf("a Do inside a Do said %q", said)
	}
}

func TestCancel(t *testing.T) {
	const threads = 3
	pool := parallel.NewPool(threads)
	defer pool.Close()
	ctx, cancel := context.WithCancel(context.Background())
	var ran atomic.Int64
	err := pool.DoContext(ctx, 1_000_000, parallel.Func(func(_, _ int) {
		if ran.Add(1) >= 10 {
			cancel()
		}
	}))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if got := ran.Load(); got < 10 || got > 9+threads {
		t.Errorf("%d pieces ran, want the 10th and at most one per other worker after it", got)
	}
	if err := pool.DoContext(ctx, 5, parallel.Func(func(_, _ int) { t.Error("a piece ran under a done context") })); err == nil {
		t.Error("no error from a done context")
	}
	if err := pool.DoContext(ctx, 0, nil); err == nil {
		t.Error("no error from a done context without pieces")
	}
	ran.Store(0)
	if err := pool.DoContext(context.Background(), 20, parallel.Func(func(_, _ int) { ran.Add(1) })); err != nil || ran.Load() != 20 {
		t.Errorf("after a cancellation: %v, %d of 20 pieces", err, ran.Load())
	}
}

// counter is a task that a stage would keep in its struct.
type counter struct{ perWorker [8]int64 }

func (c *counter) Run(worker, index int) { c.perWorker[worker] += int64(index) }

func TestNoAllocations(t *testing.T) {
	testenv.Unraced(t)
	pool := parallel.NewPool(4)
	defer pool.Close()
	c := &counter{}
	ctx := context.Background()
	if got := testing.AllocsPerRun(100, func() { pool.Do(16, c) }); got != 0 {
		t.Errorf("Do allocates %v times", got)
	}
	if got := testing.AllocsPerRun(100, func() { _ = pool.DoContext(ctx, 16, c) }); got != 0 {
		t.Errorf("DoContext allocates %v times", got)
	}
}

// Close ends the workers, also of a pool that never ran, and can be repeated.
func TestCloseEndsWorkers(t *testing.T) {
	before := runtime.NumGoroutine()
	for i := range 20 {
		pool := parallel.NewPool(8)
		if i%2 == 0 {
			pool.Do(8, &counter{})
		}
		pool.Close()
		pool.Close()
	}
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines are left, %d before", runtime.NumGoroutine(), before)
		}
	}
}

func TestBlocks(t *testing.T) {
	for _, c := range []struct{ n, size, blocks int }{{0, 4, 0}, {1, 4, 1}, {4, 4, 1}, {5, 4, 2}, {8192, 4096, 2}, {8193, 4096, 3}} {
		blocks := parallel.Blocks(c.n, c.size)
		if blocks != c.blocks {
			t.Errorf("Blocks(%d, %d) = %d, want %d", c.n, c.size, blocks, c.blocks)
		}
		next := 0
		for i := range blocks {
			lo, hi := parallel.Block(i, c.n, c.size)
			if lo != next || hi <= lo || hi-lo > c.size || i < blocks-1 && hi-lo != c.size {
				t.Errorf("Block(%d, %d, %d) = [%d, %d) after %d", i, c.n, c.size, lo, hi, next)
			}
			next = hi
		}
		if next != c.n {
			t.Errorf("blocks of %d end at %d", c.n, next)
		}
	}
}

func BenchmarkDo(b *testing.B) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			pool := parallel.NewPool(threads)
			defer pool.Close()
			c := &counter{}
			for b.Loop() {
				pool.Do(threads, c)
			}
		})
	}
}

func ExamplePool_Do() {
	pool := parallel.NewPool(2)
	defer pool.Close()
	squares := make([]int, 5)
	pool.Do(len(squares), parallel.Func(func(_, i int) { squares[i] = i * i }))
	fmt.Println(squares)
	// Output: [0 1 4 9 16]
}

// A caller does not wait for a worker that wakes up when nothing is left to do, and such a
// worker takes part in a later call as usual: short calls follow each other without a rest,
// each of whose pieces runs once.
func TestManyShortCalls(t *testing.T) {
	const threads, calls = 4, 20_000
	pool := parallel.NewPool(threads)
	defer pool.Close()
	var inside [threads]atomic.Int32
	runs := make([]int, 7)
	for call := range calls {
		n := 1 + call%len(runs)
		pool.Do(n, parallel.Func(func(worker, index int) {
			if inside[worker].Add(1) != 1 {
				t.Errorf("worker %d runs two pieces at once", worker)
			}
			runs[index]++
			inside[worker].Add(-1)
		}))
		for i, got := range runs[:n] {
			if got != 1 {
				t.Fatalf("call %d: piece %d ran %d times", call, i, got)
			}
			runs[i] = 0
		}
	}
}

// stages is a series of which each pass writes places of its own from those of the one before.
type stages struct {
	t      *testing.T
	pool   *parallel.Pool
	inside []atomic.Int32 // per worker
	sums   [][]int64
	at     int
	inner  bool // between passes others are run
	asleep time.Duration
}

func (s *stages) Next() (int, parallel.Task) {
	s.at++
	if s.at == len(s.sums) {
		return 0, nil
	}
	if s.inner {
		var ran atomic.Int32
		s.pool.Nested().Do(5, parallel.Func(func(_, _ int) { ran.Add(1) }))
		if ran.Load() != 5 {
			s.t.Errorf("%d of 5 pieces of an inner pass have run", ran.Load())
		}
	}
	return len(s.sums[s.at]), s
}

func (s *stages) Run(worker, index int) {
	if s.inside[worker].Add(1) != 1 {
		s.t.Errorf("worker %d runs two pieces at once", worker)
	}
	if s.asleep > 0 && index == 0 {
		time.Sleep(s.asleep)
	}
	total := int64(index)
	for _, v := range s.sums[s.at-1] {
		total += v
	}
	s.sums[s.at][index] += total
	s.inside[worker].Add(-1)
}

// Passes of a series follow each other: every piece runs once, sees all that the pass before has
// written, and no worker runs two at a time, whoever goes on with the series.
func TestDoSeries(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 7} {
		for _, inner := range []bool{false, true} {
			for _, asleep := range []time.Duration{0, 200 * time.Microsecond} {
				pool := parallel.NewPool(threads)
				passes := 3000
				if asleep > 0 {
					passes = 100
				}
				s := &stages{t: t, pool: pool, inside: make([]atomic.Int32, threads), inner: inner, asleep: asleep}
				s.sums = make([][]int64, passes)
				for i := range s.sums {
					s.sums[i] = make([]int64, 1+i%9)
				}
				pool.DoSeries(s)
				for at := 1; at < passes; at++ {
					before := int64(0)
					for _, v := range s.sums[at-1] {
						before += v
					}
					for i, v := range s.sums[at] {
						if v != before+int64(i) {
							t.Fatalf("%d threads: pass %d, index %d: %d, want %d", threads, at, i, v, before+int64(i))
						}
					}
				}
				c := &counter{}
				pool.Do(8, c) // by the caller, worker 0, and others as ever
				total := int64(0)
				for _, v := range c.perWorker {
					total += v
				}
				if total != 28 {
					t.Errorf("a pass after a series added up to %d, want 28", total)
				}
				pool.Close()
			}
		}
	}
}

// failing is a series whose third pass, or what follows it, panics.
type failing struct {
	pool *parallel.Pool
	at   int
	how  string
	ran  atomic.Int32
}

func (s *failing) Next() (int, parallel.Task) {
	s.at++
	if s.at == 4 {
		switch s.how {
		case "next":
			panicHere()
		case "inner":
			s.pool.Nested().Do(3, parallel.Func(func(_, _ int) { panicHere() }))
		case "series":
			s.pool.Nested().DoSeries(s)
		case "stranger":
			s.pool.Do(3, s)
		case "task of an inner pass":
			nested := s.pool.Nested()
			nested.Do(3, parallel.Func(func(_, _ int) { nested.Do(1, s) }))
		case "goroutine ends":
			runtime.Goexit()
		}
	}
	return 6, s
}

func (s *failing) Run(_, index int) {
	s.ran.Add(1)
	if s.at == 3 && s.how == "task" && index == 2 {
		panicHere()
	}
}

// A panic in a series ends it, and is raised in the caller, who can go on with the pool.
func TestSeriesPanics(t *testing.T) {
	for _, threads := range []int{1, 2, 5} {
		for how, want := range map[string]string{
			"task": "panicHere", "next": "panicHere", "inner": "panicHere",
			"series": "while another call", "stranger": "while another call", "task of an inner pass": "while another call",
		} {
			pool := parallel.NewPool(threads)
			for range 20 {
				s := &failing{pool: pool, how: how}
				said := func() (said string) {
					defer func() { said = fmt.Sprint(recover()) }()
					pool.DoSeries(s)
					return ""
				}()
				if !strings.Contains(said, want) || strings.Count(said, "worker panic") != 1 {
					t.Errorf("%d threads, panic in %s: %q, want %q in it, told once", threads, how, said, want)
				}
				if got := s.ran.Load(); got > 18 {
					t.Errorf("%d threads, panic in %s: %d pieces ran", threads, how, got)
				}
				var ran atomic.Int32
				pool.Do(50, parallel.Func(func(_, _ int) { ran.Add(1) }))
				if ran.Load() != 50 {
					t.Errorf("after a panic %d of 50 pieces ran", ran.Load())
				}
			}
			pool.Close()
		}
	}
}

// once is a series of three passes that leaves no trace.
type once struct{ at int }

func (s *once) Next() (int, parallel.Task) {
	if s.at++; s.at > 3 {
		s.at = 0
		return 0, nil
	}
	return 8, s
}

func (s *once) Run(_, _ int) {}

func TestSeriesAllocatesNothing(t *testing.T) {
	testenv.Unraced(t)
	pool := parallel.NewPool(4)
	defer pool.Close()
	s := &once{}
	if got := testing.AllocsPerRun(100, func() { pool.DoSeries(s) }); got != 0 {
		t.Errorf("DoSeries allocates %v times", got)
	}
}

// A goroutine that ends in Next, as by t.FailNow, ends the series too.
func TestSeriesGoexit(t *testing.T) {
	for range 30 { // whoever it is that ends, all of them in time
		ended := make(chan string)
		three := parallel.NewPool(3)
		go func() {
			said := ""
			defer func() { ended <- said }()
			defer func() {
				if v := recover(); v != nil {
					said = fmt.Sprint(v)
				}
			}()
			three.DoSeries(&failing{how: "goroutine ends"})
		}()
		select {
		case said := <-ended:
			if said != "" && !strings.Contains(said, "Goexit") {
				t.Errorf("a goroutine that ended said %q", said)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("the series has not ended")
		}
		three.Close()
	}
}
