package network

import (
	"os"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// onTime gives the goroutine a thread that goes ahead of what else the machine does.
func onTime() {
	runtime.LockOSThread()
	eager(0)
}

// eager lets a thread go ahead of others, and, because its slices are short, as soon as it wakes: since Linux 6.12 that is told by the
// runtime. Without the right to it, or on an older system, the thread is late now and then. A real-time class could stop the machine.
func eager(thread int) {
	const slice = 100 * time.Microsecond // the least
	_ = unix.SchedSetAttr(thread, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Nice: -20, Runtime: uint64(slice)}, 0)
}

// eagerProcess does so with all threads of this process, and those to come.
func eagerProcess() {
	threads, _ := os.ReadDir("/proc/self/task")
	for _, t := range threads {
		if id, err := strconv.Atoi(t.Name()); err == nil {
			eager(id)
		}
	}
}

// sleep is time.Sleep to some microseconds instead of about a millisecond.
func sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	t := unix.NsecToTimespec(int64(d))
	for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &t, &t) == unix.EINTR {
	}
}

// Sleeper returns a pause for Replay: of the computing of each step, and of what its call computes, stretched.
func Sleeper(size int, o Overhead, stretch, slow float64) func(Step) {
	eagerProcess()
	return func(s Step) {
		sent, messages := s.sends(size)
		sleep(time.Duration(stretch * slow * float64(s.CPU+o.of(sent, messages))))
	}
}
