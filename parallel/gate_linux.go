package parallel

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

// sleeper is what a gate sleeps in.
//
// It is a futex and not a channel because of how long the sleeper takes to come: a goroutine
// made runnable is kept for the thread that did so, and for another to take it away the
// runtime first lets it wait, 60 to 80 µs in all, in which a round's shorter passes have
// ended. A thread that sleeps in the kernel is there after 8, on other virtual machines after 20.
type sleeper struct {
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

func (s *sleeper) init() {}

// open lets the waiting goroutine through, or the next that comes.
func (s *sleeper) open() {
	if s.state.Swap(gateOpen) == gateAwaited {
		_, _, _ = syscall.RawSyscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&s.state)), futexWake, 1, 0, 0, 0)
	}
}

// pass goes through the gate if it is open, and shuts it.
func (s *sleeper) pass() bool {
	return s.state.Load() == gateOpen && s.state.CompareAndSwap(gateOpen, gateShut)
}

// sleep returns once the gate is open, and shuts it.
func (s *sleeper) sleep() {
	for !s.state.CompareAndSwap(gateOpen, gateShut) {
		if s.state.CompareAndSwap(gateShut, gateAwaited) || s.state.Load() == gateAwaited {
			s.await()
		}
	}
}

// sleepAmong is sleep where others may sleep too: it leaves the state so that open wakes one of them.
func (s *sleeper) sleepAmong() {
	for s.state.Swap(gateAwaited) != gateOpen {
		s.await()
	}
}

// await sleeps while the state is gateAwaited: it returns at once if it is not, and a signal ends it too.
func (s *sleeper) await() {
	_, _, _ = syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&s.state)), futexWait, uintptr(gateAwaited), 0, 0, 0)
}
