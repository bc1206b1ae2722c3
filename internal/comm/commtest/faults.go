package commtest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"boost/internal/comm"
)

// Each calls f for all ends at the same time and returns the errors by rank.
func Each(ends []comm.Comm, f func(c comm.Comm) error) []error {
	errs := make([]error, len(ends))
	done := make(chan struct{})
	for i, c := range ends {
		go func() {
			errs[i] = f(c)
			done <- struct{}{}
		}()
	}
	for range ends {
		<-done
	}
	return errs
}

// Faults checks what ranks 0 and 2 of three find out when rank 1 ends in one of several ways while they make a call. open
// returns the ends of three ranks of this process.
func Faults(t *testing.T, open func(t *testing.T) []comm.Comm) {
	interrupted, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupted"))
	for _, test := range []struct {
		name  string
		fault func(c comm.Comm) error
		rank  int // that is to blame, -1 for any
		text  string
		own   error // of rank 1
	}{
		{"abort", func(c comm.Comm) error { c.Abort(errors.New("disk full")); return nil }, 1, "disk full", nil},
		{"leave", comm.Comm.Close, 1, "left", nil},
		{"context is done", func(c comm.Comm) error { return c.Barrier(interrupted) }, 1, "interrupted", context.Canceled},
		{"context ends", func(c comm.Comm) error {
			ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, errors.New("out of time"))
			defer cancel()
			if err := c.Max(t.Context(), make([]float64, 4)); err != nil {
				return err
			}
			return c.Max(ctx, make([]float64, 4))
		}, 1, "out of time", context.DeadlineExceeded},
		{"other call", func(c comm.Comm) error { return c.Sum64(t.Context(), make([]uint64, 5)) }, -1, "calls", nil},
		{"other length", func(c comm.Comm) error { return c.Max(t.Context(), make([]float64, 5)) }, -1, "calls", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			ends := open(t)
			entered := make(chan struct{}, len(ends))
			began := time.Now()
			errs := Each(ends, func(c comm.Comm) error {
				if c.Rank() == 1 {
					for range len(ends) - 1 {
						<-entered
					}
					return test.fault(c)
				}
				entered <- struct{}{}
				if test.name == "context ends" { // all make one call; this rank computes afterwards
					if err := c.Max(t.Context(), make([]float64, 4)); err != nil || c.Rank() == 0 {
						time.Sleep(100 * time.Millisecond)
						return errors.Join(err, c.Max(t.Context(), make([]float64, 4)))
					}
				}
				return c.Max(t.Context(), make([]float64, 4))
			})
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("the calls ended after %v", took)
			}
			for r, c := range ends {
				if r != 1 {
					Blames(t, errs[r], test.rank, test.text)
				} else if test.own != nil && (!errors.Is(errs[r], test.own) || !errors.Is(errs[r], comm.ErrComm)) {
					t.Errorf("rank 1: %v, want one that is %v", errs[r], test.own)
				}
				if r == 1 && errs[r] == nil {
					continue
				}
				if again := c.Barrier(t.Context()); !errors.Is(again, comm.ErrComm) || again.Error() != errs[r].Error() {
					t.Errorf("rank %d: the next call ends with %v, the first with %v", r, again, errs[r])
				}
				if err := c.Close(); err != nil {
					t.Errorf("rank %d: Close: %v", r, err)
				}
			}
			_ = ends[1].Close()
		})
	}
}

// LastCall checks that a call which a rank has made before it aborts ends well at all others, however late they are, and the next one with
// its words. open returns the ends of three ranks of this process.
func LastCall(t *testing.T, open func(t *testing.T) []comm.Comm) {
	for range 8 {
		for _, call := range []func(c comm.Comm) error{
			func(c comm.Comm) error { _, err := c.Gather(t.Context(), make([]byte, 300<<10)); return err },
			func(c comm.Comm) error { return c.Sum64(t.Context(), make([]uint64, 100)) },
			func(c comm.Comm) error { return c.Sum64(t.Context(), make([]uint64, 50_000)) },
			func(c comm.Comm) error { return c.Barrier(t.Context()) },
		} {
			ends := open(t)
			for rank, err := range Each(ends, func(c comm.Comm) error {
				err := call(c)
				if c.Rank() == 1 {
					c.Abort(errors.New("disk full"))
				}
				return err
			}) {
				if err != nil {
					t.Errorf("rank %d: %v", rank, err)
				}
			}
			for _, err := range Each([]comm.Comm{ends[0], ends[2]}, func(c comm.Comm) error { return c.Barrier(t.Context()) }) {
				Blames(t, err, 1, "disk full")
			}
			for _, c := range ends {
				_ = c.Close()
			}
		}
	}
}

// Blames fails a test unless err is a *comm.Error of a rank, -1 for any, with a text.
func Blames(t testing.TB, err error, rank int, text string) {
	t.Helper()
	var blame *comm.Error
	if !errors.As(err, &blame) || rank >= 0 && blame.Rank != rank || !strings.Contains(blame.Text, text) || !errors.Is(err, comm.ErrComm) {
		t.Errorf("the error is %v, want one of rank %d with %q", err, rank, text)
	}
}
