//go:build linux

package mpi

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"boost/internal/comm"
)

// chunkBytes is how much one call of MPI takes: a multiple of 8.
const chunkBytes = 1 << 20

// Comm is one rank's end. A process has one.
type Comm struct {
	*library
	*pages
	rank, size int
	jobs       chan func() // for the thread that calls MPI

	mu     sync.Mutex
	err    error // what all calls end with
	closed bool
	stats  comm.Stats
	comm.Clock
}

// pages are what MPI reads and writes. Go does not manage them and they are never given back: an operation that nobody waits for
// may write to them later, and network cards keep the addresses of memory that Go would exchange.
type pages struct {
	request uintptr // an MPI_Request
	number  int32
	_       int32 // words begin at a multiple of 8
	give    [chunkBytes]byte
	take    [chunkBytes]byte
}

// Join makes this process the rank that l says. All ranks run the same version of the program. It is called once.
func Join(ctx context.Context, l Launch, version string) (*Comm, error) {
	c := &Comm{jobs: make(chan func())}
	go func() {
		runtime.LockOSThread()
		for job := range c.jobs {
			job()
		}
	}()
	if err := c.do(func() error { return c.init(l) }); err != nil {
		return nil, fmt.Errorf("%w: %w", comm.ErrComm, err)
	}
	var versions [][]byte
	err := c.do(func() (err error) {
		versions, err = c.gather(ctx, []byte(version))
		return err
	})
	for rank, other := range versions {
		if err == nil && string(other) != version {
			err = &comm.Error{Rank: rank, Text: fmt.Sprintf("runs version %s of the program and rank %d version %s: install the same", other, c.rank, version)}
		}
	}
	if err != nil { // at all ranks
		return nil, err
	}
	return c, nil
}

func (c *Comm) init(l Launch) error {
	memory, err := syscall.Mmap(-1, 0, int(unsafe.Sizeof(pages{})), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return err
	}
	c.pages = (*pages)(unsafe.Pointer(&memory[0]))
	if c.library, err = open(l.libraries, c.pages); err != nil {
		return err
	}
	if err := call(c.initThread, 0, 0, threadFunneled, address(&c.number)); err != nil {
		return err
	}
	if c.number < threadFunneled {
		return fmt.Errorf("%s is for programs of one thread", c.version)
	}
	if err := call(c.commRank, c.world, address(&c.number)); err != nil {
		return err
	}
	c.rank = int(c.number)
	if err := call(c.commSize, c.world, address(&c.number)); err != nil {
		return err
	}
	c.size = int(c.number)
	if l.Size > 0 && (c.rank != l.Rank || c.size != l.Size) {
		return fmt.Errorf("rank %d of %d was started, and MPI takes it for rank %d of %d (%s): start it with the mpirun of this library, or with the srun --mpi=… that it knows",
			l.Rank, l.Size, c.rank, c.size, c.version)
	}
	return nil
}

// do runs a job on the thread that calls MPI.
func (c *Comm) do(job func() error) error {
	done := make(chan error, 1)
	c.jobs <- func() { done <- job() }
	return <-done
}

func (c *Comm) Rank() int { return c.rank }
func (c *Comm) Size() int { return c.size }

func (c *Comm) Stats() comm.Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Waited, c.stats.Overlapped = c.Times()
	return c.stats
}

// Abort ends the calls of this rank. MPI has no last words: the other ranks end when this one calls Close, and the caller tells why
// before.
func (c *Comm) Abort(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fail(comm.Blame(c.rank, cause))
}

// fail makes err what all calls end with, unless there is one. The lock is held.
func (c *Comm) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// Close waits until all ranks close their ends. After an error it ends the processes of all ranks, this one first, with exit code
// 1 (MPI_Abort).
func (c *Comm) Close() error {
	c.mu.Lock()
	closed, err := c.closed, c.err
	c.closed = true
	c.mu.Unlock()
	if closed {
		return nil
	}
	if err == nil {
		return c.do(func() error { return call(c.finalize) })
	}
	drain()
	over := make(chan error, 1)
	go func() { over <- c.do(func() error { return call(c.abort, c.world, 1) }) }()
	select {
	case err = <-over:
		return err
	case <-time.After(5 * time.Second): // the end of this process ends the others too, where mpirun looks after them
		return fmt.Errorf("%w: MPI_Abort takes more than 5 s", comm.ErrComm)
	}
}

// drain waits for whoever reads this process's outputs through pipes: a launcher may drop what it has not read when a rank ends all
// (MPICH's did, once in twenty).
func drain() {
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if unread(os.Stdout)+unread(os.Stderr) == 0 {
			return
		}
	}
}

// unread returns how many bytes wait in a pipe, and 0 for other files.
func unread(f *os.File) int {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return 0
	}
	n, _ := unix.IoctlGetInt(int(f.Fd()), unix.TIOCINQ)
	return n
}
