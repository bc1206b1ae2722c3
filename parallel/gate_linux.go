package parallel

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

// gate is where one goroutine sleeps until another opens it; an opening that nobody waits
// for is kept for the next one to come, one of them at most.
//
// It is a futex and not a channel because of how long the sleeper takes to come: a goroutine
// made runnable is kept for the thread that did so, and for another to take it away the
// runtime first lets it wait, 60 to 80 µs in all, in which a round's shorter passes have
// ended. A thread that sleeps in the kernel is there after 8, on other virtual machines after 20.
type gate struct {
	state atomic.Uint32
}

// The states of a gate.
const (
	gateShut uint32 = iota
	gateOpen
	gateAwaited // shut, and a thread sleeps before it or is about to
)

// The operations of futex(2), on memory of one process.
const (
	futexWait = 0 | 128
	futexWake = 1 | 128
)

// open lets the waiting goroutine through, or the next that comes.
func (g *gate) open() {
	if g.state.Swap(gateOpen) == gateAwaited {
		_, _, _ = syscall.RawSyscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&g.state)), futexWake, 1, 0, 0, 0)
	}
}

// wait returns once the gate is open, and shuts it. One goroutine waits at a time.
func (g *gate) wait() {
	for !g.state.CompareAndSwap(gateOpen, gateShut) {
		if g.state.CompareAndSwap(gateShut, gateAwaited) || g.state.Load() == gateAwaited {
			// It returns at once if the state is no longer that; a signal ends it too.
			_, _, _ = syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&g.state)), futexWait, uintptr(gateAwaited), 0, 0, 0)
		}
	}
}

func newGate() *gate { return &gate{} }
