package network

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"boost/internal/comm"
	"boost/internal/comm/mesh"
)

// MeasureOverhead finds the processor time of calls: sums of two lengths over ranks of this process, on the loopback.
func MeasureOverhead(ctx context.Context) (Overhead, error) {
	const ranks = 4
	long, err := callTime(ctx, ranks, 8<<20, 20)
	if err != nil {
		return Overhead{}, err
	}
	short, err := callTime(ctx, ranks, 40<<10, 1000)
	if err != nil {
		return Overhead{}, err
	}
	// long = PerByte·bytes + PerMessage·messages, and short likewise
	_, bl, messages := Step{Call: Sum64, Bytes: 8 << 20}.shape(ranks)
	_, bs, _ := Step{Call: Sum64, Bytes: 40 << 10}.shape(ranks)
	perByte := (long - short) / (bl - bs)
	return Overhead{PerByte: perByte, PerMessage: max(0, (short-perByte*bs)/messages)}, nil
}

// callTime returns the processor time, in nanoseconds, that a sum takes of a rank.
func callTime(ctx context.Context, ranks, bytes, times int) (float64, error) {
	ends, err := connect(ctx, ranks)
	if err != nil {
		return 0, err
	}
	var began time.Duration
	errs := make([]error, ranks)
	var all sync.WaitGroup
	for r, c := range ends {
		all.Go(func() {
			values := make([]uint64, bytes/8)
			for i := range times + 1 {
				if errs[r] = c.Sum64(ctx, values); errs[r] != nil {
					return
				}
				if i == 0 && r == 0 {
					began = processTime()
				}
			}
			errs[r] = c.Barrier(ctx)
		})
	}
	all.Wait()
	took := processTime() - began
	for _, c := range ends {
		all.Go(func() { _ = c.Close() })
	}
	all.Wait()
	return float64(took) / float64(ranks*times), errors.Join(errs...)
}

func processTime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) // fails for unknown clocks only
	return time.Duration(t.Nano())
}

// Secret is the token of ranks that only this machine sees.
const Secret = "ranks of a simulation"

// connect joins ranks of this process over the loopback.
func connect(ctx context.Context, ranks int) ([]comm.Comm, error) {
	listeners, addresses := make([]*mesh.Listener, ranks), make([]string, ranks)
	for r := range listeners {
		var err error
		if listeners[r], err = mesh.Listen("127.0.0.1:0"); err != nil {
			return nil, err
		}
		addresses[r] = listeners[r].Addr()
	}
	ends, errs := make([]comm.Comm, ranks), make([]error, ranks)
	var all sync.WaitGroup
	for r, l := range listeners {
		all.Go(func() { ends[r], errs[r] = l.Connect(ctx, r, addresses, mesh.Options{Token: Secret}) })
	}
	all.Wait()
	return ends, errors.Join(errs...)
}

// MeasureSent finds out what share of the bytes of all values the calls of a trace send, on the loopback.
func (t *Trace) MeasureSent(ctx context.Context) error {
	ends, err := connect(ctx, t.Ranks())
	if err != nil {
		return err
	}
	sent, errs := make([]int64, len(ends)), make([]error, len(ends))
	var all sync.WaitGroup
	for r, c := range ends {
		all.Go(func() {
			_, _, sent[r], errs[r] = Replay(ctx, c, t.Steps[r], func(Step) {})
			_ = c.Close()
		})
	}
	all.Wait()
	total := 0.0
	for _, n := range sent {
		total += float64(n)
	}
	t.Packed = 0
	bytes, _ := t.Sent()
	t.Packed = total / float64(t.Ranks()*t.Trees) / bytes
	return errors.Join(errs...)
}
