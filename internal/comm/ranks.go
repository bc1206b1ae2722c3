package comm

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"
	"unsafe"
)

// Ranks is one rank's part of the rows of a training, and what joins it to the others. A nil *Ranks stands for all rows in one
// process.
//
// The first error of a call stays: later calls do nothing, and leave values as they are. Err returns it, so that passes look once,
// at their end.
type Ranks struct {
	comm  Comm
	ctx   context.Context
	err   error
	first int
	total int
	far   bool
}

// Join returns the part of a rank that has so many rows. All ranks call it. Rows are in the order of ranks.
func Join(ctx context.Context, c Comm, rows int) (*Ranks, error) {
	r := &Ranks{comm: c, ctx: ctx}
	mine := binary.LittleEndian.AppendUint64(nil, uint64(rows))
	if d, ok := c.(Distant); ok && d.Far() {
		mine = append(mine, 1)
	}
	all := r.Gather(mine)
	for rank, bytes := range all {
		if len(bytes) < 8 {
			return nil, errors.Join(r.err, &Error{rank, "did not tell its number of rows"})
		}
		n := int(binary.LittleEndian.Uint64(bytes))
		r.far = r.far || len(bytes) > 8
		if rank < c.Rank() {
			r.first += n
		}
		r.total += n
	}
	return r, r.err
}

// Err returns the first error of a call.
func (r *Ranks) Err() error {
	if r == nil {
		return nil
	}
	return r.err
}

// Shared reports whether other ranks have rows too.
func (r *Ranks) Shared() bool { return r != nil && r.comm.Size() > 1 }

// Far reports whether any two ranks are on different machines.
func (r *Ranks) Far() bool { return r != nil && r.far }

// Fail makes err the error of this rank, unless there is one; nil is none.
func (r *Ranks) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Rank returns the number of this rank.
func (r *Ranks) Rank() int {
	if r == nil {
		return 0
	}
	return r.comm.Rank()
}

// Size returns the number of ranks.
func (r *Ranks) Size() int {
	if r == nil {
		return 1
	}
	return r.comm.Size()
}

// First returns the number of this rank's first row among all.
func (r *Ranks) First() int {
	if r == nil {
		return 0
	}
	return r.first
}

// Rows returns the number of all rows, given that of this rank's own.
func (r *Ranks) Rows(own int) int {
	if r == nil {
		return own
	}
	return r.total
}

// call runs a call unless one has failed.
func (r *Ranks) call(f func() error) {
	if r.Shared() && r.err == nil {
		r.err = f()
	}
}

// Sum replaces each value by its sum over the ranks, modulo 2^64.
func (r *Ranks) Sum(values []uint64) {
	r.call(func() error { return r.comm.Sum64(r.ctx, values) })
}

// SumInts is Sum for numbers that may be below 0.
func (r *Ranks) SumInts(values ...[]int64) {
	for _, v := range values {
		r.Sum(unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(v))), len(v)))
	}
}

// SumParts gives each rank the sums of its part of the values, see Comm.SumParts64.
func (r *Ranks) SumParts(values []uint64, parts []Part, wait func(chunk int)) {
	r.call(func() error { return r.comm.SumParts64(r.ctx, values, parts, wait) })
}

// Computed says that this rank computed during so much of the time of its calls.
func (r *Ranks) Computed(d time.Duration) { r.comm.Computed(d) }

// Sum32 replaces each value by its sum over the ranks, modulo 2^32.
func (r *Ranks) Sum32(values []uint32) {
	r.call(func() error { return r.comm.Sum32(r.ctx, values) })
}

// Add replaces each number by its sum over the ranks.
func Add[T int | int64 | uint64](r *Ranks, numbers ...*T) {
	if !r.Shared() {
		return
	}
	values := make([]uint64, len(numbers))
	for i, n := range numbers {
		values[i] = uint64(*n)
	}
	r.Sum(values)
	for i, n := range numbers {
		*n = T(values[i])
	}
}

// Max replaces each number by the largest over the ranks. Numbers are exact in a float64, and none is NaN.
func Max[T int | int32 | uint32 | float32 | float64](r *Ranks, numbers ...*T) {
	if !r.Shared() {
		return
	}
	values := make([]float64, len(numbers))
	for i, n := range numbers {
		values[i] = float64(*n)
	}
	r.call(func() error { return r.comm.Max(r.ctx, values) })
	for i, n := range numbers {
		*n = T(values[i])
	}
}

// Any reports whether any rank says yes.
func (r *Ranks) Any(yes bool) bool {
	n := 0
	if yes {
		n = 1
	}
	Max(r, &n)
	return n > 0
}

// Cancelled returns why ctx is done at any rank, nil if it is at none.
func (r *Ranks) Cancelled(ctx context.Context) error {
	err := ctx.Err()
	if r.Any(err != nil) && err == nil {
		err = errOther
	}
	return err
}

// errOther is the error of a context that is done at another rank.
var errOther = errors.New("at another rank")

// Before returns the sum of the numbers of the ranks before this one.
func (r *Ranks) Before(own int) (sum int) {
	if r == nil {
		return 0
	}
	for rank, bytes := range r.Gather(binary.LittleEndian.AppendUint64(nil, uint64(own))) {
		if rank < r.comm.Rank() && len(bytes) == 8 {
			sum += int(binary.LittleEndian.Uint64(bytes))
		}
	}
	return sum
}

// Gather returns what each rank gives, by rank; nil after an error.
func (r *Ranks) Gather(mine []byte) (all [][]byte) {
	if r == nil {
		return [][]byte{mine}
	}
	if r.err == nil {
		all, r.err = r.comm.Gather(r.ctx, mine)
	}
	return all
}

// Broadcast returns what the first rank gives, at all ranks; nil after an error.
func (r *Ranks) Broadcast(data []byte) []byte {
	r.call(func() (err error) {
		data, err = r.comm.Broadcast(r.ctx, 0, data)
		return err
	})
	if r.Err() != nil {
		return nil
	}
	return data
}

// Agree returns an error at all ranks where one has one: its own, or that of the first rank that has one.
func (r *Ranks) Agree(own error) error {
	if !r.Shared() {
		return own
	}
	text := ""
	if own != nil {
		text = own.Error()
	}
	for rank, theirs := range r.Gather([]byte(text)) {
		if own == nil && len(theirs) > 0 {
			own = &Error{rank, string(theirs)}
		}
	}
	if own == nil {
		own = r.err
	}
	return own
}

// GatherFloats puts the values of all ranks into all, one part after the other in the order of ranks. The parts of ranks add up to
// len(all).
func (r *Ranks) GatherFloats(all, mine []float64) {
	if !r.Shared() {
		copy(all, mine)
		return
	}
	bytes := make([]byte, 0, 8*len(mine))
	for _, v := range mine {
		bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(v))
	}
	at := 0
	for rank, theirs := range r.Gather(bytes) {
		if len(theirs)%8 != 0 || at+len(theirs)/8 > len(all) {
			r.err = &Error{rank, fmt.Sprintf("gave %d numbers where %d are left: %s", len(theirs)/8, len(all)-at, Differ)}
			return
		}
		for ; len(theirs) > 0; theirs = theirs[8:] {
			all[at] = math.Float64frombits(binary.LittleEndian.Uint64(theirs))
			at++
		}
	}
	if r.err == nil && at != len(all) {
		r.err = &Error{-1, fmt.Sprintf("%d numbers were gathered instead of %d", at, len(all))}
	}
}
