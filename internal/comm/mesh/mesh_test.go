package mesh_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"boost/internal/comm"
	"boost/internal/comm/commtest"
	"boost/internal/comm/mesh"
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

func listen(t testing.TB, n int) (listeners []*mesh.Listener, addresses []string) {
	t.Helper()
	for range n {
		l, err := mesh.Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listeners, addresses = append(listeners, l), append(addresses, l.Addr())
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
