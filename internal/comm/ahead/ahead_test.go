package ahead

import (
	"context"
	"sync"
	"testing"
	"time"

	"boost/internal/comm"
)

// offsets are those of 600 features of 120 codes.
func offsets() []uint32 {
	of := make([]uint32, 601)
	for f := range of {
		of[f] = uint32(120 * f)
	}
	return of
}

// join returns two ranks and the parts of each.
func join(t *testing.T) (ranks [2]*comm.Ranks, parts []comm.Part) {
	var all sync.WaitGroup
	for r, c := range comm.Local(2) {
		all.Go(func() {
			var err error
			if ranks[r], err = comm.Join(context.Background(), c, 10); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	return ranks, []comm.Part{{From: 0, To: 36_000}, {From: 36_000, To: 72_000}}
}

// Two ranks make tiles of a feature each, one in the opposite order of the other: each gets the sums of its part.
func TestSender(t *testing.T) {
	ranks, parts := join(t)
	var all sync.WaitGroup
	for r := range ranks {
		all.Go(func() {
			var s Sender
			s.Share(ranks[r], offsets(), parts)
			if !s.Worth(20_000, 600) || s.Worth(100, 600) {
				t.Error("worth is judged otherwise")
			}
			values := make([]uint64, 72_000)
			at := func(i int) int {
				if r == 1 {
					return 599 - i
				}
				return i
			}
			s.Begin(600, func(tile int, visit func(int)) { visit(at(tile)) }, func(parts []comm.Part, wait func(int)) { ranks[r].SumParts(values, parts, wait) })
			for i := range 600 {
				s.Tile(i, func(tile int) {
					for f, k := at(tile), 0; k < 120; k++ {
						values[120*f+k] = uint64((r + 1) * (f + k))
					}
				})
			}
			s.End()
			for i := parts[r].From; i < parts[r].To; i++ {
				if want := uint64(3 * (i/120 + i%120)); values[i] != want {
					t.Errorf("rank %d: value %d is %d, want %d", r, i, values[i], want)
					return
				}
			}
		})
	}
	all.Wait()
	if err := ranks[0].Err(); err != nil {
		t.Error(err)
	}
}

// A panic in a tile leaves nobody waiting for it.
func TestPanic(t *testing.T) {
	ranks, parts := join(t)
	var s Sender
	s.Share(ranks[0], offsets(), parts)
	waited := make(chan struct{})
	s.Begin(2, func(tile int, visit func(int)) { visit(tile) }, func(parts []comm.Part, wait func(int)) {
		for c := range chunks {
			wait(c)
		}
		close(waited)
	})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is gone")
			}
		}()
		s.Tile(0, func(int) { panic("in a tile") })
	}()
	select {
	case <-waited:
	case <-time.After(10 * time.Second):
		t.Error("the call waits for a tile that nobody makes")
	}
}
