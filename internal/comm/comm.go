// Package comm joins the ranks of one training: processes, or parts of one process, that each hold some of the rows. It knows
// slices of numbers and bytes, nothing of tables or trees.
package comm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
)

// A Comm is one rank's end of what joins the ranks. All ranks make the same calls in the same order with values of the same
// lengths; one goroutine of a rank makes them. A call ends with an error when a rank has left, failed or been silent for
// longer than the limit, which is a *Error of that rank at all others, or when its context is done, which is an error that
// wraps ErrComm and the context's. All later calls fail with the same error.
//
// A rank that computes for long makes the others wait; that is no error.
//
// Sums are modulo 2^64 or 2^32, so they do not depend on the order of the ranks.
type Comm interface {
	// Rank is this rank's number, 0 ≤ Rank() < Size().
	Rank() int
	// Size is the number of ranks, at least 1.
	Size() int
	// Sum64 replaces each value by its sum over the ranks.
	Sum64(ctx context.Context, values []uint64) error
	// Sum32 replaces each value by its sum over the ranks.
	Sum32(ctx context.Context, values []uint32) error
	// SumParts64 gives each rank the sums of its part, parts[r] for rank r. The values of other ranks' parts are undefined
	// afterwards. Parts are the same at all ranks, and those of higher ranks lie behind those of lower ones. The values behind
	// the last part are summed at all ranks.
	//
	// Where parts has several times as many, the first are of a first chunk, by rank, and so on. The values of a chunk are not looked at
	// before wait returns, which goroutines of the call do for each chunk in turn. A nil wait means that all are there.
	SumParts64(ctx context.Context, values []uint64, parts []Part, wait func(chunk int)) error
	// Max replaces each value by the largest over the ranks. No value is NaN.
	Max(ctx context.Context, values []float64) error
	// Gather returns what each rank gave, by rank. The lengths may differ. The caller may keep and change what it gets.
	Gather(ctx context.Context, mine []byte) ([][]byte, error)
	// Broadcast returns what root gave; data of other ranks is not looked at.
	Broadcast(ctx context.Context, root int, data []byte) ([]byte, error)
	// Barrier returns once all ranks have called it.
	Barrier(ctx context.Context) error
	// Computed says that this rank computed during so much of the time of its calls.
	Computed(d time.Duration)
	// Stats returns what was sent and waited for so far.
	Stats() Stats
	// Abort tells the other ranks that this one ends, and why; their calls fail with an Error of this rank and that text.
	Abort(cause error)
	// Close ends this rank's part. All have called Barrier before, or Abort is called; else the next calls of the others fail
	// because this rank left.
	Close() error
}

// Distant is a Comm that may reach other machines: its calls wait for a network while processors are free.
type Distant interface {
	// Far reports whether any rank is on another machine.
	Far() bool
}

// Part is the values From … To-1 of a call.
type Part struct{ From, To int }

// Stats is what a rank has sent, received and waited for.
type Stats struct {
	Calls          int           // collective calls; of one in chunks some make several
	Sent, Received int64         // bytes of payload and frames
	Waited         time.Duration // within calls, while nothing was computed
	Overlapped     time.Duration // within calls, while this rank computed
}

// Clock adds the time of calls up. Its methods may be called at the same time.
type Clock struct{ within, computed atomic.Int64 }

// Computed implements Comm.
func (c *Clock) Computed(d time.Duration) { c.computed.Add(int64(d)) }

// Called adds the time of a call.
func (c *Clock) Called(d time.Duration) { c.within.Add(int64(d)) }

// Times returns how long the rank waited, and how long it computed while a call was made.
func (c *Clock) Times() (waited, overlapped time.Duration) {
	overlapped = time.Duration(c.computed.Load())
	return max(0, time.Duration(c.within.Load())-overlapped), overlapped
}

// ErrComm is wrapped by all errors of joining ranks and of calls between them.
var ErrComm = errors.New("ranks of the training")

// ErrClosed is what calls after Close end with.
var ErrClosed = fmt.Errorf("%w: this rank has closed its end", ErrComm)

// Differ is what to look at where ranks do not make the same calls.
const Differ = "do both run the same program with the same settings on the same tables?"

// Error is a failure that a rank is to blame for.
type Error struct {
	Rank int    // the rank at fault, -1 for unknown
	Text string // what happened, as "left", "silent for 10s", or that rank's own last words
}

func (e *Error) Error() string {
	if e.Rank < 0 {
		return fmt.Sprintf("%v: %s", ErrComm, e.Text)
	}
	return fmt.Sprintf("%v: rank %d: %s", ErrComm, e.Rank, e.Text)
}

func (e *Error) Unwrap() error { return ErrComm }

// Blame returns what the other ranks get because of an error of a rank: the error itself where it blames one.
func Blame(rank int, cause error) *Error {
	if blame, ok := errors.AsType[*Error](cause); ok {
		return blame
	}
	return &Error{Rank: rank, Text: strings.TrimPrefix(cause.Error(), ErrComm.Error()+": ")}
}

// Reason returns what other ranks are told of an error: why a context was ended where that is all that the error says.
func Reason(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return context.Cause(ctx)
	}
	return err
}

// Stopped returns the error of a call whose context is done. It wraps ErrComm, ctx.Err() and the context's cause.
func Stopped(ctx context.Context) error {
	return &stopped{err: ctx.Err(), cause: context.Cause(ctx)}
}

type stopped struct{ err, cause error }

func (s *stopped) Error() string   { return fmt.Sprintf("%v: %v", ErrComm, s.cause) }
func (s *stopped) Unwrap() []error { return []error{ErrComm, s.err, s.cause} }
