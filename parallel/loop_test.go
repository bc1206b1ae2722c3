package parallel_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"boost/parallel"
)

// tree is a Source of the nodes of a binary tree: those of a level are known once their
// parents have been run.
type tree struct {
	depth   int
	open    []int
	running int
	runs    []atomic.Int32
	calls   atomic.Int32 // of Next and Done at the same time
	panics  int
}

func newTree(depth int) *tree {
	return &tree{depth: depth, open: []int{1}, runs: make([]atomic.Int32, 1<<depth)}
}

func (s *tree) Next(int) (piece int, n parallel.News) {
	if s.calls.Add(1) != 1 {
		panic("overlapping calls")
	}
	defer s.calls.Add(-1)
	switch {
	case len(s.open) > 0:
		piece, s.open = s.open[len(s.open)-1], s.open[:len(s.open)-1]
		s.running++
		return piece, parallel.Piece
	case s.running > 0:
		return 0, parallel.Later
	}
	return 0, parallel.Ended
}

func (s *tree) Run(_, piece int) {
	if piece == s.panics {
		panic("this piece")
	}
	if piece%5 == 0 {
		time.Sleep(time.Microsecond)
	}
	s.runs[piece].Add(1)
}

func (s *tree) Done(_, piece int) {
	if s.calls.Add(1) != 1 {
		panic("overlapping calls")
	}
	defer s.calls.Add(-1)
	s.running--
	if 2*piece < len(s.runs) {
		s.open = append(s.open, 2*piece, 2*piece+1)
	}
}

// Every piece is run once, for any number of workers, whether they spin or sleep.
func TestLoop(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 8} {
		for _, spin := range []time.Duration{0, 20 * time.Microsecond} {
			pool := parallel.NewSpinningPool(threads, spin)
			for range 20 {
				s := newTree(9)
				pool.Do(threads, parallel.NewLoop(pool, s))
				for i := 1; i < len(s.runs); i++ {
					if n := s.runs[i].Load(); n != 1 {
						t.Fatalf("%d threads, spin %v: piece %d ran %d times", threads, spin, i, n)
					}
				}
			}
			pool.Close()
		}
	}
}

// A panic in a piece reaches the caller, and no worker waits for what will not come.
func TestLoopPanic(t *testing.T) {
	for _, threads := range []int{1, 3} {
		pool := parallel.NewPool(threads)
		s := newTree(6)
		s.panics = 1 // the others wait for its children
		said := func() (said string) {
			defer func() { said = fmt.Sprint(recover()) }()
			pool.Do(threads, parallel.NewLoop(pool, s))
			return ""
		}()
		if !strings.Contains(said, "this piece") {
			t.Errorf("%d threads: %q", threads, said)
		}
		var ran atomic.Int32
		pool.Do(50, parallel.Func(func(_, _ int) { ran.Add(1) }))
		if ran.Load() != 50 {
			t.Errorf("%d threads: %d of 50 pieces after a panic", threads, ran.Load())
		}
		pool.Close()
	}
}

// crowd is a Source of pieces that come one after the other, each of which is run by all workers.
type crowd struct {
	loop   *parallel.Loop
	pieces int
	next   int
	busy   bool
	ran    []atomic.Int32 // by index of all pieces
	by     []atomic.Int32 // by worker
	panics int            // an index
}

const crowdIndices = 40

func (s *crowd) Next(int) (piece int, n parallel.News) {
	switch {
	case s.busy:
		return 0, parallel.Later
	case s.next == s.pieces:
		return 0, parallel.Ended
	}
	s.busy = true
	s.next++
	return s.next - 1, parallel.Piece
}

func (s *crowd) Run(worker, piece int) {
	time.Sleep(5 * time.Microsecond) // the others begin to wait
	s.loop.Crew(worker).Do(crowdIndices, parallel.Func(func(by, i int) {
		if at := piece*crowdIndices + i; at == s.panics {
			panic("this index")
		} else {
			s.ran[at].Add(1)
		}
		s.by[by].Add(1)
		for begin := time.Now(); time.Since(begin) < time.Microsecond; {
		}
	}))
	for i := range crowdIndices {
		if n := s.ran[piece*crowdIndices+i].Load(); n != 1 && s.panics < 0 {
			panic(fmt.Sprintf("index %d of piece %d was run %d times when Do returned", i, piece, n))
		}
	}
}

func (s *crowd) Done(int, int) { s.busy = false }

func newCrowd(pool *parallel.Pool, pieces int) *crowd {
	s := &crowd{pieces: pieces, panics: -1, ran: make([]atomic.Int32, pieces*crowdIndices), by: make([]atomic.Int32, pool.Threads())}
	s.loop = parallel.NewLoop(pool, s)
	return s
}

// Workers without a piece take part in that of another, and Do returns when all indices are done.
func TestCrew(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 8} {
		for _, spin := range []time.Duration{0, 200 * time.Microsecond} {
			pool := parallel.NewSpinningPool(threads, spin)
			s := newCrowd(pool, 200)
			pool.Do(threads, s.loop)
			for at := range s.ran {
				if n := s.ran[at].Load(); n != 1 {
					t.Fatalf("%d threads, spin %v: index %d ran %d times", threads, spin, at, n)
				}
			}
			pool.Close()
		}
	}
}

// A panic in an index reaches the caller, whoever ran it.
func TestCrewPanic(t *testing.T) {
	for index := range crowdIndices {
		pool := parallel.NewSpinningPool(3, 200*time.Microsecond)
		s := newCrowd(pool, 3)
		s.panics = crowdIndices + index
		said := func() (said string) {
			defer func() { said = fmt.Sprint(recover()) }()
			pool.Do(3, s.loop)
			return ""
		}()
		if !strings.Contains(said, "this index") {
			t.Errorf("index %d: %q", index, said)
		}
		pool.Close()
	}
}

// chain is a Source of one piece at a time.
type chain struct {
	left    int
	running bool
	asked   int
}

func (s *chain) Next(int) (piece int, n parallel.News) {
	switch s.asked++; {
	case s.running:
		return 0, parallel.Later
	case s.left == 0:
		return 0, parallel.Ended
	}
	s.left, s.running = s.left-1, true
	return s.left, parallel.Piece
}

func (s *chain) Run(int, int) { time.Sleep(20 * time.Microsecond) }

func (s *chain) Done(int, int) { s.running = false }

// For each piece two workers ask: the one that has run a piece, and one that waits. The others sleep on.
func TestLoopWakesOne(t *testing.T) {
	const pieces, threads = 200, 8
	for _, spin := range []time.Duration{0, 200 * time.Microsecond} {
		pool := parallel.NewSpinningPool(threads, spin)
		s := &chain{left: pieces}
		pool.Do(threads, parallel.NewLoop(pool, s))
		if most := 2*pieces + 2*threads; s.left > 0 || s.asked > most {
			t.Errorf("spin %v: %d pieces left, workers asked %d times, want %d at most", spin, s.left, s.asked, most)
		}
		pool.Close()
	}
}
