//go:build linux

package mpi

import (
	"context"
	"math"
	"slices"
	"syscall"
	"time"
	"unsafe"

	"boost/internal/comm"
)

func (c *Comm) Sum64(ctx context.Context, values []uint64) error {
	return c.make(ctx, 8*len(values), func() error { return c.reduce(ctx, bytesOf(values), 8, c.uint64s, c.sum) })
}

func (c *Comm) Sum32(ctx context.Context, values []uint32) error {
	return c.make(ctx, 4*len(values), func() error { return c.reduce(ctx, bytesOf(values), 4, c.uint32s, c.sum) })
}

func (c *Comm) SumParts64(ctx context.Context, values []uint64, parts []comm.Part, wait func(int)) error {
	return c.ByChunk(values, parts, c.size, wait, func(values []uint64, parts []comm.Part) error {
		bytes := 8 * (len(values) - parts[c.size-1].To)
		for _, p := range parts {
			bytes += 8 * (p.To - p.From)
		}
		return c.make(ctx, bytes, func() error { return c.scatter(ctx, values, parts) })
	})
}

// Max compares numbers as integers of the same order: of 0 and -0, MPI might give either. They are signed, because MPICH 4.0
// compares unsigned ones as if they were.
func (c *Comm) Max(ctx context.Context, values []float64) error {
	ordered := make([]uint64, len(values))
	for i, v := range values {
		ordered[i] = flipBelowZero(math.Float64bits(v))
	}
	err := c.make(ctx, 8*len(values), func() error { return c.reduce(ctx, bytesOf(ordered), 8, c.int64s, c.max) })
	if err != nil {
		return err
	}
	for i, v := range ordered {
		values[i] = math.Float64frombits(flipBelowZero(v))
	}
	return nil
}

// flipBelowZero changes all bits but the sign where that is set, and so gives the order of numbers to integers, and takes it back.
func flipBelowZero(bits uint64) uint64 { return bits ^ uint64(int64(bits)>>63)>>1 }

func (c *Comm) Barrier(ctx context.Context) error {
	return c.make(ctx, 0, func() error { return c.reduce(ctx, make([]byte, 8), 8, c.uint64s, c.sum) })
}

func (c *Comm) Gather(ctx context.Context, mine []byte) (all [][]byte, err error) {
	err = c.make(ctx, len(mine), func() (err error) {
		all, err = c.gather(ctx, mine)
		return err
	})
	return all, err
}

func (c *Comm) Broadcast(ctx context.Context, root int, data []byte) (got []byte, err error) {
	err = c.make(ctx, len(data), func() (err error) {
		got, err = c.broadcast(ctx, root, data)
		return err
	})
	return got, err
}

// make makes a call to which this rank gives so many bytes. Its error stays.
func (c *Comm) make(ctx context.Context, bytes int, job func() error) error {
	began := time.Now()
	c.mu.Lock()
	switch {
	case c.closed:
		c.fail(comm.ErrClosed)
	case ctx.Err() != nil:
		c.fail(comm.Stopped(ctx))
	}
	err := c.err
	c.mu.Unlock()
	if err != nil {
		return err
	}
	err = c.do(job)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.fail(err)
	}
	c.stats.Calls++
	c.stats.Sent += int64(bytes)
	c.stats.Received += int64(bytes)
	c.Called(time.Since(began))
	return c.err
}

// reduce combines values of a width in bytes.
func (c *Comm) reduce(ctx context.Context, values []byte, width int, datatype, op uintptr) error {
	for len(values) > 0 {
		n := copy(c.give[:], values)
		if err := c.run(ctx, c.allreduce, address(&c.give), address(&c.take), uintptr(n/width), datatype, op); err != nil {
			return err
		}
		values = values[copy(values, c.take[:n]):]
	}
	return nil
}

