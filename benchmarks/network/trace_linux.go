package network

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"boost/booster"
	"boost/dataset"
	"boost/internal/comm"
)

// recorder writes down the calls of a rank and computes alone: it gives the turn away while it is in a call.
type recorder struct {
	comm.Comm
	turn  *sync.Mutex
	since time.Duration // processor time of the thread when the last call had ended
	steps []Step
	keep  bool // steps are those of trees, not of what comes before
}

// threadTime returns the processor time of the thread that calls it.
func threadTime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) // fails for unknown clocks only
	return time.Duration(t.Nano())
}

func (r *recorder) take() {
	r.turn.Lock()
	r.since = threadTime()
}

// step makes a call.
func (r *recorder) step(s Step, call func() error) error {
	s.CPU = threadTime() - r.since
	r.turn.Unlock()
	err := call()
	r.take()
	if r.keep {
		r.steps = append(r.steps, s)
	}
	return err
}

func (r *recorder) Sum64(ctx context.Context, values []uint64) error {
	return r.step(Step{Call: Sum64, Bytes: 8 * len(values), Words: slices.Clone(values)}, func() error { return r.Comm.Sum64(ctx, values) })
}

func (r *recorder) Sum32(ctx context.Context, values []uint32) error {
	return r.step(Step{Call: Sum32, Bytes: 4 * len(values)}, func() error { return r.Comm.Sum32(ctx, values) })
}

func (r *recorder) SumParts64(ctx context.Context, values []uint64, parts []comm.Part, wait func(int)) error {
	s := Step{Call: SumParts64, Bytes: 8 * len(values), Parts: slices.Clone(parts), Words: slices.Clone(values)}
	return r.step(s, func() error { return r.Comm.SumParts64(ctx, values, parts, wait) })
}

func (r *recorder) Max(ctx context.Context, values []float64) error {
	return r.step(Step{Call: Max, Bytes: 8 * len(values)}, func() error { return r.Comm.Max(ctx, values) })
}

func (r *recorder) Gather(ctx context.Context, mine []byte) (all [][]byte, err error) {
	err = r.step(Step{Call: Gather, Bytes: len(mine)}, func() error {
		var err error
		all, err = r.Comm.Gather(ctx, mine)
		return err
	})
	return all, err
}

func (r *recorder) Broadcast(ctx context.Context, root int, data []byte) (got []byte, err error) {
	err = r.step(Step{Call: Broadcast, Bytes: len(data), Root: root}, func() error {
		var err error
		got, err = r.Comm.Broadcast(ctx, root, data)
		return err
	})
	return got, err
}

func (r *recorder) Barrier(ctx context.Context) error {
	return r.step(Step{Call: Barrier}, func() error { return r.Comm.Barrier(ctx) })
}

// Record trains on a table over ranks of one thread each and returns what each does in all trees but the first. Only one computes at a time.
func Record(ctx context.Context, table *dataset.Table, p booster.Params, ranks int) (*Trace, error) {
	p.Threads = 1
	var turn sync.Mutex
	recorders, errs := make([]*recorder, ranks), make([]error, ranks)
	var all sync.WaitGroup
	for i, end := range comm.Local(ranks) {
		r := &recorder{Comm: end, turn: &turn}
		recorders[i] = r
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			r.take()
			defer turn.Unlock()
			onRound := func(round booster.Round) {
				if r.keep { // what no call ends
					r.steps = append(r.steps, Step{Call: None, CPU: threadTime() - r.since})
				}
				r.keep = true
				r.since = threadTime()
			}
			if _, errs[i] = booster.Train(ctx, p, table, booster.WithRanks(r), booster.OnRound(onRound)); errs[i] != nil {
				r.Abort(errs[i])
			}
			r.keep = false
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	t := &Trace{Rows: table.NumRows(), Columns: len(table.Features()), Trees: p.Rounds - 1}
	for i, r := range recorders {
		last := len(r.steps)
		for last > 0 && r.steps[last-1].Call != None { // calls of the end
			last--
		}
		if t.Steps = append(t.Steps, r.steps[:last]); last != len(t.Steps[0]) {
			return nil, fmt.Errorf("rank %d makes %d calls, rank 0 %d", i, last, len(t.Steps[0]))
		}
	}
	return t, nil
}
