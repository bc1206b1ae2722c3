package mesh_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"boost/internal/comm"
	"boost/internal/comm/commtest"
	"boost/internal/comm/mesh"
	"boost/internal/testenv"
)

const token = "a token of the tests only"

// connect returns the ends of n ranks of this process.
func connect(t testing.TB, n int, o mesh.Options) []comm.Comm {
	t.Helper()
	listeners, addresses := listen(t, n)
	ends := make([]comm.Comm, n)
	errs := make(chan error)
	for r := range n {
		go func() {
			m, err := listeners[r].Connect(t.Context(), r, addresses, o)
			ends[r] = m
			errs <- err
		}()
	}
	for range n {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	return ends
}

// listen opens an address for each rank, at a port that nothing else of this machine gets when a test closes it.
func listen(t testing.TB, n int) (listeners []*mesh.Listener, addresses []string) {
	t.Helper()
	addresses, err := commtest.Addresses(n)
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range addresses {
		l, err := mesh.Listen(address)
		if err != nil {
			t.Fatal(err)
		}
		listeners = append(listeners, l)
	}
	return listeners, addresses
}

func TestCalls(t *testing.T) {
	for _, test := range []struct {
		ranks int
		tls   bool
	}{{1, false}, {2, false}, {3, false}, {5, false}, {8, false}, {3, true}} {
		t.Run(fmt.Sprintf("%d ranks, TLS %v", test.ranks, test.tls), func(t *testing.T) {
			ends := connect(t, test.ranks, mesh.Options{Token: token, TLS: test.tls})
			if err := errors.Join(commtest.Each(ends, func(c comm.Comm) error {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				if err := commtest.Check(ctx, c, 1); err != nil {
					return err
				}
				if err := c.Barrier(ctx); err != nil {
					return err
				}
				return c.Close()
			})...); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	commtest.Faults(t, func(t *testing.T) []comm.Comm {
		return connect(t, 3, mesh.Options{Token: token, Silence: 2 * time.Second})
	})
}

func TestLastCall(t *testing.T) {
	commtest.LastCall(t, func(t *testing.T) []comm.Comm {
		return connect(t, 3, mesh.Options{Token: token, Silence: 2 * time.Second})
	})
}

// A rank that computes for longer than the limit of silence is not at fault.
func TestSlow(t *testing.T) {
	t.Parallel()
	const silence = time.Second
	for r, err := range commtest.Each(connect(t, 3, mesh.Options{Token: token, Silence: silence}), func(c comm.Comm) error {
		if c.Rank() == 1 {
			time.Sleep(3 * silence / 2)
		}
		return errors.Join(c.Sum64(t.Context(), make([]uint64, 100_000)), c.Barrier(t.Context()), c.Close())
	}) {
		if err != nil {
			t.Errorf("rank %d: %v", r, err)
		}
	}
}

// Two ranks that wait for each other in different calls find out.
func TestOtherRoot(t *testing.T) {
	t.Parallel()
	for _, err := range commtest.Each(connect(t, 2, mesh.Options{Token: token, Silence: 2 * time.Second}), func(c comm.Comm) error {
		_, err := c.Broadcast(t.Context(), 1-c.Rank(), nil)
		return errors.Join(err, c.Close())
	}) {
		commtest.Blames(t, err, -1, "calls Broadcast from rank")
	}
}

func TestMemory(t *testing.T) {
	testenv.Unraced(t)
	ends := connect(t, 2, mesh.Options{Token: token})
	const runs = 20
	for _, n := range []int{10, 100_000} {
		call := func(c comm.Comm) func() {
			values, narrow := make([]uint64, n), make([]uint32, n)
			parts := []comm.Part{{To: n / 3}, {From: n / 3, To: n}}
			return func() {
				a, b, c := c.Sum64(t.Context(), values), c.Sum32(t.Context(), narrow), c.SumParts64(t.Context(), values, parts, nil)
				if a != nil || b != nil || c != nil {
					t.Error(a, b, c)
				}
			}
		}
		done := make(chan struct{})
		go func() {
			other := call(ends[1])
			for range 1 + runs { // AllocsPerRun makes a call more
				other()
			}
			close(done)
		}()
		if got := testing.AllocsPerRun(runs, call(ends[0])); got > 0 {
			t.Errorf("%v allocations for sums of %d values", got, n)
		}
		<-done
	}
	commtest.Each(ends, comm.Comm.Close)
}

// Nothing runs on after Close, whether all went well, a rank failed, or the ranks never met.
func TestGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	commtest.Each(connect(t, 3, mesh.Options{Token: token}), func(c comm.Comm) error {
		return errors.Join(c.Barrier(t.Context()), c.Close())
	})
	commtest.Each(connect(t, 3, mesh.Options{Token: token, TLS: true}), func(c comm.Comm) error {
		if c.Rank() == 1 {
			c.Abort(errors.New("disk full"))
		}
		return errors.Join(c.Sum64(t.Context(), make([]uint64, 100_000)), c.Close())
	})
	listeners, addresses := listen(t, 2)
	if _, err := listeners[1].Connect(t.Context(), 1, addresses, mesh.Options{Token: token, Wait: 100 * time.Millisecond}); err == nil {
		t.Error("a rank connected to one that is not there")
	}
	_ = listeners[0].Close()
	for range 200 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
}