// scatter gives each rank the sums of its part: in blocks that are equally long at all ranks, until the longest part is through.
func (c *Comm) scatter(ctx context.Context, values []uint64, parts []comm.Part) error {
	longest := 0
	for _, p := range parts {
		longest = max(longest, p.To-p.From)
	}
	give, take := wordsOf(&c.give), wordsOf(&c.take)
	for at := 0; at < longest; {
		n := min(len(give)/c.size, longest-at)
		for r, p := range parts {
			part := values[p.From:p.To]
			copied := copy(give[r*n:(r+1)*n], part[min(at, len(part)):])
			clear(give[r*n+copied : (r+1)*n])
		}
		if err := c.run(ctx, c.reduceScatter, address(&c.give), address(&c.take), uintptr(n), c.uint64s, c.sum); err != nil {
			return err
		}
		own := values[parts[c.rank].From:parts[c.rank].To]
		copy(own[min(at, len(own)):], take[:n])
		at += n
	}
	return c.reduce(ctx, bytesOf(values[parts[c.size-1].To:]), 8, c.uint64s, c.sum)
}

// gather exchanges the lengths, then blocks that are equally long at all ranks, until the longest data is through.
func (c *Comm) gather(ctx context.Context, mine []byte) ([][]byte, error) {
	lengths := make([]uint64, c.size)
	lengths[c.rank] = uint64(len(mine))
	if err := c.reduce(ctx, bytesOf(lengths), 8, c.uint64s, c.sum); err != nil {
		return nil, err
	}
	all := make([][]byte, c.size)
	for rank, length := range lengths {
		all[rank] = make([]byte, 0, length)
	}
	longest := int(slices.Max(lengths))
	for at := 0; at < longest; {
		n := min(chunkBytes/c.size, longest-at)
		copy(c.give[:n], mine[min(at, len(mine)):])
		if err := c.run(ctx, c.allgather, address(&c.give), uintptr(n), c.anyBytes, address(&c.take), uintptr(n), c.anyBytes); err != nil {
			return nil, err
		}
		for rank, length := range lengths {
			all[rank] = append(all[rank], c.take[rank*n:][:min(n, max(0, int(length)-at))]...)
		}
		at += n
	}
	return all, nil
}

// broadcast tells the length, then the data in chunks.
func (c *Comm) broadcast(ctx context.Context, root int, data []byte) ([]byte, error) {
	length := []uint64{0}
	if c.rank == root {
		length[0] = uint64(len(data))
	}
	if err := c.reduce(ctx, bytesOf(length), 8, c.uint64s, c.sum); err != nil {
		return nil, err
	}
	if c.rank != root {
		data = make([]byte, length[0])
	}
	for rest := data; len(rest) > 0; {
		n := min(chunkBytes, len(rest))
		if c.rank == root {
			copy(c.give[:n], rest)
		}
		if err := c.run(ctx, c.bcast, address(&c.give), uintptr(n), c.anyBytes, uintptr(root)); err != nil {
			return nil, err
		}
		if c.rank != root {
			copy(rest, c.give[:n])
		}
		rest = rest[n:]
	}
	return data, nil
}

// run begins an operation between all ranks, whose last two arguments are not given, and waits for its end. An operation goes on
// only while MPI is called: it is looked after at once again for a while, then after pauses that grow with what was waited, so that a
// rank that waits for another one leaves the processor.
func (c *Comm) run(ctx context.Context, operation uintptr, arguments ...uintptr) error {
	const (
		eager   = 200 * time.Microsecond
		longest = time.Millisecond
	)
	if err := call(operation, append(arguments, c.world, address(&c.request))...); err != nil {
		return err
	}
	for began := time.Now(); ; {
		if err := call(c.test, address(&c.request), address(&c.number), c.ignore); err != nil {
			return err
		}
		if c.number != 0 {
			return nil
		}
		if ctx.Err() != nil {
			return comm.Stopped(ctx)
		}
		if waited := time.Since(began); waited > eager {
			pause := syscall.NsecToTimespec(int64(min(waited/64, longest)))
			_ = syscall.Nanosleep(&pause, nil) // time.Sleep takes a millisecond at least
		}
	}
}

// address returns where a part of pages lies.
func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

func bytesOf[T uint32 | uint64](values []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(T(0))))
}

// wordsOf returns the words of a page, which begins at a multiple of 8.
func wordsOf(page *[chunkBytes]byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(page)), chunkBytes/8)
}
